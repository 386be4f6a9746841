package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/recrawl/recrawl/estimator/trees"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// kept is what a policy learnt that is of use without its memory, which the planner keeps whole:
// for another version, other settings, and within a round. These are the weights of the experts,
// the trust in what servers and shapes show, what probes tell, the calibration, the price, and the
// forest learnt in place.
type kept struct {
	Form            int     `json:"form"` // of the rows that the forest asks for: modelForm
	Price           float64 `json:"price"`
	ChangesPerWorth float64 `json:"changes_per_worth"`
	CopyWeight      float32 `json:"copy_weight"`
	Corpus          gains   `json:"corpus"`
	Trust           float32 `json:"trust"`          // in what servers and shapes show, beside 1
	TrustInNames    float32 `json:"trust_in_names"` // in what namesakes show, beside 1
	// whose visits told most, mostKeptServers at most
	Servers []keptServer `json:"servers"`
	Rebuilt [2]float32   `json:"rebuilt"` // of all servers: rebuilds expected, and seen
	Probes  [2]float32   `json:"probes"`  // how many there were, and pages that they found
	// by the looks before: those that found a page gone, and all
	Gone     [][2]float32  `json:"gone"`
	Outcomes []keptBin     `json:"outcomes"`
	InPlace  Adoption      `json:"in_place"`
	Forest   *trees.Forest `json:"forest,omitempty"`
}

type keptServer struct {
	Name         string        `json:"name"`
	Gains        gains         `json:"gains"`
	Trust        float32       `json:"trust"`          // beside that of the corpus
	TrustInNames float32       `json:"trust_in_names"` // beside that of the corpus
	Rebuilt      [2]float32    `json:"rebuilt"`
	Gone         [2][2]float32 `json:"gone"` // by first and later looks, as of all servers
}

type keptBin [3]float64 // weight, given, came

// mostKeptServers bounds what is kept to about half a megabyte.
const mostKeptServers = 4096

// Learnt is what is to outlive the process, for Recall.
func (v *Policy) Learnt() ([]byte, error) {
	k := kept{
		Form:            modelForm,
		Price:           v.price,
		ChangesPerWorth: v.changesPerWorth,
		CopyWeight:      v.copyWeight,
		Corpus:          v.mixture.learnt(),
		Trust:           v.trust.corpus,
		TrustInNames:    v.trustInNames.corpus,
		InPlace:         v.inPlace.record,
		Forest:          v.inPlace.forest,
	}
	if math.IsNaN(k.Price) {
		k.Price = 0
	}
	r := &v.exploration.rebuilds
	k.Rebuilt = [2]float32{r.all.expected, r.all.seen}
	k.Probes = [2]float32{r.probes, r.found}
	for _, l := range v.gone.looks {
		k.Gone = append(k.Gone, [2]float32{l.gone, l.all})
	}
	for _, b := range v.calibrator.outcomes.bins {
		k.Outcomes = append(k.Outcomes, keptBin{b.weight, b.given, b.came})
	}
	for s := range max(len(v.mixture.servers), len(r.servers), len(v.trust.servers),
		len(v.trustInNames.servers), len(v.gone.versions)) {
		of := keptServer{Name: v.Corpus.Graph.ServerName(sitegraph.ServerID(s))}
		if s < len(v.mixture.servers) {
			of.Gains = v.mixture.servers[s]
		}
		if s < len(v.trust.servers) {
			of.Trust = v.trust.servers[s]
		}
		if s < len(v.trustInNames.servers) {
			of.TrustInNames = v.trustInNames.servers[s]
		}
		if s < len(r.servers) {
			of.Rebuilt = [2]float32{r.servers[s].expected, r.servers[s].seen}
		}
		if s < len(v.gone.versions) {
			for later := range of.Gone {
				of.Gone[later] = [2]float32{v.gone.servers[later][s].gone,
					v.gone.servers[later][s].all}
			}
		}
		if of.told() > 0 {
			k.Servers = append(k.Servers, of)
		}
	}
	if len(k.Servers) > mostKeptServers {
		slices.SortStableFunc(k.Servers, func(a, b keptServer) int {
			switch x, y := a.told(), b.told(); {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return 0
		})
		k.Servers = k.Servers[:mostKeptServers]
	}
	return json.Marshal(&k)
}

// Lessons tell people what was learnt on this web.
func (v *Policy) Lessons() (all []planner.Lesson) {
	add := func(what string, value float64, about string) {
		all = append(all, planner.Lesson{What: what, Value: value, About: about})
	}
	w := v.mixture.weights(sitegraph.ServerID(len(v.mixture.servers))) // of a server without visits
	if v.inPlace.forest == nil {
		w = w.withoutInPlace()
	}
	for k, name := range expertNames {
		add("weight of the expert: "+name, float64(w[k]),
			"of all pages; those of a server move beside it")
	}
	r := &v.inPlace.record
	about := "none was adopted yet"
	if r.Version > 0 {
		at := time.Unix(int64(r.Day*24*60*60)-1, 0).UTC().Format("2006-01-02")
		about = fmt.Sprintf("of %s, by %d visits; log loss %.4f instead of %.4f over %d held out",
			at, r.Examples, r.Loss, r.LossBefore, r.HeldOut)
		if v.inPlace.forest == nil {
			about += "; dropped, since it turned worse"
		}
	}
	add("version of what was learnt in place", float64(r.Version), about)
	add("forests learnt in place and refused", float64(r.Refused),
		"they predicted visits that were held out no better")
	add("forests learnt in place and dropped", float64(r.Dropped), "they turned worse")
	rebuilds := &v.exploration.rebuilds
	add("rebuilds found beside those expected",
		float64(rebuilds.ratio(sitegraph.ServerID(len(rebuilds.servers)))),
		"by probes of quiet pages; near 0 there are few probes")
	add("new pages found by a probe", float64(rebuilds.finds()), "")
	if first := &v.gone.looks[0]; first.all > 0 {
		add("share gone of pages that lost all links", float64(first.gone/first.all),
			fmt.Sprintf("of %.0f that were visited", first.all))
	}
	if v.price > 0 {
		add("price", v.price, "what the last visit that fits is worth, in changes and copies")
	}
	return all
}

// told is how much the visits of a server told.
func (k *keptServer) told() (told float32) {
	for _, gain := range k.Gains {
		told += abs32(gain)
	}
	told += abs32(k.Trust) + abs32(k.TrustInNames)
	return told + k.Rebuilt[0] + k.Rebuilt[1] + k.Gone[0][1]
}

// Recall takes in what Learnt returned, before the first round. It changes nothing where it returns
// an error.
func (v *Policy) Recall(learnt []byte) error {
	var k kept
	if err := json.Unmarshal(learnt, &k); err != nil {
		return fmt.Errorf("read what the policy had learnt: %w", err)
	}
	if k.Form != modelForm {
		return nil // by another version of the policy, from other features: it begins anew
	}
	if err := k.check(); err != nil {
		return fmt.Errorf("read what the policy had learnt: %w", err)
	}
	if k.Price > 0 {
		v.price = k.Price
	}
	if k.ChangesPerWorth > 0 {
		v.changesPerWorth = k.ChangesPerWorth
	}
	v.mixture.recall(k.Corpus)
	v.trust.corpus, v.trustInNames.corpus = k.Trust, k.TrustInNames
	r := &v.exploration.rebuilds
	r.all = rebuildCount{k.Rebuilt[0], k.Rebuilt[1]}
	r.probes, r.found = k.Probes[0], k.Probes[1]
	for i, b := range k.Outcomes {
		if i < outcomeBins {
			bin := &v.calibrator.outcomes.bins[i]
			bin.weight, bin.given, bin.came = b[0], b[1], b[2]
		}
	}
	v.calibrator.curve = v.calibrator.outcomes.Curve()
	for i, l := range k.Gone {
		if i < mostLooks {
			v.gone.looks[i] = looks{l[0], l[1]}
		}
	}
	if k.CopyWeight > 0 {
		v.copyWeight = k.CopyWeight
	}
	places := map[string]int{}
	for s := range v.Corpus.Graph.Servers() {
		places[v.Corpus.Graph.ServerName(sitegraph.ServerID(s))] = s
	}
	for _, of := range k.Servers {
		s, ok := places[of.Name]
		if !ok {
			continue
		}
		for len(v.mixture.servers) <= s {
			v.mixture.servers = append(v.mixture.servers, gains{})
		}
		v.mixture.servers[s] = of.Gains
		*v.trust.server(sitegraph.ServerID(s)) = of.Trust
		*v.trustInNames.server(sitegraph.ServerID(s)) = of.TrustInNames
		*r.server(sitegraph.ServerID(s)) = rebuildCount{of.Rebuilt[0], of.Rebuilt[1]}
		v.gone.grow(s + 1)
		for later, l := range of.Gone {
			v.gone.servers[later][s] = looks{l[0], l[1]}
		}
	}
	v.inPlace.record = k.InPlace
	v.inPlace.adopt(k.Forest)
	return nil
}

// check reports what makes it unusable.
func (k *kept) check() error {
	all := append([]keptServer{{Gains: k.Corpus, Trust: k.Trust,
		TrustInNames: k.TrustInNames, Rebuilt: k.Rebuilt}}, k.Servers...)
	for _, of := range all {
		for _, gain := range of.Gains {
			if !(abs32(gain) < 100) {
				return fmt.Errorf("an expert has a gain of %g", gain)
			}
		}
		if !(abs32(of.Trust) <= 1) {
			return fmt.Errorf("a trust of %g", of.Trust)
		}
		if !(abs32(of.TrustInNames) <= 1) {
			return fmt.Errorf("a trust in names of %g", of.TrustInNames)
		}
		for _, l := range of.Gone {
			if !(l[0] >= 0 && l[0] <= l[1]) {
				return fmt.Errorf("of %g pages of a server that lost all links %g were gone",
					l[1], l[0])
			}
		}
		if !(of.Rebuilt[0] >= 0 && of.Rebuilt[1] >= 0) {
			return fmt.Errorf("%g rebuilds were expected and %g seen", of.Rebuilt[0], of.Rebuilt[1])
		}
	}
	if !(k.CopyWeight >= 0 && k.CopyWeight <= mostCopyWeight) {
		return fmt.Errorf("copies weigh %g", k.CopyWeight)
	}
	for _, l := range k.Gone {
		if !(l[0] >= 0 && l[0] <= l[1]) {
			return fmt.Errorf("of %g pages that lost all links %g were gone", l[1], l[0])
		}
	}
	if !(k.Probes[0] >= 0 && k.Probes[1] >= 0) {
		return fmt.Errorf("%g probes found %g pages", k.Probes[0], k.Probes[1])
	}
	for i, b := range k.Outcomes {
		const rounding = 1e-3
		low, high := float64(i)/outcomeBins-rounding, float64(i+1)/outcomeBins+rounding
		if !(b[0] >= 0 && b[1] >= low*b[0] && b[1] <= high*b[0] && b[2] >= 0 &&
			b[2] <= b[0]*(1+rounding)) {
			return errors.New("an outcome is outside of its bin")
		}
	}
	if k.Forest == nil {
		return nil
	}
	if k.Forest.Features != Features {
		return fmt.Errorf("a forest over %d features, want %d", k.Forest.Features, Features)
	}
	return k.Forest.Check()
}

package sites

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/state"
	"github.com/recrawl/recrawl/sitegraph"
)

// written is the JSON form of what Learnt returns.
type written struct {
	Form   int    `json:"form"`
	Learnt []byte `json:"learnt"` // kept, as package state encodes it
}

const (
	// keptForm is the version of written. Versions up to 10 belong to another policy.
	keptForm = 11
	// mostKept bounds the bytes of kept, and mostKeptServers its servers.
	mostKept        = 4 << 20
	mostKeptServers = 4096
)

// kept is what a policy learnt that is useful without its full memory. The planner keeps the full
// memory; kept serves other settings, restarts after a crash, and memories too large to keep.
type kept struct {
	experts         [evidence.Experts]string `state:"same"` // their names
	price           float64
	changesPerWorth float64
	gaps            evidence.Gaps
	finds           evidence.Mean // pages that samples found
	outcomes        evidence.Outcomes
	corpus          keptServer
	servers         []keptServer // those with the most evidence
}

// keptServer holds the evidence of one server, or of all together.
type keptServer struct {
	name  string
	gains evidence.Gains // gains of the experts
	trust [2]float32     // trust in effects of groups, and of tops
	tops  topTally
	means [3]evidence.Mean // in the order of pooled
}

// pooled returns the means that are kept.
func (v *Policy) pooled() [3]*evidence.Pooled {
	return [...]*evidence.Pooled{&v.samples.rebuilds.Seen, &v.gone.gone[0], &v.gone.gone[1]}
}

// weight returns the amount of evidence that the visits of a server gave.
func (k *keptServer) weight() (told float32) {
	for _, gain := range k.gains {
		told += evidence.Abs(gain)
	}
	return told + evidence.Abs(k.trust[0]) + evidence.Abs(k.trust[1]) +
		k.tops[topSame].Visits + k.tops[topChanged].Visits + k.means[0].Count + k.means[1].Count
}

// Learnt returns what is to outlive the process, for Recall.
func (v *Policy) Learnt() ([]byte, error) {
	k := kept{expertNames, v.price, v.changesPerWorth, v.groups.states.All, v.samples.finds,
		v.calibrator.Outcomes, keptServer{"", v.mixture.Learnt(),
			[2]float32{v.trust.Corpus, v.topTrust.Corpus}, v.groups.told, [3]evidence.Mean{}}, nil}
	for i, all := range v.pooled() {
		k.corpus.means[i] = all.All
	}
	for s := range sitegraph.ServerID(v.Pages.Graph.Servers()) {
		of := keptServer{v.Pages.Graph.ServerName(s), *evidence.At(&v.mixture.Servers, s),
			[2]float32{*v.trust.Server(s), *v.topTrust.Server(s)},
			evidence.At(&v.groups.servers, s).told, [3]evidence.Mean{}}
		for i, all := range v.pooled() {
			of.means[i] = *evidence.At(&all.Servers, s)
		}
		if of.weight() > 0 {
			k.servers = append(k.servers, of)
		}
	}
	slices.SortStableFunc(k.servers, func(a, b keptServer) int {
		return cmp.Compare(b.weight(), a.weight())
	})
	k.servers = k.servers[:min(len(k.servers), mostKeptServers)]
	var b bytes.Buffer
	if err := state.WriteTo(&b, mostKept, nil, nil, &k); err != nil {
		return nil, fmt.Errorf("write what the policy learnt: %w", err)
	}
	return json.Marshal(written{keptForm, b.Bytes()})
}

// Recall restores what Learnt returned, before the first round. It changes nothing when it returns
// an error, or when another policy or version wrote it.
func (v *Policy) Recall(learnt []byte) error {
	var w written
	k := kept{experts: expertNames}
	err := json.Unmarshal(learnt, &w)
	if err == nil && w.Form == keptForm {
		err = state.Read(w.Learnt, nil, &k)
	}
	switch {
	case err == nil && w.Form != keptForm, errors.Is(err, state.ErrForm),
		errors.Is(err, state.ErrSettings):
		return nil
	case err != nil:
		return fmt.Errorf("read what the policy had learnt: %w", err)
	}
	v.price, v.changesPerWorth = k.price, k.changesPerWorth
	v.groups.states.All, v.samples.finds = k.gaps, k.finds
	v.calibrator.Recall(k.outcomes)
	v.mixture.Recall(k.corpus.gains)
	v.trust.Corpus, v.topTrust.Corpus = k.corpus.trust[0], k.corpus.trust[1]
	v.groups.told = k.corpus.tops
	for i, all := range v.pooled() {
		all.All = k.corpus.means[i]
	}
	for _, of := range k.servers {
		if s, ok := v.Pages.Graph.LookupServer(of.name); ok {
			*v.trust.Server(s), *v.topTrust.Server(s) = of.trust[0], of.trust[1]
			*evidence.At(&v.mixture.Servers, s) = of.gains
			evidence.At(&v.groups.servers, s).told = of.tops
			for i, all := range v.pooled() {
				*evidence.At(&all.Servers, s) = of.means[i]
			}
		}
	}
	return nil
}

// Lessons describes to users what the policy learnt on this web.
func (v *Policy) Lessons() (all []planner.Lesson) {
	add := func(what string, value float32, about string, counts ...any) {
		all = append(all, planner.Lesson{What: what, Value: float64(value),
			About: fmt.Sprintf(about, counts...)})
	}
	elsewhere := sitegraph.ServerID(v.Pages.Graph.Servers()) // a server without visits
	for k, weight := range v.mixture.Weights(elsewhere) {
		add("weight of the expert: "+expertNames[k], weight,
			"on all servers; a server with visits has its own")
	}
	e, tops := &v.samples, &v.groups.told
	for state, did := range []string{topSame: "did not change", topChanged: "changed"} {
		if of := tops[state]; of.Visits > 0 {
			add("factor of the odds of a page whose top "+did, of.Ratio(topPrior), "of the last "+
				"%.0f visits to such pages, %.0f saw a change; expected: %.1f",
				of.Visits, of.Changed, of.Expected)
		}
	}
	add("rebuilds found / rebuilds expected", e.rebuilds.All(),
		"by %.0f samples of quiet pages; near 0 the policy makes few samples", e.finds.Count)
	add("new pages found by a sample", e.found(), "")
	if first := &v.gone.gone[0].All; first.Count > 0 {
		add("share gone of pages that lost all links", first.Sum/first.Count,
			"of %.0f that were visited", first.Count)
	}
	if v.price > 0 {
		add("price", float32(v.price), "worth of the last visit that fits into the budget")
	}
	return all
}

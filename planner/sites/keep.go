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

// written is what Learnt returns, in JSON.
type written struct {
	Form   int    `json:"form"`
	Learnt []byte `json:"learnt"` // kept, as package state writes it
}

const (
	// keptForm is the form of written. Forms up to 10 are those of another policy.
	keptForm = 11
	// mostKept bounds kept in bytes, and mostKeptServers its servers.
	mostKept        = 4 << 20
	mostKeptServers = 4096
)

// kept is what a policy learnt that is of use without its memory, which the planner keeps whole:
// for other settings, after a crash, and where memory is too large to be kept.
type kept struct {
	experts         [evidence.Experts]string `state:"same"` // their names
	price           float64
	changesPerWorth float64
	copyWeight      float32
	gaps            evidence.Gaps
	samples, found  float32 // samples made, and pages that became known by them
	outcomes        evidence.Outcomes
	looks           [mostLooks]evidence.Mean
	corpus          keptServer
	servers         []keptServer // that told most
}

// keptServer is what visits to one server told, or to all.
type keptServer struct {
	name    string
	gains   evidence.Gains // of experts
	trust   [2]float32     // in what the group found, and in what its tops did
	tops    topTally
	rebuilt rebuildCount
	looks   [2]evidence.Mean
}

// told is how much the visits of a server told.
func (k *keptServer) told() (told float32) {
	for _, gain := range k.gains {
		told += evidence.Abs(gain)
	}
	return told + evidence.Abs(k.trust[0]) + evidence.Abs(k.trust[1]) + k.tops[topSame].Visits + k.tops[topChanged].Visits +
		k.rebuilt.expected + k.looks[0].Count
}

// Learnt returns what is to outlive the process, for Recall.
func (v *Policy) Learnt() ([]byte, error) {
	v.roomFor(v.Corpus.Graph.Servers())
	r := &v.samples.rebuilds
	k := kept{expertNames, v.price, v.changesPerWorth, v.copyWeight, v.groups.gaps,
		r.samples, r.found, v.calibrator.Outcomes, v.gone.looks,
		keptServer{gains: v.mixture.Learnt(), trust: [2]float32{v.trust.Corpus, v.topTrust.Corpus},
			tops: v.groups.told, rebuilt: r.all}, nil}
	for s := range v.groups.servers {
		of := keptServer{v.Corpus.Graph.ServerName(sitegraph.ServerID(s)), v.mixture.Servers[s],
			[2]float32{v.trust.Servers[s], v.topTrust.Servers[s]}, v.groups.servers[s].told,
			r.servers[s],
			[2]evidence.Mean{v.gone.servers[0][s], v.gone.servers[1][s]}}
		if of.told() > 0 {
			k.servers = append(k.servers, of)
		}
	}
	slices.SortStableFunc(k.servers, func(a, b keptServer) int {
		return cmp.Compare(b.told(), a.told())
	})
	k.servers = k.servers[:min(len(k.servers), mostKeptServers)]
	var b bytes.Buffer
	if err := state.WriteTo(&b, mostKept, nil, nil, &k); err != nil {
		return nil, fmt.Errorf("write what the policy learnt: %w", err)
	}
	return json.Marshal(written{keptForm, b.Bytes()})
}

// roomFor makes room for what is known of so many servers.
func (v *Policy) roomFor(servers int) {
	v.gone.grow(servers)
	for s := range sitegraph.ServerID(servers) {
		v.trust.Server(s)
		v.topTrust.Server(s)
		v.samples.rebuilds.server(s)
		if int(s) >= len(v.mixture.Servers) {
			v.mixture.Servers = append(v.mixture.Servers, evidence.Gains{})
		}
		if int(s) >= len(v.groups.servers) {
			v.groups.servers = append(v.groups.servers, server{})
		}
	}
}

// Recall takes in what Learnt returned, before the first round. It changes nothing where it returns
// an error, nor where another policy or version learnt it.
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
	v.price, v.changesPerWorth, v.copyWeight = k.price, k.changesPerWorth, k.copyWeight
	v.groups.gaps, v.gone.looks = k.gaps, k.looks
	v.calibrator.Recall(k.outcomes)
	v.mixture.Recall(k.corpus.gains)
	v.trust.Corpus, v.topTrust.Corpus = k.corpus.trust[0], k.corpus.trust[1]
	v.groups.told = k.corpus.tops
	r := &v.samples.rebuilds
	r.all, r.samples, r.found = k.corpus.rebuilt, k.samples, k.found
	v.roomFor(v.Corpus.Graph.Servers())
	for _, of := range k.servers {
		if s, ok := v.Corpus.Graph.LookupServer(of.name); ok {
			v.mixture.Servers[s], r.servers[s] = of.gains, of.rebuilt
			v.trust.Servers[s], v.topTrust.Servers[s] = of.trust[0], of.trust[1]
			v.groups.servers[s].told = of.tops
			v.gone.servers[0][s], v.gone.servers[1][s] = of.looks[0], of.looks[1]
		}
	}
	return nil
}

// Lessons tell people what was learnt on this web.
func (v *Policy) Lessons() (all []planner.Lesson) {
	add := func(what string, value float32, about string, counts ...any) {
		all = append(all, planner.Lesson{What: what, Value: float64(value),
			About: fmt.Sprintf(about, counts...)})
	}
	elsewhere := sitegraph.ServerID(v.Corpus.Graph.Servers()) // a server without visits
	for k, weight := range v.mixture.Weights(elsewhere) {
		add("weight of the expert: "+expertNames[k], weight,
			"of all pages; those of a server move beside it")
	}
	r, tops := &v.samples.rebuilds, &v.groups.told
	for state, did := range []string{topSame: "did not change", topChanged: "changed"} {
		if of := tops[state]; of.Visits > 0 {
			add("factor of the odds of a page whose top "+did, of.Ratio(topPrior), "of the last "+
				"%.0f visits to such pages, %.0f saw a change, where %.1f were expected to",
				of.Visits, of.Changed, of.Expected)
		}
	}
	add("rebuilds found beside those expected", r.ratio(elsewhere),
		"by %.0f samples of quiet pages; near 0 there are few samples", r.samples)
	add("new pages found by a sample", r.finds(), "")
	if first := &v.gone.looks[0]; first.Count > 0 {
		add("share gone of pages that lost all links", first.Sum/first.Count,
			"of %.0f that were visited", first.Count)
	}
	if v.price > 0 {
		add("price", float32(v.price), "worth of the last visit that fits, in changes and copies")
	}
	return all
}

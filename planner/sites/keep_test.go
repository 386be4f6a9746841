package sites

import (
	"bytes"
	"testing"
	"time"

	"github.com/recrawl/recrawl/estimator/evidence"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// Another process recalls the same lessons.
func TestLearntOutlivesTheProcess(t *testing.T) {
	m := newSim(t, 5, 3, 60, 20, true)
	for day := 1; day <= 30; day++ {
		m.Day(day, 20)
	}
	v := policyOf(m)
	learnt, err := v.Learnt()
	if err != nil {
		t.Fatal(err)
	}
	m.Restart()
	w := policyOf(m)
	if err := w.Recall(learnt); err != nil {
		t.Fatal(err)
	}
	again, err := w.Learnt()
	if err != nil || !bytes.Equal(learnt, again) {
		t.Errorf("%d bytes are written again as %d others (%v)", len(learnt), len(again), err)
	}
	if v.price != w.price || v.trust.Corpus == 0 ||
		v.trust.Corpus != w.trust.Corpus || v.topTrust.Corpus == 0 ||
		v.topTrust.Corpus != w.topTrust.Corpus || v.topTrust.Servers[1] != w.topTrust.Servers[1] ||
		v.groups.told != w.groups.told ||
		v.mixture.Servers[1] != w.mixture.Servers[1] || v.gone.gone[0].All != w.gone.gone[0].All ||
		v.calibrator.Outcomes != w.calibrator.Outcomes {
		t.Errorf("learnt otherwise: %+v, then %+v", v.mixture, w.mixture)
	}
	if lessons := w.Lessons(); len(lessons) < int(evidence.Experts)+3 {
		t.Errorf("lessons %+v", lessons)
	}
	m.Day(31, 20)
}

// Recall ignores what another policy or version wrote, and returns an error for broken bytes.
// Neither changes anything.
func TestRecallRefuses(t *testing.T) {
	m := newSim(t, 5, 2, 30, 10, false)
	for day := 1; day <= 10; day++ {
		m.Day(day, 10)
	}
	learnt, err := policyOf(m).Learnt()
	if err != nil {
		t.Fatal(err)
	}
	for text, refused := range map[string]bool{
		`{"form":10,"corpus":[0.5,-0.5],"servers":[{"name":"s0.example"}]}`:              false,
		string(bytes.Replace(learnt, []byte(`"learnt":"`), []byte(`"learnt":"AAAA`), 1)): false,
		string(learnt[:len(learnt)/2]):                                                   true,
		string(learnt[:len(learnt)-len(`AAAA"}`)]) + `"}`:                                true,
		`{"form":11,"learnt":""}`:                                                        true,
		"":                                                                               true,
	} {
		m.Restart()
		v := policyOf(m)
		before, err := v.Learnt()
		if err != nil {
			t.Fatal(err)
		}
		if err := v.Recall([]byte(text)); (err != nil) != refused {
			t.Errorf("%.30s: %v, refused %v", text, err, refused)
		}
		if after, _ := v.Learnt(); !bytes.Equal(before, after) {
			t.Errorf("%.30s: something was taken in", text)
		}
	}
}

// A process with the memory of an earlier one makes the same visits.
func TestMemoryGoesOn(t *testing.T) {
	run := func(restart bool) (visits []string) {
		m := newSim(t, 6, 3, 60, 20, true)
		for day := 1; day <= 40; day++ {
			if restart && day%10 == 0 {
				var memory bytes.Buffer
				if err := m.Planner.WriteMemory(&memory); err != nil {
					t.Fatal(err)
				}
				round := m.Pages.Round()
				m.Restart()
				m.Pages.Begin(round)
				if exact, err := m.Planner.Recollect(memory.Bytes()); err != nil || !exact {
					t.Fatal(exact, err)
				}
			}
			visits = append(visits, m.URLs(m.Day(day, 20))...)
		}
		return visits
	}
	if i, same := simtest.FirstDifference(run(false), run(true)); !same {
		t.Errorf("visits differ from %d on", i)
	}
}

// Servers that became known after the memory was written get rankings, which are not in the memory.
func TestServersAfterMemory(t *testing.T) {
	m := newSim(t, 7, 2, 20, 10, false)
	m.Day(1, 10)
	v := policyOf(m)
	v.rankings = nil // as in another process
	m.Graph.AddStart("http://other.example/")
	m.Know(m.Graph.Add("http://other.example/"))
	m.Pages.Remember(&m.Records[len(m.Records)-1])
	v.grow()
	if n := m.Graph.Servers(); len(v.rankings) != n || len(v.surprises) != n ||
		len(v.samples.last) != n || len(v.trials) != n {
		t.Errorf("%d servers have %d rankings, %d surprises, %d samples", n, len(v.rankings),
			len(v.surprises), len(v.samples.last))
	}
}

var (
	_ planner.Ranker    = (*Policy)(nil)
	_ planner.Explainer = (*Policy)(nil)
	_ planner.Learner   = (*Policy)(nil)
)

// A visit on request had no prediction: it counts for the rates of pages, not for the experts.
func TestAskedForIsNotJudged(t *testing.T) {
	m := newSim(t, 8, 2, 60, 15, true)
	for day := 1; day <= 10; day++ {
		m.Day(day, 15)
	}
	v := policyOf(m)
	for _, judged := range []bool{false, true} {
		p := sitegraph.PageID(0)
		for ; !m.Pages.Refetchable(p) || v.groups.pages[p].traits != 0; p++ {
		}
		v.groups.pages[p].scored = 0
		if judged {
			v.rate(p)
			v.ask(p)
		}
		calibrated, weights := v.calibrator.Outcomes, v.mixture.Learnt()
		visits := v.groups.all.Visits
		h := m.Pages.Memory(p).History
		h.See(simtest.At(11), true, time.Time{})
		m.Planner.Observe(&sitegraph.Record{Page: p, State: sitegraph.StateAlive,
			Tried: simtest.At(11), History: h}, sitegraph.VerdictChanged)
		learnt := v.calibrator.Outcomes != calibrated || v.mixture.Learnt() != weights
		if learnt != judged || v.groups.all.Visits != visits+1 {
			t.Errorf("judged %v: predictions are learnt from %v, visits %v after %v", judged,
				learnt, v.groups.all.Visits, visits)
		}
	}
}

package eval

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestCalibrationByHand has three probabilities: 0.1 unchanged, 0.12 changed (one bin), 0.9
// changed.
func TestCalibrationByHand(t *testing.T) {
	var r reliability
	r.add(0.1, false)
	r.add(0.12, true)
	r.add(0.9, true)
	r.add(math.NaN(), true) // no probability
	c := r.calibration()
	wantInt(t, "count", c.Count, 3)
	wantNumber(t, "mean probability", c.Probability, 1.12/3)
	wantNumber(t, "changed", c.Changed, 2./3)
	wantNumber(t, "ECE", c.ECE, (math.Abs(0.22-1)+math.Abs(0.9-1))/3)
	wantNumber(t, "Brier score", c.Brier, (0.01+0.88*0.88+0.01)/3)
	wantNumber(t, "log loss", c.LogLoss, -(math.Log(0.9)+math.Log(0.12)+math.Log(0.9))/3)
	if len(c.Bins) != 2 || c.Bins[0].Count != 2 || c.Bins[0].Low != 0.1 || c.Bins[1].High != 0.95 ||
		!near(c.Bins[0].Probability, 0.11) || c.Bins[0].Changed != 0.5 {
		t.Errorf("bins %+v", c.Bins)
	}
	if c := (&reliability{}).calibration(); c != nil {
		t.Errorf("of nothing: %+v", c)
	}
}

// TestCalibrationOfCertainty checks both ends: the last bin includes 1, and a wrong certainty costs
// 13.8 nats.
func TestCalibrationOfCertainty(t *testing.T) {
	var r reliability
	r.add(1, true)
	r.add(0, false)
	if c := r.calibration(); c.ECE != 0 || c.Brier != 0 || c.LogLoss != 0 || len(c.Bins) != 2 ||
		c.Bins[1].High != 1 {
		t.Errorf("always right: %+v", c)
	}
	r.add(1, false)
	r.add(0, true)
	if c := r.calibration(); c.ECE != 0.5 || c.Brier != 0.5 || !near(c.LogLoss, -math.Log(1e-6)/2) {
		t.Errorf("half right: %+v", c)
	}
}

// TestCalibrationOfSyntheticPolicies has policies of known calibration. Probabilities are uniform
// on [0, 1]:
//
//	perfect        outcomes have the given probability: ECE 0, Brier E[p(1-p)] = 1/6, log loss 1/2
//	overconfident  they have 1/2 + (p - 1/2)/2: ECE E|p - 1/2|/2 = 1/8, Brier 1/4
//	one share      one half for all, with outcomes of uniform q: ECE 0, Brier 1/4
//
// The Brier score of the overconfident: E[(p-o)^2] = E[(p-q)^2 + q(1-q)] with q = 1/4 + p/2:
// (p-q)^2 = (p/2 - 1/4)^2, mean 1/48; q(1-q) = 1/4 - (p-1/2)^2/4, mean 1/4 - 1/48: 1/4 in all.
func TestCalibrationOfSyntheticPolicies(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 200_000
	var perfect, over, share reliability
	for range n {
		p := rng.Float64()
		perfect.add(p, rng.Float64() < p)
		over.add(p, rng.Float64() < 0.25+p/2)
		share.add(0.5, rng.Float64() < p)
	}
	for _, test := range []struct {
		name       string
		r          *reliability
		ece, brier float64
	}{{"perfect", &perfect, 0, 1. / 6}, {"overconfident", &over, 0.125, 0.25},
		{"one share", &share, 0, 0.25}} {
		c := test.r.calibration()
		// A bin of 10,000 has a standard error of at most 0.005; the mean of 20 absolute errors
		// is 0.8 of that.
		if math.Abs(float64(c.ECE)-test.ece) > 0.008 ||
			math.Abs(float64(c.Brier)-test.brier) > 0.004 {
			t.Errorf("%s: ECE %.4f, Brier %.4f; want %.4f, %.4f",
				test.name, float64(c.ECE), float64(c.Brier), test.ece, test.brier)
		}
	}
	if l := float64(perfect.calibration().LogLoss); math.Abs(l-0.5) > 0.005 {
		t.Errorf("perfect: log loss %.4f, want 0.5", l)
	}
}

// TestCalibrationOfStreams checks that calibrations of refetches agree with the log of a stream,
// for every policy with probabilities.
func TestCalibrationOfStreams(t *testing.T) {
	t.Parallel()
	told := 0
	for _, seed := range seeds(5) {
		rng := rand.New(rand.NewPCG(seed, 31))
		c, err := NewDataset(t.Context(), randomServers(rng),
			Options{Base: week * time.Duration(rng.IntN(3))})
		if err != nil {
			continue // no top page was alive
		}
		for _, policy := range policiesOf(seed) {
			r, log := logged(t, c, StreamOptions{Weeks: 3, Budget: 0.3, New: 0.25, Seed: seed},
				policy)
			var brier, sum, n float64
			for _, s := range log {
				if s.first || math.IsNaN(s.probability) {
					continue
				}
				if s.probability < 0 || s.probability > 1 {
					t.Errorf("%s: %v; %s", policy, s, repeat(t, seed))
				}
				outcome := 0.0
				if s.verdict == sitegraph.VerdictChanged {
					outcome = 1
				}
				brier += (s.probability - outcome) * (s.probability - outcome)
				sum += s.probability
				n++
			}
			if n == 0 {
				if r.Calibration != nil {
					t.Errorf("%s: %+v of no probability; %s",
						policy, r.Calibration, repeat(t, seed))
				}
				continue
			}
			told++
			wantInt(t, policy+": count", r.Calibration.Count, int(n))
			if !nearly(float64(r.Calibration.Brier), brier/n) ||
				!nearly(float64(r.Calibration.Probability), sum/n) {
				t.Errorf("%s: %+v, want Brier %v, mean %v; %s",
					policy, r.Calibration, brier/n, sum/n, repeat(t, seed))
			}
			binned := 0
			for _, b := range r.Calibration.Bins {
				binned += b.Count
				// The bounds of bins are rounded: 0.15 is 3/20 in one form and less in another.
				if p := float64(b.Probability); p < float64(b.Low)-1e-9 ||
					p > float64(b.High)+1e-9 {
					t.Errorf("%s: mean of a bin outside it: %+v", policy, b)
				}
			}
			wantInt(t, policy+": in bins", binned, int(n))
		}
	}
	if told == 0 {
		t.Error("no policy told a probability")
	}
}

// TestAskingChangesNothing checks that asking a policy about pages changes no visit, probability or
// value.
func TestAskingChangesNothing(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	for _, seed := range seeds(5) {
		rng := rand.New(rand.NewPCG(seed, 32))
		c, err := NewDataset(t.Context(), randomServers(rng), Options{Base: week})
		if err != nil {
			continue // no top page was alive
		}
		o := StreamOptions{Weeks: 4, Budget: 0.3, New: 0.25, Seed: seed}
		for _, policy := range policiesOf(seed) {
			c.askNothing = false
			r, log := logged(t, c, o, policy)
			if r.CalibrationUnvisited == nil {
				continue
			}
			asked[policy] = true
			if n := r.CalibrationUnvisited.Count; n == 0 || n > 4*pagesAWeek {
				t.Errorf("%s was asked about %d pages", policy, n)
			}
			c.askNothing = true
			if _, silent := logged(t, c, o, policy); visits(log) != visits(silent) {
				t.Errorf("%s makes other visits when asked; %s\n%s\nnot asked\n%s",
					policy, repeat(t, seed), visits(log), visits(silent))
			}
		}
	}
	if len(asked) == 0 {
		t.Error("no policy could be asked")
	}
}

package value

import (
	"math"
	"testing"
)

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]Objective{
		"": {}, "changes": {}, "freshness": {Freshness: 1}, "age": {Age: 1},
		"changes=2, age=0.5": {Changes: 2, Age: 0.5}, "changes=1": {Changes: 1},
		"freshness,age": {Freshness: 1, Age: 1},
	} {
		if got, err := ParseObjective(text); err != nil || got != want {
			t.Errorf("%q is %+v, want %+v (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{"speed", "changes=-1", "changes=x", "age=0", "age=NaN",
		"freshness=1e9", "changes=1,,"} {
		if got, err := ParseObjective(text); err == nil {
			t.Errorf("%q is taken for %+v", text, got)
		}
	}
}

// Each name of a variant has its objective, and no other policy has one.
func TestObjectiveOf(t *testing.T) {
	for _, name := range ForObjectives() {
		if o, ok := ObjectiveOf(name); !ok || (o == Objective{}) {
			t.Errorf("%s has the objective %+v", name, o)
		}
	}
	for _, name := range append(Ablations(), "value", "ebayes", "value-for-money") {
		if o, ok := ObjectiveOf(name); ok {
			t.Errorf("%s has the objective %+v", name, o)
		}
	}
}

// What more visits of a page take from the age of its copies is what ageShare says.
func TestAgeShareIsTheDerivative(t *testing.T) {
	const rate = 0.3
	age := func(visits float64) float64 { // summed over a day
		between := 1 / visits
		return visits * (between*between/2 - between/rate - math.Expm1(-rate*between)/(rate*rate))
	}
	for _, visits := range []float64{0.05, 0.2, 0.9, 1, 1.1, 5, 50} {
		step := visits * 1e-4
		want := (age(visits-step) - age(visits+step)) / (2 * step)
		between := 1 / visits
		got := between * between * float64(ageShare(float32(-math.Expm1(-rate*between))))
		if math.Abs(got-want) > 2e-2*want {
			t.Errorf("%g visits a day: %g, want %g", visits, got, want)
		}
	}
}

// By each objective an older copy and a likelier change are worth more.
func TestGainByObjective(t *testing.T) {
	for _, o := range []Objective{{Changes: 1}, {Freshness: 1}, {Age: 1},
		{Changes: 1, Freshness: 1, Age: 1}} {
		var v scorer
		v.cycle, v.Objective = 20, o
		if likely, unlikely := gainOf(&v, 0.4, 10, 1),
			gainOf(&v, 0.2, 10, 1); !(likely > unlikely && unlikely > 0) {
			t.Errorf("%+v: likely %g, unlikely %g", o, likely, unlikely)
		}
		if old, young := gainOf(&v, 0.4, 20, 1), gainOf(&v, 0.4, 10, 1); old < young ||
			o.Changes == 0 && old == young {
			t.Errorf("%+v: old %g, young %g", o, old, young)
		}
	}
}

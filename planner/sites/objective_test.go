package sites

import "testing"

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
	for _, name := range []string{"sites", "ebayes", "sites-without-tops", "sites-for-money"} {
		if o, ok := ObjectiveOf(name); ok {
			t.Errorf("%s has the objective %+v", name, o)
		}
	}
}

package preferences

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

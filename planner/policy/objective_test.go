package policy

import (
	"testing"

	"github.com/recrawl/recrawl/planner/preferences"
)

// Each name of a variant has its objective, and no other policy has one.
func TestObjectiveOf(t *testing.T) {
	for _, name := range ForObjectives() {
		if o, ok := ObjectiveOf(name); !ok || (o == preferences.Objective{}) {
			t.Errorf("%s has the objective %+v", name, o)
		}
	}
	for _, name := range []string{"sites", "ebayes", "sites-without-tops", "sites-for-money"} {
		if o, ok := ObjectiveOf(name); ok {
			t.Errorf("%s has the objective %+v", name, o)
		}
	}
}

package preferences_test

import (
	"testing"

	"github.com/recrawl/recrawl/planner/preferences"
)

func TestParseMaxAges(t *testing.T) {
	for _, text := range []string{"30", "0d", "-1d", "xd", "1e9d", "http://a.example/=",
		"http://a.example/=0s", "mailto:x=3d", "NaNd"} {
		if ages, err := preferences.ParseMaxAges([]string{text}); err == nil {
			t.Errorf("%q is taken for %+v", text, ages)
		}
	}
	if ages, err := preferences.ParseMaxAges(nil); ages != nil || err != nil {
		t.Errorf("nothing promised is %+v (%v)", ages, err)
	}
}

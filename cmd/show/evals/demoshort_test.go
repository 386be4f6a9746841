package evals

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/demo"
)

// The closing sentences say what was gained, also where the policy loses, and name only a report
// that was written.
func TestDemoClosing(t *testing.T) {
	r := &demo.Result{HTTP: demo.HTTPResult{Policy: "sites"}, Run: eval.StreamRun{Weeks: 1,
		Budget: 0.01, Corpus: eval.StreamTotals{BasePages: 100}, Results: []eval.StreamResult{
			{Policy: "random", Coverage: 0.1}, {Policy: "interval", Coverage: 0.3},
			{Policy: "ebayes", Coverage: 0.4}, {Policy: "sites", Coverage: 0.5},
			{Policy: "clairvoyant", Coverage: 1}}}}
	texts := DemoClosing(r, "demo.html")
	if want := "With 1 fetch a day for 100 pages, recrawl (policy sites) found 50.0 % of the changes; " +
		"fetches in random order would have found 10.0 %, and the best published policy here, " +
		"ebayes, 40.0 %."; len(texts) != 3 || texts[0] != want {
		t.Errorf("closing %q, want first %q", texts, want)
	}
	if !strings.HasPrefix(texts[1], "Open demo.html in a browser") {
		t.Errorf("what to open: %q", texts[1])
	}
	for _, none := range []string{"", "-"} {
		if got := DemoClosing(r, none)[1]; !strings.HasPrefix(got, "Type recrawl demo --open") {
			t.Errorf("without a report: %q", got)
		}
	}
	r.Run.Results[3].Coverage = 0.35
	if got := DemoClosing(r, "")[0]; !strings.Contains(got, "ebayes finds more, 40.0 %, since 1 "+
		"week of fetches tell sites too little: recrawl demo --full") {
		t.Errorf("where it loses: %q", got)
	}
}

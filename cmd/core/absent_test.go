package core_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEvalSaysWhatIsAbsent checks that evaluations on histories say that feeds, sitemaps or headers
// are missing, in text, report and JSON, if a policy takes part that uses them elsewhere.
func TestEvalSaysWhatIsAbsent(t *testing.T) {
	t.Parallel()
	dir := fourServers(t)
	const note, fixed = "Absent: histories have no feeds, no sitemaps and no headers such as " +
		"Last-Modified", "norconex is its fixed least interval"
	const rate = "ncis is greedy on the rate alone"
	for _, test := range []struct {
		protocol, policy string
		times            int // how often each output says so
	}{{"stream", "sites,interval", 1}, {"snapshot", "norconex,interval", 1},
		{"stream", "ncis,norconex", 1}, {"stream", "interval", 0}} {
		html := filepath.Join(t.TempDir(), "report.html")
		args := []string{"eval", dir, "--quiet", "--compare", "none", "--protocol", test.protocol,
			"--weeks", "3,4", "--policy", test.policy, "--html", html}
		text := recrawl(t, args...).ok(t).stdout
		for name, output := range map[string]string{"text": text, "report": readFile(t, html)} {
			if strings.Count(output, note) != test.times ||
				strings.Contains(output, fixed) != strings.Contains(test.policy, "norconex") ||
				strings.Contains(output, rate) != strings.Contains(test.policy, "ncis") {
				t.Errorf("%s of %s, want it said %d times:\n%s",
					name, test.policy, test.times, output)
			}
		}
		absent := []string(nil)
		if test.times > 0 {
			absent = []string{"feed", "sitemap", "last-modified"}
		}
		for _, run := range decode[[]struct{ Absent []string }](t,
			recrawl(t, append(args, "--json")...).ok(t), false) {
			if !slices.Equal(run.Absent, absent) {
				t.Errorf("%s: absent %q", test.policy, run.Absent)
			}
		}
	}
}

package robots

import (
	"strings"
	"testing"
)

// TestExplain checks that the first line with the longest pattern decides, in the crawler's own
// group or that of '*'.
func TestExplain(t *testing.T) {
	const file = "\ufeff# ours\r\nUser-agent: *\r\nDisallow: /no\rAllow: /no/but\nDisallow: " +
		"/no/but\n\nsitemap: http://a.example/s.xml\nnonsense here and there\n" +
		"User-agent: mybot/2\nDisallow: /*.pdf$\nDisallow: /x\nDisallow: " +
		"/x\nDisallow:\nCrawl-delay: 5\n"
	for _, c := range []struct {
		agent, group, target string
		allowed              bool
		line                 int
	}{
		{"other", "*", "/no/x", false, 3},
		{"other", "*", "/no/but/x", true, 4}, // allow wins on a tie
		{"other", "*", "/a.pdf", true, 0},
		{"other", "*", "/robots.txt", true, 0},
		{"MyBot", "mybot", "/no/x", true, 0},
		{"MyBot", "mybot", "/a.pdf", false, 10},
		{"MyBot", "mybot", "/x?y#z", false, 11}, // the first of two
	} {
		e := Explain([]byte(file), c.agent)
		allowed, by := e.Decide(c.target)
		line := 0
		if by != nil {
			line = by.Number
		}
		if e.Group != c.group || allowed != c.allowed || line != c.line ||
			allowed != e.Rules.Allowed(c.target) {
			t.Errorf("%s, %s: group %q, %v by line %d, want %q, %v, %d",
				c.agent, c.target, e.Group, allowed, line, c.group, c.allowed, c.line)
		}
	}
	var kinds []string
	for _, line := range Explain([]byte(file), "mybot").Lines {
		kind := string(line.Kind)
		if line.Counts {
			kind = strings.ToUpper(kind)
		}
		kinds = append(kinds, kind)
	}
	const want = "blank user-agent disallow allow disallow blank SITEMAP blank USER-AGENT " +
		"DISALLOW DISALLOW DISALLOW DISALLOW CRAWL-DELAY"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("lines are\n%s, want\n%s", got, want)
	}
	long := Explain([]byte(strings.Repeat("Disallow: /x\n", MaxBytes/13+2)), "a")
	if long.Group != "" || len(long.Lines) != MaxBytes/13 || long.Unread != 2*13 {
		t.Errorf("group %q, %d lines, %d octets unread", long.Group, len(long.Lines), long.Unread)
	}
}

package watch

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestNotFound checks a page without the watched text for a while: one report of that and no
// change, then one change from its last text to the next.
func TestNotFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ name, keys, blank string }{
			{"selector", "select: .price, ", ""},
			{"no text", "", " \n "},
			{"challenge", "", "challenge"},
			{"challenge with 403", "", "failed"},
		} {
			s := newStage(t, "rules:\n- {name: w, url: \""+page(1)+"\", "+c.keys+
				"to: [\"box://x\"]}")
			blank := func() error {
				if c.blank == "failed" {
					return s.sees(page(1), sitegraph.Observation{Outcome: sitegraph.OutcomeFailed,
						Watched: &sitegraph.Watched{Challenge: true}}, sitegraph.VerdictUnknown)
				}
				texts := []string{c.blank}
				return s.sees(page(1), sitegraph.Observation{Outcome: sitegraph.OutcomeFetched,
					Status: 200, Watched: &sitegraph.Watched{Title: "T", Texts: texts,
						Challenge: c.blank == "challenge"}}, sitegraph.VerdictChanged)
			}
			s.must(s.visit(page(1), "10 euros"))
			s.expect(c.name+": first visit", "")
			s.must(blank())
			s.expect(c.name+": nothing", "Title of /1 has nothing of what is watched")
			s.must(blank())
			s.expect(c.name+": still nothing", "")
			s.open()
			s.must(blank())
			s.expect(c.name+": in another process", "")
			s.must(s.visit(page(1), "10 euros"))
			s.expect(c.name+": as before", "")
			s.must(blank())
			s.expect(c.name+": now and then", "")
			s.must(s.visit(page(1), "12 euros"))
			s.must(s.pass(2 * time.Minute))
			if len(s.box.messages) != 1 || !strings.Contains(s.box.messages[0].Text(1000),
				"[-10-] {+12+} euros") {
				t.Errorf("%s: told %+v", c.name, s.box.messages)
			}
			s.expect(c.name+": another text", "Title of /1 changed")
			s.must(blank())
			s.expect(c.name+": nothing again", "Title of /1 has nothing of what is watched")
		}
	})
}

// TestNeverFound checks that a text which was never in a page is reported as missing, and later as
// found. Below a prefix that may be usual.
func TestNeverFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rule := "rules:\n- {name: w, url: \"" + page(1) + "\", select: .alert, appears: fire, " +
			"to: [\"box://x\"]}"
		s := newStage(t, rule)
		s.must(s.visit(page(1), ""))
		s.expect("nothing", page(1)+" has nothing of what is watched")
		s.must(s.visit(page(1), "fire in the hall"))
		s.expect("there it is",
			"example.com: what is watched is on 1 page, text appears on 1 page")
		s = newStage(t, rule)
		gone := sitegraph.Observation{Outcome: sitegraph.OutcomeGone, Status: 404}
		s.must(s.sees(page(1), gone, sitegraph.VerdictLeft))
		s.expect("not there", page(1)+" cannot be visited")
		s.open()
		s.must(s.visit(page(1), "calm"))
		s.expect("there it is after a 404", "Title of /1 has what is watched")
		s = newStage(t, strings.Replace(rule, "url: \""+page(1), "prefix: \""+example, 1))
		s.must(s.visit(page(1), ""), s.visit(page(2), "calm"))
		s.expect("pages of another kind", "")
	})
}

// TestShown checks that two webhooks of one server have different names, without their secrets.
func TestShown(t *testing.T) {
	f, err := parse([]byte("targets: {mine: \"box://secret@x\"}\nrules:\n- {name: w, url: \"" +
		page(1) + "\", to: [mine, \"https://user:key@h.example/secret1\", " +
		"\"https://h.example/secret2\", \"slack://secret\"]}"))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, text := range f.shown() {
		shown[text] = true
	}
	for _, want := range []string{"mine", "https://h.example/... (target 2)",
		"https://h.example/... (target 3)", "slack://..."} {
		if !shown[want] {
			t.Errorf("no %q in %v", want, shown)
		}
	}
}

package watch

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/sitegraph"
)

const lorem = "Widgets are made of wood and iron. They cost ten euros each, and come with a " +
	"guide that tells how to mount them on a wall."

// TestLifeOfAPage checks the events of a page: none for the first visit, then changes with their
// differences, failure after three visits, recovery, gone and back. Line ends are no change.
func TestLifeOfAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+"\", to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem))
		s.expect("first visit", "")
		s.must(s.visit(page(1), strings.ReplaceAll(lorem, ". ", ".\n")))
		s.expect("other lines", "")
		before := time.Now()
		s.must(s.visit(page(1), strings.Replace(lorem, "ten", "twelve", 1)))
		s.must(s.pass(2 * time.Minute))
		if len(s.box.messages) != 1 {
			t.Fatalf("%d messages of a change", len(s.box.messages))
		}
		text := s.box.messages[0].Text(1000)
		for _, want := range []string{"Title of /1", page(1), "[-ten-] {+twelve+}",
			"1 word removed, 1 added", before.UTC().Format("15:04:05")} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		s.expect("change", "Title of /1 changed")
		s.must(s.fail(page(1)), s.fail(page(1)))
		s.expect("two failures", "")
		s.must(s.fail(page(1)), s.fail(page(1)))
		s.expect("four failures", "Title of /1 cannot be visited")
		s.must(s.sees(page(1), sitegraph.Observation{Outcome: sitegraph.OutcomeNotModified},
			sitegraph.VerdictUnchanged))
		s.expect("not modified", "Title of /1 can be visited again")
		gone := sitegraph.Observation{Outcome: sitegraph.OutcomeGone, Status: 404}
		s.must(s.sees(page(1), gone, sitegraph.VerdictDoubted))
		s.expect("doubted", "")
		s.must(s.sees(page(1), gone, sitegraph.VerdictLeft),
			s.sees(page(1), gone, sitegraph.VerdictLeft))
		s.expect("gone", "Title of /1 is gone")
		s.must(s.visit(page(1), strings.Replace(lorem, "ten", "twelve", 1)))
		s.expect("back", "Title of /1 is back")
		s.must(s.sees(page(2), gone, sitegraph.VerdictLeft))
		s.expect("a link to nothing", "")
	})
}

// TestExpressions checks that only requested events are reported, and that expressions are reported
// when they begin or stop matching.
func TestExpressions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: stock, url: \""+page(1)+
			"\", appears: \"(?i)in stock: [0-9]+\", disappears: sold out, to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem+" sold out"))
		s.expect("first", "")
		s.must(s.visit(page(1), lorem+" sold out today"))
		s.expect("a change that no expression is of", "")
		s.must(s.visit(page(1), lorem+" In stock: 12"))
		s.must(s.pass(2 * time.Minute))
		if text := s.box.messages[0].Text(2000); !strings.Contains(text, "matches: In stock: 12") ||
			!strings.Contains(text, `"sold out" matches no longer`) {
			t.Errorf("the text is\n%s", text)
		}
		s.expect("both", "example.com: text appears on 1 page, text disappears from 1 page")
		s.must(s.visit(page(1), lorem+" In stock: 11"))
		s.expect("it still matches", "")

		// Another expression has its own baseline.
		s.rules = strings.Replace(s.rules, "sold out", "wood", 1)
		s.open()
		s.must(s.visit(page(1), lorem+" In stock: 11"))
		s.expect("a new expression", "")
		s.must(s.visit(page(1), "In stock: 11"))
		s.expect("it matches no longer", "Title of /1 has lost the text")

		// Another selection of text also begins anew.
		s.rules = strings.Replace(s.rules, "to:", "of: text, tell: changed, to:", 1)
		s.open()
		s.must(s.visit(page(1), "another part of the page"))
		s.expect("other texts", "")
		s.must(s.visit(page(1), "another part of it"))
		s.expect("a change of it", "Title of /1 changed")
	})
}

// TestTemplate checks that one change of many pages is one event. Further pages with it wait for a
// day, unless a page changes back and forth.
func TestTemplate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+"\", to: [\"box://x\"]}")
		text := func(i int, year string) string {
			return fmt.Sprintf("Page %d. %s Copyright %s.", i, lorem, year)
		}
		for i := range 150 {
			s.must(s.visit(page(i), text(i, "2025")))
		}
		s.expect("first visits", "")
		for i := range 142 {
			s.must(s.visit(page(i), text(i, "2026")))
			s.must(s.pass(10 * time.Second)) // politeness takes its time
		}
		s.must(s.visit(page(142), text(142, "2025")+" More."))
		s.expect("a new year",
			"example.com: 142 pages of /docs/ changed at once: template, 1 page changed")
		s.must(s.visit(page(143), text(143, "2026")))
		s.must(s.pass(23 * time.Hour))
		if got := s.told(); got != "" {
			t.Errorf("a page with a known difference was told at once: %s", got)
		}
		s.must(s.pass(2 * time.Hour))
		if got := s.told(); got != "Title of /143 changed" {
			t.Errorf("after a day: %q", got)
		}
		for _, year := range []string{"2027", "2026", "2027", "2026"} {
			s.must(s.visit(page(144), text(144, year)))
			s.expect("back and forth: "+year, "Title of /144 changed")
		}
	})
}

// TestNewPages checks which pages are new: those named later by visited pages, and those that new
// pages name.
func TestNewPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+
			"\", tell: new, to: [\"box://x\"]}")
		s.must(s.visit(page(0), lorem, page(1)), s.visit(page(1), lorem))
		s.expect("the site as it is found", "")
		s.must(s.visit(page(0), lorem+" More.", page(2)))
		s.expect("a link", "")
		s.open() // also over a restart
		s.must(s.visit(page(2), lorem, page(3)), s.visit(page(3), lorem))
		s.must(s.pass(2 * time.Minute))
		if text := s.box.messages[0].Text(2000); !strings.Contains(text, page(2)) ||
			!strings.Contains(text, "Widgets are made of wood") {
			t.Errorf("the text is\n%s", text)
		}
		s.expect("what it leads to", "example.com: 2 new pages")
	})
}

// TestExpected checks that an expected change is missed once, when its open hours are over and a
// visit saw none.
func TestExpected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // begins on a Saturday at 00:00 UTC
		s := newStage(t, "rules:\n- {name: news, url: \""+page(1)+
			"\", expect: 8h, hours: \"mon-fri 08:00-18:00 UTC\", to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem))
		s.must(s.pass(58 * time.Hour)) // Monday, 10:00
		s.must(s.visit(page(1), lorem))
		s.expect("two open hours", "")
		s.must(s.pass(8 * time.Hour)) // Monday, 18:00
		s.expect("nobody looked since", "")
		s.must(s.visit(page(1), lorem))
		s.must(s.pass(2 * time.Minute))
		if text := s.box.messages[0].Text(2000); !strings.Contains(text,
			"nothing has changed since 2000-01-01 00:00:00") {
			t.Errorf("the text is\n%s", text)
		}
		s.expect("missed", "example.com: an expected change did not come")
		s.must(s.visit(page(1), lorem))
		s.expect("told once", "")
		s.must(s.visit(page(1), lorem+" More."))
		s.expect("it came", "Title of /1 changed")
		s.must(s.pass(48*time.Hour), s.visit(page(1), lorem+" More."))
		s.expect("missed again", "example.com: an expected change did not come")
	})
}

// TestCrashes crashes the store at every operation. No event of a kept visit is lost, and none of
// another is reported. A message is repeated, with its ID, only if its delivery was not noted.
func TestCrashes(t *testing.T) {
	for crashAt := 1; ; crashAt++ {
		fired := false
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+
				"\", errors: 2, to: [\"box://x\"]}")
			s.must(s.visit(page(1), lorem), s.visit(page(2), lorem))
			s.disk.operations, s.disk.crashAt = 0, crashAt
			steps := []func() error{
				func() error { return s.visit(page(1), lorem+" One.") },
				func() error { return s.pass(3 * time.Minute) },
				func() error { return s.visit(page(2), lorem+" Two.") },
				func() error { return s.fail(page(1)) },
				func() error { return s.fail(page(1)) },
				func() error { return s.pass(3 * time.Minute) },
				func() error { return s.visit(page(1), lorem+" Three.") },
				func() error { return s.pass(3 * time.Minute) },
			}
			for i := 0; i < len(steps); i++ {
				err := steps[i]()
				if err == nil {
					continue
				}
				if !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				fired = true
				synctest.Wait()
				s.stop()
				s.disk.crash()
				s.open()
				i-- // repeat a visit that was not acknowledged
			}
			s.must(s.pass(3 * time.Minute))
			ids, subjects := map[string]int{}, map[string]int{}
			for _, m := range s.box.messages {
				ids[m.ID]++
				if ids[m.ID] > 1 {
					continue
				}
				for _, g := range m.Groups {
					subjects[g.Words] += g.Pages
				}
			}
			repeated := len(s.box.messages) - len(ids)
			if repeated > 1 || repeated > 0 && !fired {
				t.Errorf("crash at %d: %d messages under %d IDs",
					crashAt, len(s.box.messages), len(ids))
			}
			all := fmt.Sprint(subjects)
			want := map[string]bool{ // batches that a crash may split
				"map[1 page can be visited again:1 1 page cannot be visited:1 1 page changed:3]": true,
			}
			if !want[all] {
				t.Errorf("crash at %d: told %s", crashAt, all)
			}
			if _, waiting := s.Waiting(); waiting > 0 {
				t.Errorf("crash at %d: %d messages wait", crashAt, waiting)
			}
		})
		if !fired {
			if crashAt < 20 {
				t.Errorf("there were only %d operations", crashAt)
			}
			return
		}
	}
}

// TestClosedTarget checks a target that refuses messages: growing waits, one warning, and given up
// after a day. Once it accepts again, it gets all messages in order.
func TestClosedTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+"\", to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem), s.visit(page(2), lorem))
		s.box.closed = true
		s.must(s.visit(page(1), lorem+" One."), s.pass(2*time.Minute),
			s.visit(page(2), lorem+" Two."), s.pass(3*time.Hour))
		if s.box.asked > 40 || s.box.asked < 10 {
			t.Errorf("asked %d times in three hours", s.box.asked)
		}
		s.open()
		s.box.closed = false
		s.must(s.pass(2 * time.Hour))
		if got := s.told(); got != "Title of /1 changed\nTitle of /2 changed" {
			t.Errorf("told %q", got)
		}
		s.box.closed = true
		s.must(s.visit(page(1), lorem), s.pass(27*time.Hour))
		if _, waiting := s.Waiting(); waiting != 0 || len(s.warns) == 0 ||
			!strings.Contains(s.warns[len(s.warns)-1], "given up after a day") {
			t.Errorf("%d wait, warned %q", waiting, s.warns)
		}
		if strings.Contains(strings.Join(s.warns, " "), "box://x") {
			t.Errorf("an address is shown: %q", s.warns)
		}
	})
}

// TestEnd checks that End sends waiting events, and leaves the rest to the next process.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+"\", to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem), s.visit(page(1), lorem+" One."))
		s.must(s.End(time.Second, time.Now, s.disk, false))
		if got := s.told(); got != "" {
			t.Errorf("an interrupt told %q", got)
		}
		s.open()
		s.must(s.End(time.Second, time.Now, s.disk, true))
		if got := s.told(); got != "Title of /1 changed" {
			t.Errorf("the end told %q", got)
		}
	})
}

// TestFeed checks that package feeds can read the feed, that it has what RFC 4287 requires (4.1.1,
// 4.1.2), and that it is the same after a restart.
func TestFeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "docs.xml")
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: the docs & more, prefix: \""+example+"\", feed: "+file+
			"}")
		s.must(s.visit(page(1), lorem))
		for i := range mostEntries + 3 {
			s.must(s.visit(page(1), fmt.Sprintf("%s <b>%d</b> \x01 &amp;", lorem, i)),
				s.pass(2*time.Minute))
		}
		var out bytes.Buffer
		s.must(s.Feed("the docs & more", &out))
		if s.told() != "" {
			t.Error("something was delivered")
		}
		first := out.String()
		s.open()
		out.Reset()
		s.must(s.Feed("the docs & more", &out))
		if out.String() != first {
			t.Error("the feed is another one after a restart")
		}
		listing, err := feeds.Read(out.Bytes(), "application/atom+xml",
			"https://example.com/docs.xml")
		if err != nil || len(listing.Claims) != 1 || listing.Claims[0].URL != page(1) {
			t.Errorf("read as %+v, %v", listing, err)
		}
		var feed struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Author  string `xml:"author>name"`
			Entry   []struct {
				ID      string `xml:"id"`
				Title   string `xml:"title"`
				Updated string `xml:"updated"`
			} `xml:"entry"`
		}
		s.must(xml.Unmarshal(out.Bytes(), &feed))
		ids := map[string]bool{}
		for _, e := range feed.Entry {
			ids[e.ID] = true
			if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.Title == "" {
				t.Errorf("entry %+v: %v", e, err)
			}
		}
		if len(ids) != mostEntries || feed.ID == "" || feed.Title == "" || feed.Author == "" ||
			feed.Updated != feed.Entry[0].Updated {
			t.Errorf("%d entries of the feed %q, %q", len(ids), feed.ID, feed.Title)
		}
	})
}

// TestKeptWithoutAddresses checks that the store contains no URL of a target.
func TestKeptWithoutAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+
			"\", to: [\"box://geheimnis@x\"]}")
		s.box.closed = true
		s.must(s.visit(page(1), lorem), s.visit(page(1), lorem+" One."), s.pass(5*time.Minute))
		if _, waiting := s.Waiting(); waiting != 1 {
			t.Errorf("%d messages wait", waiting)
		}
		for name, value := range s.disk.committed {
			if strings.Contains(name+string(value), "geheim") {
				t.Errorf("%s: %s", name, value)
			}
		}
	})
}

// TestFiltered checks that a page rejected by a filter is no event.
func TestFiltered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, "rules:\n- {name: docs, prefix: \""+example+"\", to: [\"box://x\"]}")
		s.must(s.visit(page(1), lorem))
		s.must(s.sees(page(1), sitegraph.Observation{Outcome: sitegraph.OutcomeExcluded,
			Filter: "spam"}, sitegraph.VerdictLeft))
		s.expect("rejected", "")
	})
}

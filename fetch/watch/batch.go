package watch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// batchKey names the events that are reported together.
type batchKey struct{ rule, site string }

// batch holds events that wait.
type batch struct {
	numbers []int // numbers of the events
	// first and last are the times of the first and last event that need not wait for others; zero:
	// none. held is the time of the first event that must wait.
	first, last, held time.Time
}

const (
	mostEvents = 10_000 // waiting events
	// templatePages is the number of pages with the same difference that become one event: two may
	// be a coincidence.
	templatePages = 3
	// heldFor is how long pages wait if their difference was already reported for others.
	heldFor = 24 * time.Hour
)

// add queues an event.
func (w *Watch) add(e Event) {
	if len(w.events.values) >= mostEvents {
		w.stateOf(e.Rule).Lost++
		return
	}
	w.join(w.events.add(&e), &e)
}

func (w *Watch) join(number int, e *Event) {
	key := batchKey{e.Rule, site(e.URL)}
	b := w.batches[key]
	if b == nil {
		b = new(batch)
		w.batches[key] = b
	}
	b.numbers = append(b.numbers, number)
	if w.wasTold(key, e) {
		b.held = earliest(b.held, e.Time)
		return
	}
	b.first = earliest(b.first, e.Time)
	if e.Time.After(b.last) {
		b.last = e.Time
	}
}

func earliest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// wasTold reports whether the difference of a page was reported for another one lately.
func (w *Watch) wasTold(key batchKey, e *Event) bool {
	return e.Kind == KindChanged && slices.ContainsFunc(w.told, func(t toldDifference) bool {
		return t.Same == e.Same && t.Rule == key.rule && t.Site == key.site && t.URL != e.URL &&
			e.Time.Sub(t.Time) < toldFor
	})
}

// due reports whether a batch must be sent now.
func (b *batch) due(r *Rule, now time.Time) bool {
	if !b.first.IsZero() {
		return now.Sub(b.last) >= r.Quiet.of() || now.Sub(b.first) >= r.Most.of()
	}
	return now.Sub(b.held) >= heldFor
}

// flush makes messages of the batches that are due, or of all.
func (w *Watch) flush(now time.Time, all bool) {
	keys := make([]batchKey, 0, len(w.batches))
	for key := range w.batches {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b batchKey) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.site, b.site))
	})
	for _, key := range keys {
		r, b := w.rule(key.rule), w.batches[key]
		if !all && !b.due(r, now) || len(w.outbox.values) >= mostMessages {
			continue
		}
		events := make([]*Event, 0, len(b.numbers))
		for _, n := range b.numbers {
			events = append(events, w.events.values[n])
			w.events.remove(n)
		}
		delete(w.batches, key)
		m := w.message(key, events, now)
		w.enqueue(r, m)
		w.remember(key, events, now)
	}
}

// remember notes which differences were reported.
func (w *Watch) remember(key batchKey, events []*Event, now time.Time) {
	w.told = slices.DeleteFunc(w.told, func(t toldDifference) bool {
		return now.Sub(t.Time) >= toldFor
	})
	for _, e := range events {
		if e.Kind != KindChanged {
			continue
		}
		i := slices.IndexFunc(w.told, func(t toldDifference) bool {
			return t.Rule == key.rule && t.Site == key.site && t.Same == e.Same
		})
		switch {
		case i < 0:
			w.told = append(w.told, toldDifference{key.rule, key.site, e.Same, e.URL, now})
		case w.told[i].URL != e.URL:
			w.told[i].URL = ""
		}
	}
	w.told = w.told[max(len(w.told)-mostTold, 0):]
	w.retold = true
}

// groupsOf groups events of one kind with the same difference or reason. Events without room are
// counted in lost.
func groupsOf(events []*Event) (groups []*Group, lost int) {
	room := mostNames
	of := map[string][]*Event{}
	var order []string
	for _, e := range events {
		key := e.Kind + "\n" + e.Same
		if of[key] == nil {
			order = append(order, key)
		}
		of[key] = append(of[key], e)
	}
	loose := map[string]*Group{}
	for _, key := range order {
		same := of[key]
		if len(groups) >= mostGroups {
			lost += len(same)
			continue
		}
		first := same[0]
		if first.Same != "" && len(same) >= templatePages {
			g := &Group{Kind: first.Kind, Same: true, Difference: first.Difference}
			if first.Kind != KindChanged {
				g.Detail = first.Detail
			}
			for _, e := range same {
				g.add(e, false, &room)
			}
			groups = append(groups, g)
			continue
		}
		for _, e := range same {
			g := loose[e.Kind]
			if g == nil {
				g = &Group{Kind: e.Kind}
				loose[e.Kind] = g
				groups = append(groups, g)
			}
			g.add(e, true, &room)
		}
	}
	return groups, lost
}

// add adds a page; whole adds its difference and detail. room is how many pages may still be named.
func (g *Group) add(e *Event, whole bool, room *int) {
	g.Pages++
	if g.dirs == "" {
		g.dirs = directoryOf(e.URL)
	}
	g.dirs = common(g.dirs, directoryOf(e.URL))
	if *room <= 0 || len(g.Items) >= mostItems {
		return
	}
	*room--
	item := Item{URL: e.URL, Title: e.Title, Dated: e.Dated, Time: e.Time, Before: e.Before}
	if whole {
		item.Detail = e.Detail
		if len(g.Items) < mostDifferences {
			item.Difference = e.Difference
		}
	}
	g.Items = append(g.Items, item)
}

// directoryOf returns the path of a URL up to its last slash.
func directoryOf(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	return "/" + path[:strings.LastIndexByte(path, '/')+1]
}

// common returns the longest directory that contains both.
func common(a, b string) string {
	for !strings.HasPrefix(b, a) {
		a = a[:strings.LastIndexByte(a[:len(a)-1], '/')+1]
	}
	return a
}

// words describes the event of a group in a few words.
func (g *Group) words() string {
	pages := words.Plural(g.Pages, "page")
	if g.Same && g.dirs != "/" {
		pages += " of " + g.dirs
	}
	switch g.Kind {
	case KindChanged:
		if g.Same {
			return pages + " changed at once: template"
		}
		return pages + " changed"
	case KindGone:
		return pages + " gone"
	case KindBack:
		return pages + " back"
	case KindNew:
		return words.Plural(g.Pages, "new page")
	case KindAppears:
		return "text appears on " + pages
	case KindDisappears:
		return "text disappears from " + pages
	case KindFailing:
		return fmt.Sprintf("%s cannot be visited", pages)
	case KindWorking:
		return pages + " can be visited again"
	case KindNotFound:
		return "nothing of what is watched is on " + pages
	case KindFound:
		return "what is watched is on " + pages
	case KindMissing:
		return "an expected change did not come"
	}
	return pages + ": " + g.Kind
}

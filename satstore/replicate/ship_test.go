package replicate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

// memory is a Remote. Its calls fail before or after they take effect.
type memory struct {
	rng    *rand.Rand // nil: nothing fails
	parts  []string
	number []uint64
	next   uint64
	bases  map[string][]byte
	gets   int    // copies that Get returned
	reads  func() // called before a Read
}

var errLost = errors.New("no answer")

func (m *memory) lost() bool { return m.rng != nil && m.rng.IntN(6) == 0 }

func (m *memory) last() uint64 {
	if len(m.number) == 0 {
		return 0
	}
	return m.number[len(m.number)-1]
}

func (m *memory) Append(_ context.Context, part []byte, after uint64) (uint64, bool, error) {
	if m.lost() {
		return 0, false, errLost
	}
	if m.last() != after {
		return 0, false, nil
	}
	m.next += 3 // parts of other stores lie in between
	m.parts, m.number = append(m.parts, string(part)), append(m.number, m.next)
	if m.lost() {
		return 0, false, errLost
	}
	return m.next, true, nil
}

func (m *memory) Last(context.Context) (uint64, []byte, error) {
	if n := len(m.parts); n > 0 {
		return m.number[n-1], []byte(m.parts[n-1]), nil
	}
	return 0, nil, nil
}

func (m *memory) Read(_ context.Context, after uint64, each func(uint64, []byte) error) error {
	if m.reads != nil {
		m.reads()
	}
	for i, n := range m.number {
		if n > after {
			if err := each(n, []byte(m.parts[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Drop(_ context.Context, upTo uint64) error {
	for len(m.number) > 0 && m.number[0] < upTo {
		m.parts, m.number = m.parts[1:], m.number[1:]
	}
	return nil
}

// since returns the length of the log after a part.
func (m *memory) since(after uint64) (s Sent) {
	for i, n := range m.number {
		if n > after {
			s.add([]byte(m.parts[i]))
		}
	}
	return s
}

func (m *memory) Put(_ context.Context, name string, from io.Reader) error {
	b, err := io.ReadAll(from)
	if m.bases == nil {
		m.bases = map[string][]byte{}
	}
	m.bases[name] = b
	return err
}

func (m *memory) Get(_ context.Context, name string) (io.ReadCloser, error) {
	m.gets++
	b, ok := m.bases[name]
	if !ok {
		return nil, errors.New("there is no such copy")
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// content is what a store must hold.
type content struct {
	records  []sitegraph.Record
	links    map[sitegraph.PageID]string
	settings map[string]string
	messages map[sitegraph.PageID]string
}

func (c content) clone() content {
	d := content{slices.Clone(c.records), map[sitegraph.PageID]string{}, map[string]string{},
		maps.Clone(c.messages)}
	for k, v := range c.links {
		d.links[k] = v
	}
	for k, v := range c.settings {
		d.settings[k] = v
	}
	return d
}

// differs returns the first difference of a store from the content.
func (c content) differs(s *satstore.Store) string {
	if s.Pages() != len(c.records) {
		return fmt.Sprintf("%d pages, want %d", s.Pages(), len(c.records))
	}
	for i, want := range c.records {
		var r sitegraph.Record
		if err := s.Load(sitegraph.PageID(i), &r); err != nil || r != want {
			return fmt.Sprintf("page %d: %+v, %v, want %+v", i, r, err, want)
		}
		links, frames, err := s.Links(sitegraph.PageID(i))
		if got := fmt.Sprint(links, frames); err != nil || c.links[sitegraph.PageID(i)] != "" &&
			got != c.links[sitegraph.PageID(i)] {
			return fmt.Sprintf("links of page %d: %s, %v, want %s",
				i, got, err, c.links[sitegraph.PageID(i)])
		}
	}
	for p, want := range c.messages {
		messages, err := s.Messages(p)
		if got := string(bytes.Join(messages, nil)); err != nil || got != want {
			return fmt.Sprintf("messages to page %d: %s, %v, want %s", p, got, err, want)
		}
	}
	for name, want := range c.settings {
		if v, _, err := s.Setting(name); err != nil || string(v) != want {
			return fmt.Sprintf("setting %s: %q, %v, want %q", name, v, err, want)
		}
	}
	return ""
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// change makes a random transaction and does not commit it.
func change(rng *rand.Rand, s *Store, c *content, step int) error {
	for range 1 + rng.IntN(6) {
		p := sitegraph.PageID(rng.IntN(len(c.records) + 1))
		r := sitegraph.Record{Page: p, URL: fmt.Sprintf("http://h.example/%d", p),
			State: sitegraph.StateAlive, Status: 200 + step,
			Due: start.Add(time.Duration(rng.IntN(3000)) * time.Hour)}
		var err error
		if int(p) == len(c.records) {
			c.records = append(c.records, r)
			err = s.Add(&r)
		} else {
			c.records[p] = r
			if rng.IntN(2) == 0 {
				err = s.Answered(p, 100)
				c.messages[p] = ""
			}
			err = errors.Join(err, s.Save(&r))
		}
		if rng.IntN(2) == 0 {
			text := fmt.Sprintf("<%d>", step)
			c.messages[p] += text
			err = errors.Join(err, s.Message(p, []byte(text)))
		}
		links := []sitegraph.PageID{0, p}[rng.IntN(2):]
		c.links[p] = fmt.Sprint(links, links[:1])
		name, value := fmt.Sprint("s", rng.IntN(4)), fmt.Sprint(step)
		if rng.IntN(30) == 0 { // longer than a part
			value += string(make([]byte, PartBytes+rng.IntN(PartBytes)))
		}
		c.settings[name] = value
		if err = errors.Join(err, s.SaveLinks(p, links, links[:1]), s.SaveStart(p),
			s.SaveSetting(name, []byte(value))); err != nil {
			return err
		}
	}
	return nil
}

// A store moves from node to node. Its processes crash at any moment, and calls of its log fail. It
// has every acknowledged transaction, and at most one more: the transaction in progress.
func TestMoves(t *testing.T) {
	t.Parallel()
	seeds := uint64(3)
	if os.Getenv("RECRAWL_LONG") != "" {
		seeds = 300
	}
	for seed := uint64(1); seed <= seeds; seed++ {
		moves(t, seed)
	}
}

func moves(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	m := &memory{rng: rng}
	root := t.TempDir()
	var base Base
	acked := content{links: map[sitegraph.PageID]string{}, settings: map[string]string{},
		messages: map[sitegraph.PageID]string{}}
	under := acked // with the transaction that may be there or not
	var stale *Store
	staleAt := 0
	for tenure := range 10 {
		k := rng.IntN(3)
		if stale != nil && k == staleAt { // that process still has it open
			k = (k + 1) % 3
		}
		dir := filepath.Join(root, fmt.Sprint(k))
		ctx, cancel := context.WithCancel(t.Context())
		var mark Mark
		var updated Updated
		if base.Name != "" {
			var err error
			if mark, err = Take(ctx, m); err != nil {
				t.Fatal(err)
			}
			if updated, err = Update(ctx, dir, base, m); err != nil {
				t.Fatalf("seed %d, tenure %d: %v", seed, tenure, err)
			}
			if got, want := updated.Sent.Since(base.Sent), m.since(base.After()); got != want {
				t.Fatalf("seed %d, tenure %d: the log is %+v long, said to be %+v",
					seed, tenure, want, got)
			}
		}
		opened, err := satstore.Open(dir, satstore.Options{Now: start})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "journal", fmt.Sprint(tenure)),
			0o755); err != nil {
			t.Fatal(err)
		}
		if a, b := acked.differs(opened), under.differs(opened); a != "" && b != "" {
			t.Fatalf("seed %d, tenure %d: %s; with what was under way %s", seed, tenure, a, b)
		} else if a != "" {
			acked = under
		}
		s := New(ctx, opened)
		rebase := func(k int) {
			copied := filepath.Join(root, "copy")
			next, err := s.Base(copied)
			if err != nil {
				t.Fatal(err)
			}
			next.Name = fmt.Sprint(tenure, "-", k)
			if base, err = Keep(ctx, m, copied, next); err != nil || base.Bytes == 0 {
				t.Fatal(base, err)
			}
			m.Drop(ctx, base.After())
			os.RemoveAll(copied)
		}
		if base.Name == "" {
			if err := s.Begin(m); err != nil {
				t.Fatal(err)
			}
			rebase(0)
		} else {
			s.Resume(m, mark, updated)
		}
		if stale != nil { // the previous process, which had paused, goes on
			if err := errors.Join(stale.SaveSetting("stale", nil), stale.Commit()); !errors.Is(err,
				ErrTaken) {
				t.Fatalf("seed %d: a process that lost its store commits: %v", seed, err)
			}
			stale.store.Close()
			stale = nil
		}
		for k := range rng.IntN(12) {
			under = acked.clone()
			if err := change(rng, s, &under, k); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(12) == 0 { // killed within the transaction, or before its answer
				cancel()
				if s.Commit() == nil {
					acked = under
				}
				break
			}
			if err := s.Commit(); err != nil {
				t.Fatal(err)
			}
			acked = under
			if rng.IntN(6) == 0 {
				rebase(k + 1)
			}
		}
		if rng.IntN(4) == 0 && ctx.Err() == nil {
			stale, staleAt = s, k // still open
			defer cancel()
			continue
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	if stale != nil {
		stale.store.Close()
	}
}

// begun returns a store with a log and a base in the log.
func begun(t *testing.T, m *memory) (s *Store, base Base) {
	t.Helper()
	opened, err := satstore.Open(filepath.Join(t.TempDir(), "here"), satstore.Options{Now: start})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { opened.Close() })
	s = New(t.Context(), opened)
	if err := s.Begin(m); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if base, err = s.Base(copied); err != nil {
		t.Fatal(err)
	}
	base.Name = "base"
	if base, err = Keep(t.Context(), m, copied, base); err != nil {
		t.Fatal(err)
	}
	return s, base
}

func page(n int) *sitegraph.Record {
	return &sitegraph.Record{Page: sitegraph.PageID(n), URL: fmt.Sprintf("http://h.example/%d", n),
		State: sitegraph.StateAlive, Due: start.Add(time.Hour)}
}

// lose returns a log without the parts after a number. Parts appended later get the same numbers
// again.
func (m *memory) lose(after uint64) *memory {
	l := &memory{bases: m.bases, next: after}
	for i, n := range m.number {
		if n <= after {
			l.parts, l.number = append(l.parts, m.parts[i]), append(l.number, n)
		}
	}
	return l
}

// goOn lets another node take the store over, from base and log, and commit some pages there.
func (m *memory) goOn(t *testing.T, base Base, pages int) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "other")
	mark, err := Take(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	u, err := Update(t.Context(), dir, base, m)
	if err != nil || u.Anew || u.Aside {
		t.Fatalf("%+v, %v", u, err)
	}
	opened, err := satstore.Open(dir, satstore.Options{Now: start})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s := New(t.Context(), opened)
	s.Resume(m, mark, u)
	for range pages {
		r := page(opened.Pages())
		r.Status = 418
		if err := errors.Join(s.Add(r), s.Commit()); err != nil {
			t.Fatal(err)
		}
	}
}

// A log loses its end, or all its parts. The store of a node counts until another node continues
// the log; after that, the log counts. This holds if the log has fewer parts than the store, as
// many or more, under the same numbers. Changes that only the store has are set aside.
func TestLost(t *testing.T) {
	t.Parallel()
	const committed = 6
	for _, test := range []struct {
		lose, others int // lost parts; pages that another node then commits
		want         string
	}{
		{0, 0, "follows"}, {0, 2, "follows"}, {1, 0, "anew"}, {4, 0, "anew"},
		{committed, 0, "anew"},
		{4, 1, "aside"}, {4, 2, "aside"}, {4, 3, "aside"}, {4, 4, "aside"}, {4, 9, "aside"},
		{1, 5, "aside"}, {committed, 8, "aside"},
		{committed + 1, 0, "anew"}, // begins again, with the mark at the end of the base
	} {
		t.Run(fmt.Sprintf("lost=%d,others=%d", test.lose, test.others), func(t *testing.T) {
			m := &memory{}
			s, base := begun(t, m)
			for i := range committed {
				if err := errors.Join(s.Add(page(i)), s.Commit()); err != nil {
					t.Fatal(err)
				}
			}
			there := filepath.Join(t.TempDir(), "there")
			if _, err := Update(t.Context(), there, base, m); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(there, "journal"), 0o755); err != nil {
				t.Fatal(err)
			}
			lost := m.lose(m.last() - 3*uint64(test.lose))
			if test.others > 0 {
				lost.goOn(t, base, test.others)
			}
			if _, err := Take(t.Context(), lost); err != nil {
				t.Fatal(err)
			}
			u, err := Update(t.Context(), there, base, lost)
			got := "follows"
			if u.Anew {
				got = "anew"
			}
			if u.Aside {
				got += ", aside"
			}
			if got = strings.TrimPrefix(got, "follows, "); err != nil || got != test.want {
				t.Fatalf("%s, %v, want %s", got, err, test.want)
			}
			pages, others := count(t, there)
			if want := map[string][2]int{"follows": {committed, test.others},
				"anew":  {committed, 0},
				"aside": {committed - test.lose, test.others}}[test.want]; pages != want[0] ||
				others != want[1] {
				t.Errorf("%d pages, and %d of others, want %v", pages, others, want)
			}
			if _, err := os.Stat(filepath.Join(there, "journal")); err != nil {
				t.Error(err)
			}
			if test.want == "aside" {
				if pages, others := count(t, there+Aside); pages != committed || others != 0 {
					t.Errorf("%d pages were set aside, and %d of others, want %d",
						pages, others, committed)
				}
			}
		})
	}
}

// count returns how many pages a store has, and how many of them goOn made.
func count(t *testing.T, dir string) (pages, others int) {
	t.Helper()
	s, err := satstore.Open(dir, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range s.Pages() {
		var r sitegraph.Record
		if err := s.Load(sitegraph.PageID(i), &r); err != nil {
			t.Fatal(err)
		}
		if r.Status == 418 {
			others++
		} else {
			pages++
		}
	}
	return pages, others
}

// A log lost everything, and has then grown beyond its base with commits of other stores of its
// stream. Such a log does not count as one that continues after the base.
func TestLostBelow(t *testing.T) {
	m := &memory{}
	s, base := begun(t, m)
	if err := errors.Join(s.Add(page(0)), s.Commit()); err != nil {
		t.Fatal(err)
	}
	lost := m.lose(0)
	lost.next = base.After() + 30
	mark, err := Take(t.Context(), lost)
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(t.TempDir(), "there")
	if u, err := Update(t.Context(), there, base, lost); err != nil || !u.Anew ||
		mark.Number <= base.After() {
		t.Errorf("%+v, %v", u, err)
	}
	if err := errors.Join(s.Begin(lost), s.Add(page(1)), s.Commit()); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	next, err := s.Base(copied)
	if err == nil {
		next.Name = "next"
		next, err = Keep(t.Context(), lost, copied, next)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The base of the new log has everything from the store of the old log.
	if done, err := Discard(t.Context(), there, next, lost); err != nil || !done {
		t.Error(done, err)
	}
	for name, want := range map[string]bool{there: true, there + Aside: false} {
		if _, err := os.Stat(name); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Discard removes only a store whose content others have. A store with more content is kept until
// others have continued without it; then it is set aside.
func TestDiscard(t *testing.T) {
	m := &memory{}
	s, base := begun(t, m)
	there := filepath.Join(t.TempDir(), "there")
	for i := range 3 {
		if err := errors.Join(s.Add(page(i)), s.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	update := func() {
		if _, err := Update(t.Context(), there, base, m); err != nil {
			t.Fatal(err)
		}
	}
	update()
	lost := m.lose(m.last() - 3)
	if done, err := Discard(t.Context(), there, base, lost); err != nil || done {
		t.Errorf("one that is ahead: %v, %v", done, err)
	}
	if pages, _ := count(t, there); pages != 3 {
		t.Errorf("%d pages are left", pages)
	}
	lost.goOn(t, base, 2)
	if done, err := Discard(t.Context(), there, base, lost); err != nil || !done {
		t.Errorf("one that is apart: %v, %v", done, err)
	}
	if pages, _ := count(t, there+Aside); pages != 3 {
		t.Errorf("%d pages were set aside", pages)
	}
	if err := os.RemoveAll(there + Aside); err != nil {
		t.Fatal(err)
	}
	update()
	if done, err := Discard(t.Context(), there, base, m); err != nil || !done {
		t.Errorf("one that the log has: %v, %v", done, err)
	}
	if _, err := os.Stat(there + Aside); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was set aside: %v", err)
	}
	fresh, err := satstore.Open(there, satstore.Options{Now: start}) // never had a log
	if err == nil {
		err = errors.Join(fresh.Add(page(0)), fresh.Commit(), fresh.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if done, err := Discard(t.Context(), there, base, m); err != nil || !done {
		t.Errorf("one of its own: %v, %v", done, err)
	}
	if pages, _ := count(t, there+Aside); pages != 1 {
		t.Errorf("%d pages of it were set aside", pages)
	}
}

// A history knows the content of each part, and it is bounded.
func TestHistory(t *testing.T) {
	var h history
	for _, part := range []struct{ writer, number uint64 }{{1, 10}, {1, 13}, {2, 14}, {3, 15},
		{3, 19}} {
		h = h.add(part.writer, part.number)
	}
	for number, want := range map[uint64]map[uint64]bool{9: {}, 10: {1: true}, 13: {1: true},
		14: {}, 15: {3: true}, 19: {3: true}, 20: {}} {
		for writer := range uint64(5) {
			if got := h.has(writer, number); got != want[writer] {
				t.Errorf("part %d of writer %d: %v", number, writer, got)
			}
		}
	}
	for i := range uint64(3 * mostStretches) {
		h = h.add(100+i, 100+2*i).add(100+i, 101+2*i)
	}
	if len(h) != mostStretches ||
		h.end() != (stretch{99 + 3*mostStretches, 98 + 6*mostStretches, 99 + 6*mostStretches}) {
		t.Errorf("%d stretches, the last %+v", len(h), h.end())
	}
}

// A node that took a log over, could not open the store and changed nothing has no content that the
// other nodes lack.
func TestMarkAlone(t *testing.T) {
	both := history{}.add(1, 10).add(1, 13)
	marked := both.add(2, 14)
	base := Base{History: marked.add(3, 15).add(3, 19)}
	for _, c := range []struct {
		of   history
		want standing
	}{{both, behind}, {marked, behind}, {marked.add(2, 15), apart}, {both.add(4, 14), behind}} {
		got, err := base.stands(t.Context(), &memory{}, c.of, 5)
		if err != nil || got != c.want {
			t.Errorf("a store with %+v stands %d to a copy with %+v, want %d: %v",
				c.of, got, base.History, c.want, err)
		}
	}
}

// refusing takes only a little of each part.
type refusing struct{ memory }

func (*refusing) Put(_ context.Context, _ string, from io.Reader) error {
	if _, err := from.Read(make([]byte, 1)); err != nil {
		return err
	}
	return errLost
}

// If a Remote refuses a copy, nothing more of the copy is sent, and no goroutine goes on. The race
// detector finds those that do.
func TestRefusing(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, 4<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := Keep(t.Context(), &refusing{}, dir, Base{Name: "x"}); !errors.Is(err, errLost) ||
		b.Bytes >= 4<<20 {
		t.Errorf("%+v, %v", b, err)
	}
}

// The log also has the records that a moved clock makes due.
func TestAdvance(t *testing.T) {
	m := &memory{}
	s, base := begun(t, m)
	later := start.Add(48 * time.Hour)
	err := errors.Join(s.Add(page(0)), s.Commit(),
		s.Advance(start.Add(2*time.Hour), func(r *sitegraph.Record) { r.Due = later }), s.Commit())
	if err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(t.TempDir(), "there")
	if _, err := Update(t.Context(), there, base, m); err != nil {
		t.Fatal(err)
	}
	copied, err := satstore.Open(there, satstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	var r sitegraph.Record
	if err := copied.Load(0, &r); err != nil || !r.Due.Equal(later) {
		t.Errorf("due %v, %v, want %v", r.Due, err, later)
	}
}

// A dropped log, a log with lost parts, a damaged log and a truncated copy each give an error. None
// is taken for a whole store.
func TestRefused(t *testing.T) {
	m := &memory{}
	s, base := begun(t, m)
	for i := range 3 {
		if err := errors.Join(s.Add(page(i)), s.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	dir := func() string { return filepath.Join(t.TempDir(), "there") }
	reads := 0
	m.reads = func() {
		if reads++; reads == 2 { // the first checks that the log has the end of the copy
			m.Drop(t.Context(), m.number[2])
		}
	}
	if _, err := Update(t.Context(), dir(), base, m); !errors.Is(err, ErrGap) {
		t.Errorf("a log that was dropped: %v", err)
	}
	m.gets, m.reads = 0, nil
	s, base = begun(t, m)
	if err := errors.Join(s.Add(page(0)), s.Commit()); err != nil {
		t.Fatal(err)
	}
	there := dir()
	for i := range 2 { // the second time all is there
		if u, err := Update(t.Context(), there, base, m); err != nil || m.gets != 1 ||
			u.Sent.Since(base.Sent) != m.since(base.After()) {
			t.Errorf("update %d: %+v, %v, %d copies were got", i, u, err, m.gets)
		}
	}
	there = dir()
	damaged := *m // together with the copy
	damaged.parts = slices.Clone(m.parts)
	last := len(damaged.parts) - 1
	damaged.parts[last] = damaged.parts[last][:len(damaged.parts[last])-3]
	if _, err := Update(t.Context(), dir(), base, &damaged); !errors.Is(err, errChange) {
		t.Errorf("a damaged log: %v", err)
	}
	short := *m
	short.bases = map[string][]byte{"base": m.bases["base"][:len(m.bases["base"])/2]}
	if _, err := Update(t.Context(), dir(), base, &short); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a copy that is cut off: %v", err)
	}
	if _, err := Update(t.Context(), there, base, m); err != nil {
		t.Fatal(err)
	}
	without := *m
	without.bases = nil
	if _, err := Update(t.Context(), there, base, &without); err != nil {
		t.Errorf("without a copy, where none is needed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(there, "FORMAT"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	before := m.gets
	if u, err := Update(t.Context(), there, base, m); err != nil || m.gets == before {
		t.Errorf("a damaged store: %+v, %v", u, err)
	}
}

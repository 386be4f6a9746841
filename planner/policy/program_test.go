package policy_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/simtest"
	"github.com/recrawl/recrawl/sitegraph"
)

// message is a message as the program reads it, in either form.
type message struct {
	Round    struct{ Number, Start, End, Budget int64 }
	Want     int
	Pages    []page
	Out      []int
	Outcomes []struct {
		Page    int
		Verdict string
		At      int64
	}
}

type page struct {
	Page                                 int
	URL                                  string
	Server, Site, Depth, Visits, Changes int
	Errors, Claimed                      int
	First, Last, Stable, Shortest        float64
	Change                               float64 `json:"last_change"`
	Weight, Tie                          float64
}

// readColumns reads the binary form, as documented.
func readColumns(t *testing.T, b []byte) (m message) {
	t.Helper()
	integer := func() int {
		n := int32(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return int(n)
	}
	float := func() float64 {
		x := math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
		return x
	}
	var head [8]int
	for i := range head {
		head[i] = integer()
	}
	m.Round.Number, m.Round.Budget, m.Want = int64(head[0]), int64(head[1]), head[2]
	m.Round.Start, m.Round.End = int64(float()), int64(float())
	m.Pages = make([]page, head[3])
	m.Out = make([]int, head[4])
	column := func(of func(p *page) *int) {
		for i := range m.Pages {
			*of(&m.Pages[i]) = integer()
		}
	}
	column(func(p *page) *int { return &p.Page })
	column(func(p *page) *int { return &p.Server })
	column(func(p *page) *int { return &p.Site })
	column(func(p *page) *int { return &p.Depth })
	column(func(p *page) *int { return &p.Visits })
	column(func(p *page) *int { return &p.Changes })
	column(func(p *page) *int { return &p.Errors })
	column(func(p *page) *int { return &p.Claimed })
	for _, of := range []func(p *page) *float64{
		func(p *page) *float64 { return &p.First }, func(p *page) *float64 { return &p.Last },
		func(p *page) *float64 { return &p.Change }, func(p *page) *float64 { return &p.Stable },
		func(p *page) *float64 { return &p.Shortest }, func(p *page) *float64 { return &p.Weight },
		func(p *page) *float64 { return &p.Tie },
	} {
		for i := range m.Pages {
			*of(&m.Pages[i]) = float()
		}
	}
	for i := range m.Out {
		m.Out[i] = integer()
	}
	outcomes := head[5]
	m.Outcomes = slices.Grow(m.Outcomes, outcomes)[:outcomes]
	for i := range m.Outcomes {
		m.Outcomes[i].Page = integer()
	}
	for i := range m.Outcomes {
		m.Outcomes[i].Verdict = sitegraph.Verdict(integer()).String()
	}
	for i := range m.Outcomes {
		m.Outcomes[i].At = int64(float())
	}
	if len(b) != head[6] {
		t.Fatalf("%d bytes are left, %d of addresses are announced", len(b), head[6])
	}
	for i, url := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if head[6] > 0 {
			m.Pages[i].URL = url
		}
	}
	return m
}

// script is a program in this process.
type script struct {
	t      *testing.T
	hello  string
	answer func(m *message) any // bytes are sent as they are
	err    error                // instead of the next answer
	hellos []string
	told   []message
	closed bool
}

func (s *script) Ask(b []byte, framed bool, parse func([]byte) error) error {
	if s.err != nil {
		return s.err
	}
	if bytes.HasPrefix(b, []byte(`{"protocol"`)) {
		s.hellos = append(s.hellos, string(b))
		return parse([]byte(s.hello))
	}
	var m message
	if framed {
		m = readColumns(s.t, b)
	} else if err := json.Unmarshal(b, &m); err != nil {
		s.t.Fatalf("%v: %s", err, b)
	}
	s.told = append(s.told, m)
	switch a := s.answer(&m).(type) {
	case []byte:
		return parse(a)
	case []int:
		if !framed {
			line, _ := json.Marshal(map[string][]int{"visit": a})
			return parse(line)
		}
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(a)))
		for _, p := range a {
			b = binary.LittleEndian.AppendUint32(b, uint32(p))
		}
		return parse(b)
	}
	return errors.New("no answer")
}

func (s *script) Close() error {
	s.closed = true
	return nil
}

const inJSON, inBinary = `{"protocol": 1}`, `{"protocol": 1, "format": "binary"}`

// oldest is a program like the policy uniform.
func oldest() func(m *message) any {
	known := map[int]page{}
	return func(m *message) any {
		for _, p := range m.Pages {
			known[p.Page] = p
		}
		for _, p := range m.Out {
			delete(known, p)
		}
		all := make([]page, 0, len(known))
		for _, p := range known {
			all = append(all, p)
		}
		slices.SortFunc(all, func(p, q page) int {
			return cmp.Or(cmp.Compare(p.Last, q.Last), cmp.Compare(p.Tie, q.Tie),
				p.Page-q.Page)
		})
		named := []int{}
		for _, p := range all[:min(m.Want, len(all))] {
			named = append(named, p.Page)
			delete(known, p.Page)
		}
		return named
	}
}

// sim returns a world whose pages a program chooses; with "" as hello a policy of the registry
// does.
func sim(t *testing.T, s *script, host policy.ProgramHost, lag int, name string) *simtest.Sim {
	world := simtest.NewWorld(5, 3, 40, true)
	m := simtest.New(t, world, rand.New(rand.NewPCG(1, 1)), 5,
		func(m *simtest.Sim) (planner.Policy, error) {
			host.Run = func([]string) (policy.ProgramRunner, error) { return s, nil }
			return policy.New(name, policy.Settings{Pages: m.Pages, Mode: planner.Stream,
				Seed: 5, PerDay: 12, Programs: &host})
		}, planner.Options{NewShare: 0.25, Leftover: true})
	m.Lag, m.GiveBack = lag, 0.1
	return m
}

// A program that copies a policy of the registry makes the same visits, in both forms, with visits
// under way, failures, births and deaths, and after a restart of the program.
func TestSameAsOwn(t *testing.T) {
	for _, hello := range []string{inJSON, inBinary} {
		for _, lag := range []int{0, 3} {
			s := &script{t: t, hello: hello, answer: oldest()}
			ours, its := sim(t, nil, policy.ProgramHost{}, lag, "uniform"),
				sim(t, s, policy.ProgramHost{}, lag, "exec:it")
			visits := 0
			for day := 1; day <= 40; day++ {
				want, got := ours.URLs(ours.Day(day, 12)), its.URLs(its.Day(day, 12))
				if !slices.Equal(got, want) {
					t.Fatalf("%s, lag %d, day %d: %v\nwant %v", hello, lag, day, got, want)
				}
				visits += len(got)
				if day == 20 {
					ours.Restart()
					s.answer = oldest()
					its.Restart()
				}
			}
			if visits < 300 || len(s.hellos) != 2 {
				t.Errorf("%d visits, %d hellos", visits, len(s.hellos))
			}
		}
	}
}

// The program receives what the planner knows.
func TestTold(t *testing.T) {
	for _, hello := range []string{inJSON, inBinary} {
		s := &script{t: t, hello: hello, answer: oldest()}
		m := sim(t, s, policy.ProgramHost{}, 0, "exec:it")
		m.Day(1, 12)
		first := s.told[0]
		if want := `{"protocol":1,"mode":"stream","seed":5,"per_day":12,` +
			`"formats":["json","binary"],"verdicts":["unknown","first","unchanged","changed",` +
			`"left","doubted","baseline"]}`; s.hellos[0] != want {
			t.Errorf("hello %s\nwant %s", s.hellos[0], want)
		}
		if r := first.Round; r.Number != 1 || r.Start != simtest.At(0).Unix() ||
			r.End != simtest.At(1).Unix() || r.Budget != 12 || first.Want != 12 {
			t.Errorf("round %+v, want %d", r, first.Want)
		}
		if len(first.Pages) == 0 {
			t.Fatal("no pages")
		}
		for _, p := range first.Pages {
			id := sitegraph.PageID(p.Page)
			want := page{Page: p.Page, URL: m.Graph.URL(id), Server: int(m.Graph.Server(id)),
				Site: int(m.Graph.Directory(id)), Depth: m.Graph.Depth(id), Visits: 1,
				First: float64(simtest.At(0).Unix()), Last: float64(simtest.At(0).Unix()),
				Weight: 1, Tie: p.Tie}
			if p != want || !(p.Tie >= 0 && p.Tie < 1) {
				t.Errorf("%+v\nwant %+v", p, want)
			}
		}
		m.Day(2, 12)
		verdicts := map[string]int{}
		for _, told := range s.told {
			for _, o := range told.Outcomes {
				verdicts[o.Verdict]++
				if o.At != simtest.At(1).Unix() && o.At != simtest.At(2).Unix() {
					t.Errorf("outcome at %d", o.At)
				}
			}
		}
		if verdicts["changed"] == 0 || verdicts["unchanged"] == 0 {
			t.Errorf("outcomes %v", verdicts)
		}
	}
}

// bad returns refused answers to a question for 12 pages, by words of the error.
func bad() map[string]func(m *message) any {
	line := func(text string) func(*message) any {
		return func(*message) any { return []byte(text) }
	}
	return map[string]func(m *message) any{
		`it answers "hello": want a line as {"visit": [3, 1]}`: line("hello\n"),
		`it answers "{\"visi\": []}"`:                          line(`{"visi": []}`),
		`it answers "{\"visit\": [1"`:                          line(`{"visit": [1`),
		`it answers "{\"visit\": [99999999999]}"`:              line(`{"visit": [99999999999]}`),
		"it names page 100000, which was not offered":          line(`{"visit": [100000]}`),
		"it names page -1, which was not offered":              line(`{"visit": [-1]}`),
		"it names page 0, which was not offered, or was named before": line(
			`{"visit": [0, 0]}`),
		"it names 13 pages where 12 were asked for": func(m *message) any {
			all := make([]int, 13)
			for i := range all {
				all[i] = i
			}
			return all
		},
		`it names 1 pages and gives 2 of "probability"`: line(
			`{"visit": [0], "probability": [0.5, 0.5]}`),
		"it gives page 0 the probability 1.5": line(`{"visit": [0], "probability": [1.5]}`),
		"no answer":                           func(*message) any { return nil },
	}
}

// In an evaluation a refused answer ends the run with its reason.
func TestRefused(t *testing.T) {
	for want, answer := range bad() {
		m := sim(t, &script{t: t, hello: inJSON, answer: answer}, policy.ProgramHost{}, 0,
			"exec:./it.py a")
		m.Planner.Begin(planner.Round{Number: 3, Start: simtest.At(0), End: simtest.At(1),
			Budget: 12})
		for v, ok := m.Planner.Next(); ok; v, ok = m.Planner.Next() {
			if !v.First {
				t.Errorf("%s: it visits %s", want, m.Graph.URL(v.Page))
			}
		}
		p := m.Planner.Policy.(*policy.Program)
		var failed *policy.ProgramError
		if err := p.Err(); !errors.As(err, &failed) || failed.Round != 3 ||
			!strings.HasPrefix(err.Error(), "policy exec:./it.py a, round 3: "+want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
	for _, hello := range []string{`{"protocol": 2}`, `{"format": "json"}`, "ready",
		`{"protocol": 1, "format": "xml"}`} {
		m := sim(t, &script{t: t, hello: hello, answer: oldest()}, policy.ProgramHost{}, 0,
			"exec:it")
		m.Planner.Begin(planner.Round{Start: simtest.At(0), End: simtest.At(1), Budget: 12})
		for _, ok := m.Planner.Next(); ok; _, ok = m.Planner.Next() {
		}
		if err := m.Planner.Policy.(*policy.Program).Err(); err == nil ||
			!strings.Contains(err.Error(), "its first answer is") {
			t.Errorf("%s: %v", hello, err)
		}
	}
	binaries := [][]byte{nil, {1}, {1, 0, 0, 0}, {255, 255, 255, 255}, {0, 0, 0, 0, 0},
		append([]byte{1, 0, 0, 0}, make([]byte, 12)...), []byte("{}\n")}
	for _, b := range binaries {
		m := sim(t, &script{t: t, hello: inBinary, answer: func(*message) any { return b }},
			policy.ProgramHost{}, 0, "exec:it")
		m.Planner.Begin(planner.Round{Start: simtest.At(0), End: simtest.At(1), Budget: 12})
		for _, ok := m.Planner.Next(); ok; _, ok = m.Planner.Next() {
		}
		if err := m.Planner.Policy.(*policy.Program).Err(); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("it answers %d bytes", len(b))) {
			t.Errorf("%v: %v", b, err)
		}
	}
}

// In a live crawl the fallback makes every visit that a program does not choose: each day uses its
// whole budget. The program is asked again in the next round, with all news, and after five
// failures in a row no more.
func TestFallback(t *testing.T) {
	for want, answer := range bad() {
		var warned []string
		s := &script{t: t, hello: inJSON, answer: oldest()}
		m := sim(t, s, policy.ProgramHost{Warn: func(text string) { warned = append(warned, text) },
			Now: simtest.Base.UTC}, 0, "exec:it")
		day := 0
		play := func(days int) {
			t.Helper()
			for range days {
				day++
				if got := len(m.Day(day, 12)); got != 12 {
					t.Fatalf("%s: %d visits on day %d", want, got, day)
				}
			}
		}
		play(3)
		s.answer = answer
		play(1)
		if len(warned) != 1 || !strings.Contains(warned[0], want) ||
			!strings.Contains(warned[0], "ebayes decides for the rest of the round") {
			t.Fatalf("%s: warned %q", want, warned)
		}
		s.answer = oldest()
		play(2)
		if len(warned) != 1 || len(s.hellos) != 2 {
			t.Fatalf("%s: not begun again: %d hellos, %q", want, len(s.hellos), warned)
		}
		s.answer = answer
		play(8)
		if len(warned) != 6 || !strings.Contains(warned[5], "it failed 5 times in a row, and "+
			"ebayes decides from now on") || len(s.hellos) != 6 {
			t.Fatalf("%s: %d hellos, warned %q", want, len(s.hellos), warned)
		}
	}
}

// While it is too early to start a program again, nobody is warned and no failure is counted. A
// slow program gets a quarter of each round.
func TestSlow(t *testing.T) {
	var warned []string
	s := &script{t: t, hello: inJSON, answer: oldest(), err: policy.ErrProgramPaused}
	now := time.Time{}
	m := sim(t, s, policy.ProgramHost{Warn: func(text string) { warned = append(warned, text) },
		Now: func() time.Time { now = now.Add(2 * time.Hour); return now }}, 0, "exec:it")
	for day := 1; day < 8; day++ {
		m.Day(day, 12)
	}
	if len(warned) > 0 || len(s.told) > 0 {
		t.Fatalf("warned %q", warned)
	}
	s.err = nil
	known := oldest()
	s.answer = func(m *message) any { // one page an answer
		m.Want = min(m.Want, 1)
		return known(m)
	}
	before := len(s.told)
	if got := len(m.Day(8, 12)); got != 12 {
		t.Errorf("%d visits", got)
	}
	if asked := len(s.told) - before; asked != 3 || len(warned) != 1 ||
		!strings.Contains(warned[0], "took 6h of a round of 24h") {
		t.Errorf("asked %d times, warned %q", asked, warned)
	}
	if m.Day(9, 12); len(s.hellos) != 1 {
		t.Errorf("%d hellos: it was begun again", len(s.hellos))
	}
}

// Many pages come in messages of bounded size, each answered before the next.
func TestMany(t *testing.T) {
	g := sitegraph.NewGraph()
	corpus := planner.NewPages(g)
	const pages = 10_000
	for i := range pages {
		p := g.Add(fmt.Sprintf("http://a.example/%d", i))
		r := simtest.Seen(p, g.URL(p))
		corpus.Remember(&r)
	}
	s := &script{t: t, hello: inBinary, answer: oldest()}
	host := &policy.ProgramHost{Run: func([]string) (policy.ProgramRunner, error) { return s, nil }}
	p, err := policy.New("exec:it", policy.Settings{Pages: corpus, Mode: planner.Sweep, Seed: 1,
		Programs: host})
	if err != nil {
		t.Fatal(err)
	}
	plan := planner.New(corpus, p, planner.Options{})
	plan.Begin(planner.Round{Start: simtest.At(0), End: simtest.At(1), Budget: planner.Unlimited})
	visits := 0
	for _, ok := plan.Next(); ok; _, ok = plan.Next() {
		visits++
	}
	if visits != pages {
		t.Errorf("%d visits", visits)
	}
	for i, m := range s.told {
		if len(m.Pages) > 4096 || (m.Want > 0) != (i >= 2) || m.Round.Budget != -1 {
			t.Errorf("message %d: %d pages, want %d, budget %d", i, len(m.Pages), m.Want,
				m.Round.Budget)
		}
	}
	if err := p.(*policy.Program).Close(); err != nil || !s.closed {
		t.Error("not closed")
	}
}

// FuzzAnswer checks that no answer crashes the process, and that accepted pages were offered.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"visit":[0,1],"probability":[0.5,null],"value":[1,2]}`), false)
	f.Add([]byte{1, 0, 0, 0, 2, 0, 0, 0}, true)
	f.Fuzz(func(t *testing.T, answer []byte, framed bool) {
		hello := inJSON
		if framed {
			hello = inBinary
		}
		asked := false
		m := sim(t, &script{t: t, hello: hello, answer: func(*message) any {
			if asked {
				return []int{}
			}
			asked = true
			return answer
		}}, policy.ProgramHost{}, 0, "exec:it")
		m.Day(1, 12) // it checks each visit
	})
}

// A claim of a sitemap is sent within the round, with its page.
func TestClaimed(t *testing.T) {
	pages, sitemap := simtest.Claimed(t, 5, simtest.ClaimsBase.Add(planner.Day))
	s := &script{t: t, hello: inJSON}
	told := map[int]int{}
	s.answer = func(m *message) any {
		for _, p := range m.Pages {
			told[p.Page] = p.Claimed
		}
		return []int{}
	}
	host := &policy.ProgramHost{Run: func([]string) (policy.ProgramRunner, error) { return s, nil }}
	p, err := policy.New("exec:it", policy.Settings{Pages: pages, Mode: planner.Stream,
		Programs: host})
	if err != nil {
		t.Fatal(err)
	}
	plan := planner.New(pages, p, planner.Options{})
	at := simtest.ClaimsBase.Add(planner.Day)
	plan.Begin(planner.Round{Number: 1, Start: at, End: at.Add(planner.Day), Budget: 2})
	plan.Next()
	if len(told) != 5 || told[3] != 0 {
		t.Fatalf("told %v", told)
	}
	plan.UpdateHints(sitemap, planner.Sitemap,
		[]planner.Claim{{Page: 3, Modified: at.Add(-time.Hour)}}, true)
	clear(told)
	plan.Next()
	if len(told) != 1 || told[3] != 1 {
		t.Errorf("told %v after a claim of page 3", told)
	}
}

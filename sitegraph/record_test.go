package sitegraph

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

var t0 = time.Date(2003, 6, 1, 0, 0, 0, 0, time.UTC)

func after(days float64) time.Time { return t0.Add(time.Duration(days * float64(24*time.Hour))) }

func fetched(days float64, content string) Observation {
	return Observation{URL: "http://example.com/", Time: after(days), Outcome: OutcomeFetched,
		Status:  200,
		Digests: Digests{Bytes: DigestOf([]byte(content))}, Size: int64(len(content)),
		ETag: `"` + content + `"`}
}

func outcome(days float64, o Outcome, status int) Observation {
	return Observation{URL: "http://example.com/", Time: after(days), Outcome: o, Status: status}
}

const day = 24 * 3600 // seconds

// The visits of [SAT] table 1 in the view of a server: changed at day 2, same at 6, changed at 14.
func TestHistory(t *testing.T) {
	var r Record
	for _, step := range []struct {
		o    Observation
		want Verdict
	}{
		{fetched(0, "a"), VerdictFirst}, {fetched(2, "b"), VerdictChanged},
		{outcome(6, OutcomeNotModified, 304), VerdictUnchanged}, {fetched(14, "c"), VerdictChanged},
	} {
		if got := r.Apply(step.o, ChangeByBytes); got != step.want {
			t.Errorf("at %v: %v, want %v", step.o.Time, got, step.want)
		}
	}
	epoch := uint32(t0.Unix())
	want := History{Epoch: epoch, Last: epoch + 14*day, LastChange: epoch + 14*day, Stable: 4 * day,
		MinInterval: 2 * day, Visits: 4, Changes: 2}
	want.WeeksSeen, want.WeeksChanged = r.History.WeeksSeen, r.History.WeeksChanged // TestWeeks
	if r.History != want {
		t.Errorf("history %+v, want %+v", r.History, want)
	}
	if r.History.Elapsed() != 14*24*time.Hour || r.History.Age(after(15)) != 24*time.Hour ||
		r.History.Age(t0) != 0 {
		t.Errorf("elapsed %v, age %v", r.History.Elapsed(), r.History.Age(after(15)))
	}
}

// A record keeps Last-Modified of its copy for the next condition. It never dates a change by it.
func TestApplyDatesNoChange(t *testing.T) {
	dated, undated := Record{}, Record{}
	for i, content := range []string{"one", "two", "two", "three"} {
		o := Observation{Time: after(float64(10 * i)), Outcome: OutcomeFetched,
			Digests: Digests{Bytes: DigestOf([]byte(content))}}
		undated.Apply(o, ChangeByBytes)
		o.LastModified = o.Time.Add(-24 * time.Hour)
		dated.Apply(o, ChangeByBytes)
		if !dated.LastModified.Equal(o.LastModified) {
			t.Errorf("visit %d: Last-Modified %v, want %v", i, dated.LastModified, o.LastModified)
		}
	}
	if dated.History != undated.History || dated.History.Changes != 2 {
		t.Errorf("history %+v with Last-Modified, %+v without", dated.History, undated.History)
	}
}

// [SAT] footnote 2: Last-Modified dates a change if it lies inside the interval.
func TestLastModifiedSplitsTheInterval(t *testing.T) {
	for _, c := range []struct {
		name             string
		changed          bool
		modified         time.Time
		stable, interval uint32
	}{
		{"inside", true, after(3), 7 * day, 3 * day},
		{"under a day", true, after(.25), 9*day + day*3/4, day / 4},
		{"at the visit", true, after(10), 0, 10 * day},
		{"not told", true, time.Time{}, 0, 10 * day},
		{"at the last visit: it cannot be the change", true, after(0), 0, 10 * day},
		{"before the last visit", true, after(-5), 0, 10 * day},
		{"in the future", true, after(20), 0, 10 * day},
		{"long ago", true, time.Unix(0, 0), 0, 10 * day},
		{"without a change", false, after(3), 10 * day, 0},
	} {
		h := Start(t0)
		h.See(after(10), c.changed, c.modified)
		if h.Stable != c.stable || h.MinInterval != c.interval ||
			h.Last != uint32(after(10).Unix()) {
			t.Errorf("%s: stable %d, shortest %d; want %d, %d",
				c.name, h.Stable, h.MinInterval, c.stable, c.interval)
		}
	}
}

// randomVisits returns observations with every outcome, in time order.
func randomVisits(rng *rand.Rand, n int) []Observation {
	var all []Observation
	days := 0.0
	for range n {
		days += 1 + float64(rng.IntN(9))
		switch rng.IntN(8) {
		case 0:
			all = append(all, outcome(days, OutcomeGone, 404))
		case 1:
			all = append(all, outcome(days, OutcomeFailed, 503))
		case 2:
			all = append(all, outcome(days, OutcomeNotModified, 304))
		case 3:
			all = append(all, outcome(days,
				[]Outcome{OutcomeRedirected, OutcomeExcluded}[rng.IntN(2)], 301))
		default:
			o := fetched(days, string(rune('a'+rng.IntN(3))))
			if rng.IntN(2) == 0 {
				o.LastModified = after(days - float64(rng.IntN(12)))
			}
			all = append(all, o)
		}
	}
	return all
}

// Applying an observation again, or an older one, changes nothing.
func TestApplyTwice(t *testing.T) {
	for seed := range uint64(200) {
		visits := randomVisits(rand.New(rand.NewPCG(seed, 1)), 20)
		var once, twice Record
		for i, o := range visits {
			v := once.Apply(o, ChangeByBytes)
			if got := twice.Apply(o, ChangeByBytes); got != v {
				t.Fatalf("seed %d: visit %d: %v, want %v", seed, i, got, v)
			}
			for _, again := range visits[:i+1] {
				if got := twice.Apply(again, ChangeByBytes); got != VerdictUnknown {
					t.Fatalf("seed %d: visit %d again: %v", seed, i, got)
				}
			}
			if !reflect.DeepEqual(once, twice) {
				t.Fatalf("seed %d: visit %d: applied twice %+v, once %+v", seed, i, twice, once)
			}
			checkHistory(t, seed, once)
		}
	}
}

// checkHistory checks the relations between the statistics of any history.
func checkHistory(t *testing.T, seed uint64, r Record) {
	t.Helper()
	h := r.History
	span := h.Last - h.Epoch
	switch {
	case h.Stable > span, h.MinInterval > span, h.Changes > 0 && h.Changes >= h.Visits,
		(h.Changes == 0) != (h.MinInterval == 0), (h.Changes == 0) != (h.LastChange == 0),
		h.Changes == 0 && h.Visits > 0 && h.Stable != span, (r.State == StateAlive) &&
			h.Visits == 0,
		// The shortest interval is at most the mean.
		h.Changes > 0 && h.MinInterval > (span-h.Stable)/h.Changes:
		t.Fatalf("seed %d: impossible history %+v of %v page", seed, h, r.State)
	}
}

// The same visits in hours or in days give the same history except for the unit. So an estimate in
// units stays.
func TestHoursOrDays(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		hours, days := Start(t0), Start(t0)
		at := 0
		for range 20 {
			at += 2 + rng.IntN(9)
			changed := rng.IntN(2) == 0
			modified := at - rng.IntN(2)
			hours.See(t0.Add(time.Duration(at)*time.Hour), changed,
				t0.Add(time.Duration(modified)*time.Hour))
			days.See(after(float64(at)), changed, after(float64(modified)))
		}
		hours.Stable *= 24
		hours.MinInterval *= 24
		hours.Last = (hours.Last-hours.Epoch)*24 + hours.Epoch
		if hours.Changes > 0 {
			hours.LastChange = (hours.LastChange-hours.Epoch)*24 + hours.Epoch
		}
		// Weeks depend on the unit.
		hours.WeeksSeen, hours.WeeksChanged = days.WeeksSeen, days.WeeksChanged
		if hours != days {
			t.Errorf("seed %d: in hours %+v, in days %+v", seed, hours, days)
		}
	}
}

// A 304 confirms a copy (RFC 9110 15.4.5). Without a copy, it says nothing, and the next request
// must have no condition.
func TestNotModifiedWithoutCopy(t *testing.T) {
	for _, state := range []State{StateUnknown, StateNew, StateGone, StateMoved, StateExcluded} {
		r := Record{State: state, ETag: `"x"`, LastModified: t0}
		if v := r.Apply(outcome(1, OutcomeNotModified, 304), ChangeByBytes); v != VerdictUnknown {
			t.Errorf("%v: verdict %v", state, v)
		}
		if r.State != state || r.Errors != 1 || r.ETag != "" || !r.LastModified.IsZero() ||
			r.History.Visits != 0 {
			t.Errorf("%v: record %+v", state, r)
		}
	}
}

func TestGoneAndBack(t *testing.T) {
	var r Record
	for _, step := range []struct {
		o     Observation
		want  Verdict
		state State
	}{
		{fetched(0, "a"), VerdictFirst, StateAlive},
		{fetched(1, "b"), VerdictChanged, StateAlive},
		{outcome(2, OutcomeFailed, 503), VerdictUnknown, StateAlive},
		{outcome(3, OutcomeGone, 404), VerdictLeft, StateGone},
		{outcome(4, OutcomeFailed, 0), VerdictUnknown, StateGone},
		{outcome(5, OutcomeGone, 410), VerdictLeft, StateGone},
		{fetched(6, "b"), VerdictFirst, StateAlive},
		{fetched(8, "b"), VerdictUnchanged, StateAlive},
	} {
		if got := r.Apply(step.o, ChangeByBytes); got != step.want || r.State != step.state {
			t.Errorf("at %v: %v, %v; want %v, %v", step.o.Time, got, r.State, step.want, step.state)
		}
		if r.State == StateGone && (r.ETag != "" || !r.LastModified.IsZero()) {
			t.Errorf("at %v: a gone page keeps validators", step.o.Time)
		}
	}
	if r.History.Epoch != uint32(after(6).Unix()) || r.History.Stable != 2*day ||
		r.History.Changes != 0 || r.Errors != 0 {
		t.Errorf("the history does not start anew with the new copy: %+v", r.History)
	}
}

func TestErrorsInARow(t *testing.T) {
	var r Record
	for i := range 300 {
		r.Apply(outcome(float64(i+1), OutcomeFailed, 500), ChangeByBytes)
	}
	if r.Errors != MaxErrors {
		t.Errorf("%d errors, want them to stop at %d", r.Errors, MaxErrors)
	}
	if r.Apply(fetched(400, "a"), ChangeByBytes); r.Errors != 0 {
		t.Errorf("%d errors after an answer", r.Errors)
	}
}

func TestDiffer(t *testing.T) {
	d := func(s string) Digest {
		if s == "" {
			return Digest{}
		}
		return DigestOf([]byte(s))
	}
	for _, c := range []struct {
		a, b Digests
		want [3]bool // by bytes, text, main
	}{
		{Digests{d("1"), d("t"), d("m")}, Digests{d("1"), d("t"), d("m")},
			[3]bool{false, false, false}},
		{Digests{d("1"), d("t"), d("m")}, Digests{d("2"), d("t"), d("m")},
			[3]bool{true, false, false}},
		{Digests{d("1"), d("t"), d("m")}, Digests{d("2"), d("u"), d("m")},
			[3]bool{true, true, false}},
		{Digests{d("1"), d("t"), d("")}, Digests{d("2"), d("t"), d("m")},
			[3]bool{true, false, true}},
		{Digests{d("1"), d(""), d("")}, Digests{d("1"), d("t"), d("m")},
			[3]bool{false, false, false}},
	} {
		for by, want := range c.want {
			if got := c.a.Differ(c.b, ChangeBy(by)); got != want ||
				c.b.Differ(c.a, ChangeBy(by)) != want {
				t.Errorf("%v and %v by %v: %v, want %v", c.a, c.b, ChangeBy(by), got, want)
			}
		}
	}
}

// Bit k is the k-th week before that of the last visit. The record forgets weeks before the last
// 32.
func TestWeeks(t *testing.T) {
	monday := time.Unix(1000*7*24*60*60, 0) // the first second of week 1000
	visit := func(h *History, days float64, changed bool) {
		h.See(monday.Add(time.Duration(days*24*float64(time.Hour))), changed, time.Time{})
	}
	h := Start(monday)
	if h.WeeksSeen != 0 {
		t.Errorf("a first visit compares nothing, yet WeeksSeen is %b", h.WeeksSeen)
	}
	visit(&h, 1, true)
	visit(&h, 6.9, false) // same week: it stays changed
	visit(&h, 14, false)
	visit(&h, 21, true)
	if h.WeeksSeen != 0b1011 || h.WeeksChanged != 0b1001 {
		t.Errorf("seen %b, changed %b; want 1011, 1001", h.WeeksSeen, h.WeeksChanged)
	}
	for week, want := range map[uint32][2]uint32{1003: {0b1011, 0b1001}, 1005: {0b101100, 0b100100},
		1100: {}} {
		if seen, changed := h.WeeksBefore(week); seen != want[0] || changed != want[1] {
			t.Errorf("before week %d: seen %b, changed %b; want %b", week, seen, changed, want)
		}
	}
	visit(&h, 21+31*7, false)
	if h.WeeksSeen != 1<<31|1 || h.WeeksChanged != 1<<31 {
		t.Errorf("31 weeks on: seen %b, changed %b", h.WeeksSeen, h.WeeksChanged)
	}
	visit(&h, 21+1000*7, true)
	if h.WeeksSeen != 1 || h.WeeksChanged != 1 {
		t.Errorf("1000 weeks on: seen %b, changed %b; want 1, 1", h.WeeksSeen, h.WeeksChanged)
	}
}

// Answers that a page is unavailable count by kind. An answer of another kind restarts the count,
// and one of the same kind with another status continues it.
func TestDoubtCountsByKind(t *testing.T) {
	type answer struct {
		day     float64
		outcome Outcome
		status  int
	}
	for _, c := range []struct {
		name    string
		answers []answer
		left    bool // with the last answer
	}{
		{"404, then 301", []answer{{1, OutcomeGone, 404}, {2, OutcomeRedirected, 301}}, false},
		{"403 twice, then 301", []answer{{1, OutcomeExcluded, 403}, {2, OutcomeExcluded, 403},
			{9, OutcomeRedirected, 301}}, false},
		{"301 twice, then 404", []answer{{1, OutcomeRedirected, 301}, {1.1, OutcomeRedirected, 301},
			{3, OutcomeGone, 404}}, false},
		{"404 twice, then 410", []answer{{1, OutcomeGone, 404}, {1.1, OutcomeGone, 404},
			{3, OutcomeGone, 410}}, true},
		{"301 around a failure", []answer{{1, OutcomeRedirected, 301},
			{1.1, OutcomeRedirected, 301}, {2, OutcomeFailed, 503}, {3, OutcomeRedirected, 301}},
			true},
		{"301 for an hour", []answer{{1, OutcomeRedirected, 301}, {1.02, OutcomeRedirected, 301},
			{1.04, OutcomeRedirected, 301}}, false},
		{"403 and 401 by turns", []answer{{1, OutcomeExcluded, 403}, {2, OutcomeExcluded, 401},
			{9, OutcomeExcluded, 403}, {19, OutcomeExcluded, 401}}, true},
	} {
		var r Record
		r.Apply(fetched(0, "a"), ChangeByBytes)
		for i, a := range c.answers {
			o := outcome(a.day, a.outcome, a.status)
			left := false
			if a.outcome == OutcomeFailed {
				r.Apply(o, ChangeByBytes)
			} else if left = !r.Doubt(o, 0); left {
				r.Apply(o, ChangeByBytes)
			}
			if want := c.left && i == len(c.answers)-1; left != want || r.State.Left() != want {
				t.Errorf("%s: answer %d: the page left: %v, want %v", c.name, i, left, want)
			}
		}
	}
}

// A server answers our condition with 412. From then on, requests for the page have no condition,
// except for a rare trial. A 304 to a trial ends that.
func TestConditionIsRefused(t *testing.T) {
	for _, state := range []State{StateNew, StateSource} {
		r := Record{State: state}
		refusals := 0
		day := 0.0
		visit := func() {
			day++
			if r.ETag != "" {
				refusals++
				o := outcome(day, OutcomeFailed, 412)
				r.Apply(o, ChangeByBytes)
				return
			}
			o := fetched(day, "a")
			o.ETag, o.LastModified = `"tag"`, after(0)
			r.Apply(o, ChangeByBytes)
		}
		for range 200 {
			visit()
		}
		if refusals < 1 || refusals > 4 {
			t.Errorf("%v: of 200 visits %d had a condition that is refused", state, refusals)
		}
		for r.ETag == "" {
			visit()
		}
		r.Apply(outcome(day+1, OutcomeNotModified, 304), ChangeByBytes)
		o := fetched(day+2, "b")
		o.ETag = `"new"`
		if r.Apply(o, ChangeByBytes); r.ETag == "" {
			t.Errorf("%v: a 304 does not bring conditions back", state)
		}
	}
}

// If a filter rejects the content of the copy, the page leaves at once. If it rejects another
// content, the page leaves at the second answer. A content that no filter rejects ends the count.
func TestFilteredPageLeaves(t *testing.T) {
	copied, other := DigestOf([]byte("copy")), DigestOf([]byte("other"))
	at := time.Unix(1_000_000, 0)
	record := func() *Record {
		return &Record{State: StateAlive, Digests: Digests{Bytes: copied}, Tried: at}
	}
	rejects := func(d Digest, hours int) Observation {
		return Observation{Time: at.Add(time.Duration(hours) * time.Hour), Outcome: OutcomeExcluded,
			Status: 200, Filter: "f", Digests: Digests{Bytes: d}}
	}
	if r := record(); r.Doubt(rejects(copied, 1), 0) {
		t.Error("the copy is rejected, and stays")
	} else if r.Apply(rejects(copied, 1), 0) != VerdictLeft || !r.ByFilter ||
		r.State != StateExcluded {
		t.Errorf("%+v", r)
	}
	r := record()
	if !r.Doubt(rejects(other, 1), 0) || r.Doubt(rejects(other, 2), 0) {
		t.Error("another content takes other than two answers")
	}
	r.Apply(rejects(other, 2), 0)
	back := Observation{Time: at.Add(9 * time.Hour), Outcome: OutcomeFetched,
		Digests: Digests{Bytes: other}}
	if r.Apply(back, 0) != VerdictFirst || r.ByFilter {
		t.Errorf("a page that is back: %+v", r)
	}
}

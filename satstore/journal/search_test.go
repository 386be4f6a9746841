package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"
)

// written returns a journal of three days, with an entry each hour and one torn line.
func written(t testing.TB) (dir string, all []Entry) {
	t.Helper()
	dir = t.TempDir()
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := []string{"first", "changed", "unchanged"}
	for h := range 72 {
		e := Entry{URL: fmt.Sprintf("http://www%d.example/a?b=%d&c", h%4, h),
			Time: time.Date(2026, 1, 30, h, 0, 0, 0, time.UTC), Reason: "Why <not>",
			Outcome: "fetched", Verdict: verdicts[h%3], Status: 200,
			Next: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
		if h%10 == 0 {
			e.Outcome, e.Detail = "failed", "connection REFUSED"
		}
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "2026-02-01.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"url":"http://torn.example/","t":"2026-0`)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, all
}

// A search finds the same entries as a look at all of them, the newest first. So does a search in
// parts.
func TestSearch(t *testing.T) {
	dir, all := written(t)
	for name, c := range map[string]struct {
		q    Query
		fits func(*Entry) bool
	}{
		"all":    {Query{}, func(*Entry) bool { return true }},
		"text":   {Query{Text: "refused"}, func(e *Entry) bool { return e.Detail != "" }},
		"reason": {Query{Text: "WHY <n"}, func(*Entry) bool { return true }},
		"url":    {Query{URL: all[7].URL}, func(e *Entry) bool { return e.URL == all[7].URL }},
		"server": {Query{Server: "www2.example"}, func(e *Entry) bool {
			return serverOf(e.URL) == "www2.example"
		}},
		"both": {Query{Verdict: "changed", Outcome: "failed"}, func(e *Entry) bool {
			return e.Verdict == "changed" && e.Outcome == "failed"
		}},
		"nothing": {Query{Text: "never said"}, func(*Entry) bool { return false }},
		"times": {Query{From: all[20].Time, Until: all[50].Time}, func(e *Entry) bool {
			return !e.Time.Before(all[20].Time) && e.Time.Before(all[50].Time)
		}},
	} {
		var want []Entry
		for _, e := range slices.Backward(all) {
			if c.fits(&e) {
				want = append(want, e)
			}
		}
		for _, limit := range []int{1, 7, 1000} {
			c.q.Limit, c.q.After = limit, ""
			var got []Entry
			for part := 0; ; part++ {
				found, err := Search(t.Context(), dir, c.q)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if len(found.Entries) > limit {
					t.Fatalf("%s: %d entries, at most %d were asked for",
						name, len(found.Entries), limit)
				}
				got = append(got, found.Entries...)
				if c.q.After = found.Next; found.Next == "" {
					break
				}
				if part > 100 {
					t.Fatalf("%s: the search does not end", name)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s in parts of %d: %d entries, want %d", name, limit, len(got), len(want))
			}
		}
	}
}

// A search stops at its bound, and later goes on from there.
func TestSearchBound(t *testing.T) {
	dir, all := written(t)
	q, n, parts := Query{MostBytes: 1}, 0, 0
	for {
		found, err := Search(t.Context(), dir, q)
		if err != nil {
			t.Fatal(err)
		}
		n, parts = n+len(found.Entries), parts+1
		if q.After = found.Next; q.After == "" || parts > 10 {
			break
		}
	}
	if n != len(all) || parts < 3 {
		t.Errorf("%d entries in %d parts, want %d in one a day", n, parts, len(all))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, dir, Query{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, bad := range []string{"x", "2026-01-30", "2026-01-30:x", "2026-01-30:-1", "30:1"} {
		if _, err := Search(t.Context(), dir, Query{After: bad}); !errors.Is(err, ErrCursor) {
			t.Errorf("after %q: error %v", bad, err)
		}
	}
	if _, err := Search(t.Context(), t.TempDir(), Query{}); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory: error %v", err)
	}
}

// For any content of a file, a search without conditions finds what Read reads, backwards.
func FuzzSearch(f *testing.F) {
	f.Add(
		[]byte(
			`{"url":"http://a.example/","t":"2026-01-30T00:00:00Z","next":"2026-01-30T00:00:00Z"}` +
				"\n{\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "2026-01-30.jsonl"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		var want []Entry
		if _, err := Read(dir, nil, func(e *Entry) { want = append(want, *e) }); err != nil {
			t.Skip(err)
		}
		slices.Reverse(want)
		found, err := Search(t.Context(), dir, Query{Limit: MostFound})
		if err != nil || len(found.Entries) != len(want) {
			t.Fatalf("%d entries, want %d; error %v", len(found.Entries), len(want), err)
		}
		for i := range want {
			if !reflect.DeepEqual(found.Entries[i], want[i]) {
				t.Fatalf("entry %d is %+v, want %+v", i, found.Entries[i], want[i])
			}
		}
	})
}

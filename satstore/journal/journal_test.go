package journal

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)

// lines returns the whole entries of a day's file, and the number of torn lines.
func lines(t *testing.T, dir string, day time.Time) (entries []Entry, torn int) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, day.Format(time.DateOnly)+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var e Entry
		if json.Unmarshal(s.Bytes(), &e) != nil {
			torn++
			continue
		}
		entries = append(entries, e)
	}
	return entries, torn
}

func TestAppendByDay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := 0.25
	for i := range 4 {
		e := Entry{URL: "http://h.example/", Time: noon.Add(time.Duration(i) * 6 * time.Hour),
			Probability: &p, Verdict: "changed"}
		if err := j.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{2, 2} { // 12:00 and 18:00, then 0:00 and 6:00
		entries, torn := lines(t, dir, noon.AddDate(0, 0, i))
		if len(entries) != want || torn != 0 {
			t.Fatalf("day %d: %d entries, %d torn lines; want %d, 0", i, len(entries), torn, want)
		}
		if e := entries[0]; e.URL != "http://h.example/" || *e.Probability != p ||
			e.Verdict != "changed" {
			t.Errorf("day %d: read back %+v", i, e)
		}
	}
}

// A crash may tear the last line at any byte. A later entry must begin a new line.
func TestTornLine(t *testing.T) {
	whole, err := json.Marshal(Entry{URL: "http://h.example/torn", Time: noon})
	if err != nil {
		t.Fatal(err)
	}
	for cut := 1; cut < len(whole); cut++ {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, noon.Format(time.DateOnly)+".jsonl"), whole[:cut],
			0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Append(Entry{URL: "http://h.example/next", Time: noon}); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		entries, torn := lines(t, dir, noon)
		if len(entries) != 1 || entries[0].URL != "http://h.example/next" || torn != 1 {
			t.Fatalf("cut at %d: entries %+v, %d torn", cut, entries, torn)
		}
	}
}

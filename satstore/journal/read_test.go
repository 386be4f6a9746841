package journal

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Read returns the appended entries by day, and omits torn lines.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir, nil, func(*Entry) {}); !errors.Is(err, ErrNone) {
		t.Errorf("an empty directory is read with %v", err)
	}
	if _, err := Read(filepath.Join(dir, "missing"), nil, func(*Entry) {}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("a missing directory is read with %v", err)
	}
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	urls := []string{"http://a.example/", "http://b.example/", "http://c.example/"}
	for i, url := range urls {
		if err := j.Append(Entry{URL: url, Time: noon.AddDate(0, 0, i),
			Verdict: "first"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	day := filepath.Join(dir, noon.Format(time.DateOnly)+".jsonl")
	whole, err := os.ReadFile(day)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{day: string(whole) + `{"url":"http://torn`,
		filepath.Join(dir, "notes.txt"): "no entry\n"} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	torn, err := Read(dir, nil, func(e *Entry) { got = append(got, e.URL) })
	if err != nil || torn != 1 || !slices.Equal(got, urls) {
		t.Errorf("read %v, %d torn, %v", got, torn, err)
	}
	// A line longer than any entry is torn like others. A power failure leaves such lines of zeros.
	const entry = `{"url":"http://a.example/","t":"2026-05-01T12:00:00Z"}`
	for _, end := range []string{"", "\n", "\n" + entry, "\n" + entry + "\n"} {
		dir := t.TempDir()
		text := entry + "\n" + strings.Repeat("\x00", 3*maxLineBytes) + end
		name := filepath.Join(dir, "2026-05-01.jsonl")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got = nil
		torn, err := Read(dir, nil, func(e *Entry) { got = append(got, e.URL) })
		if err != nil || torn != 1 || len(got) != strings.Count(text, entry) {
			t.Errorf("%q behind zeros: read %v, %d torn, %v", end, got, torn, err)
		}
	}
}

// Newest finds the newest visit in the last lines of the last day, despite torn and late lines.
func TestNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journal")
	until := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	if newest, err := Newest(dir, until); err != nil || len(newest) != 0 {
		t.Errorf("no journal: %v, %v", newest, err)
	}
	j, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	long := strings.Repeat("x", maxLineBytes*3/4)
	for i, e := range []Entry{
		{Time: at, URL: "http://b.example/"}, {Time: at.AddDate(0, 0, 1), Detail: long},
		{Time: until.Add(time.Second)}, // written with a wrong clock; its file is the last
		{Time: at.AddDate(0, 0, 1).Add(time.Hour), Detail: long},
		{Time: at.AddDate(0, 0, 1).Add(time.Minute), Detail: long},
	} {
		e.URL = cmp.Or(e.URL, "http://a.example/")
		if err := j.Append(e); err != nil {
			t.Fatal(i, err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "2026-05-02.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"url":"http://a.example/","t":"2027-`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// Newest does not read the day before the last two.
	want := map[string]time.Time{"http://a.example/": at.AddDate(0, 0, 1).Add(time.Hour)}
	if newest, err := Newest(dir, until); err != nil || !maps.EqualFunc(newest, want,
		time.Time.Equal) {
		t.Errorf("newest %v, %v", newest, err)
	}
}

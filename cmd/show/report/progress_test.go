package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace: a line has the speed and the remaining time, once they are known.
func TestPace(t *testing.T) {
	for _, c := range []struct {
		done, total int
		took        time.Duration
		want        string
	}{
		{0, 10, time.Second, ""},
		{5, 0, 0, ""},
		{20, 100, 10 * time.Second, ", 2 a second, 40s left"},
		{20, 0, 10 * time.Second, ", 2 a second"},
		{1, 3, time.Minute, ", 1 a minute, 2m left"},
		{10, 10, time.Second, ", 10 a second"},
		{12_345_678, 0, time.Second, ", 12,300,000 a second"},
	} {
		if got := pace(c.done, c.total, c.took); got != c.want {
			t.Errorf("%d of %d in %v: %q, want %q", c.done, c.total, c.took, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		b := NewBar(&out, "bytes", 1<<30)
		time.Sleep(2 * LineEvery)
		b.At(1 << 29)
		if got, want := out.String(),
			"bytes: 536,870,912 of 1,073,741,824, 53,700,000 a second, 10s left\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
	var out bytes.Buffer
	b := NewBar(&out, "servers", 4)
	b.began, b.lastLine = b.began.Add(-2*LineEvery), b.lastLine.Add(-LineEvery)
	b.StepOf("a.example", false)
	b.Step() // too soon for another line
	b.End()
	if got := out.String(); !strings.HasPrefix(got, "servers: 1 of 4, 6 a minute, 3") ||
		!strings.HasSuffix(got, "s left (a.example)\n") || strings.Count(got, "\n") != 1 {
		t.Errorf("%q", got)
	}
}

// TestWidthAndColours: only a terminal has a width of its own and colours. COLUMNS sets a width for
// pipes, too.
func TestWidthAndColours(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for columns, want := range map[string]int{"": 0, "72": 72, "-1": 0, "wide": 0} {
		t.Setenv("COLUMNS", columns)
		if got := Width(f); got != want {
			t.Errorf("COLUMNS=%s: width %d, want %d", columns, got, want)
		}
	}
	if HasColours(f) || HasColours(new(bytes.Buffer)) {
		t.Error("a file has colours")
	}
}

// TestStages: parts of work are shown one after the other, each with its own speed, until the
// context ends.
func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		ctx, cancel := context.WithCancel(t.Context())
		s := NewStages(ctx, &out)
		tell := func(what string, done int, want error) {
			if err := s.Tell(what, done, 10); !errors.Is(err, want) {
				t.Errorf("%s %d: error %v", what, done, err)
			}
		}
		for _, what := range []string{"pages", "days"} {
			tell(what, 0, nil)
			time.Sleep(LineEvery)
			tell(what, 5, nil)
		}
		cancel()
		tell("days", 6, context.Canceled)
		s.End()
		if want := "pages: 5 of 10, 1 a second, 5s left\ndays: 5 of 10, 1 a second, 5s left\n"; out.String() != want {
			t.Errorf("told %q, want %q", out.String(), want)
		}
	})
}

// TestNothingWraps: a rewritten line or bar never takes more columns than the terminal has at that
// moment. Wide characters take two.
func TestNothingWraps(t *testing.T) {
	width := 0
	var out bytes.Buffer
	line := &Line{out: &out, rewrite: true, width: func() int { return width }}
	bar := narrow{&out, func() int { return width }}
	for _, c := range []struct {
		width      int
		text, want string
	}{
		{20, "short", "short"},
		{9, "3 rounds done: 17 visits", "3 rounds…"},
		{8, "\u4e16\u754c\u4e16\u754c\u4e16", "\u4e16\u754c\u4e16…"},
		{5, "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
			"e\u0301e\u0301e\u0301e\u0301…"},
		{3, "a\nb\x1bcd", "a…"},
		{1, "abc", "…"},
	} {
		width = c.width
		out.Reset()
		line.Print(c.text)
		if got, want := out.String(), "\r\x1b[K"+c.want; got != want {
			t.Errorf("line of %d columns: %q, want %q", c.width, got, want)
		}
		out.Reset()
		written := "\r" + strings.Repeat(" ", 30) + "\r" + c.text
		if n, err := bar.Write([]byte(written)); n != len(written) || err != nil {
			t.Errorf("%d bytes written of %d, %v", n, len(written), err)
		}
		if got, want := out.String(), "\r"+strings.Repeat(" ", min(width, 30))+"\r"+
			c.want; got != want {
			t.Errorf("bar of %d columns: %q, want %q", c.width, got, want)
		}
	}
}

// TestLineOfAPipe: outside a terminal there are whole lines and no control characters.
func TestLineOfAPipe(t *testing.T) {
	var out bytes.Buffer
	line := NewLine(&out)
	text := strings.Repeat("long ", 100)
	line.Print(text)
	line.End()
	if out.String() != text+"\n" {
		t.Errorf("%q", out.String())
	}
}

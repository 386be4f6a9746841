package core

import (
	"context"
	"os"
	"strings"
	"testing"
)

// TestDemoIsShort checks that the demo ends in three sentences and keeps its tables for the report.
// --open serves a dashboard over the same web until it is interrupted, and no file remains.
func TestDemoIsShort(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	args := []string{"demo", "--pages", "100", "--weeks", "1", "--html", "",
		"--open", "--listen", "127.0.0.1:0"}
	var out strings.Builder
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	told := &stopAt{text: "dashboard: http://127.0.0.1:", stop: stop}
	if code := Run(ctx, args, &out, told); code != ExitInterrupted || !told.seen {
		t.Errorf("exit code %d, %s", code, told.all.String())
	}
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{" found ", "Type recrawl demo --open for a dashboard",
		"For a site of your own, type recrawl run "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "\n"); n > 30 || strings.Contains(out.String(), "AUC") {
		t.Errorf("%d lines:\n%s", n, out.String())
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// stopAt is a standard error that interrupts once a text was written.
type stopAt struct {
	text string
	stop func()
	all  strings.Builder
	seen bool
}

func (s *stopAt) Write(p []byte) (int, error) {
	s.all.Write(p)
	if !s.seen && strings.Contains(s.all.String(), s.text) {
		s.seen = true
		s.stop()
	}
	return len(p), nil
}

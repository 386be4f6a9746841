package fetch

import (
	"errors"
	"testing"
	"time"
)

func TestContactIsRequired(t *testing.T) {
	for _, agent := range []string{"", "recrawl", "recrawl/1.0", "Mozilla/5.0 (compatible)", "recrawl (http://)", "recrawl @home", "recrawl a@b"} {
		if _, err := New(Options{UserAgent: agent}); !errors.Is(err, ErrNoContact) {
			t.Errorf("user agent %q: %v, want ErrNoContact", agent, err)
		}
	}
	for _, agent := range []string{testAgent, "recrawl me@h.example", "recrawl (+https://h.example/bot)"} {
		if _, err := New(Options{UserAgent: agent}); err != nil {
			t.Errorf("user agent %q: %v", agent, err)
		}
	}
	for _, agent := range []string{"1x http://h.example/", "recrawl http://h.example/\r\nCookie: x"} {
		if _, err := New(Options{UserAgent: agent}); err == nil {
			t.Errorf("user agent %q is taken", agent)
		}
	}
}

func TestInterval(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: 10 * time.Second, NoInterval: 0, time.Second: time.Second} {
		c, err := New(Options{UserAgent: testAgent, Interval: given})
		if err != nil || c.Interval() != want {
			t.Errorf("interval %v becomes %v, want %v (%v)", given, c.Interval(), want, err)
		}
	}
	if _, err := New(Options{UserAgent: testAgent, MaxBody: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

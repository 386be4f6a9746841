package core_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/recrawl/recrawl/fetch/watch"
)

// watchTrial is the output of watch test.
type watchTrial struct {
	Targets []struct {
		Target, Error string
		Took          int64 `json:"took_ns"`
	}
	Failed int
}

// TestWatch checks that a separate watch needs only a file. Its first visit reports nothing, a
// later one the difference. A page without a rule is never visited.
func TestWatch(t *testing.T) {
	t.Parallel()
	var visits, beside atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			price := "ten"
			if visits.Add(1) > 1 {
				price = "twelve"
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(
				w, `<title>Prices</title><nav>visit %d</nav><main><p>The lamp costs %s euros. <a href="/beside">More</a></p></main>`, visits.Load(), price)
		case "/beside":
			beside.Add(1)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	hook, messages := webhook(t)
	file := filepath.Join(t.TempDir(), "watch.yaml")
	writeFile(t, file, fmt.Sprintf("contact: you@example.org\nrules:\n- {name: prices, url: %q, "+
		"max-age: 10s, to: %q}\n", site.URL+"/", hook+"/secret-path"))

	trial := decode[watchTrial](t,
		recrawl(t, "watch", "test", file, "--json").ok(t), true)
	if len(trial.Targets) != 1 || trial.Failed != 0 || trial.Targets[0].Target != hook+"/..." {
		t.Errorf("the trial is %+v", trial)
	}
	if m := <-messages; !m.Sample {
		t.Errorf("the sample is %+v", m)
	}
	// Rounds are aligned to the clock, so the first may be too short for a visit.
	r := recrawl(t, "watch", file, "--allow-private", "--delay", "100ms", "--rounds", "4").ok(t)
	select {
	case m := <-messages:
		text := m.Text(1000)
		if m.Rule != "prices" || m.Subject != "Prices changed" ||
			!strings.Contains(text, "[-ten-] {+twelve+}") || len(messages) > 0 {
			t.Errorf("the message is %+v\n%s", m, text)
		}
	default:
		t.Errorf("no message; %s%s", r.stdout, r.stderr)
	}
	if beside.Load() > 0 {
		t.Error("a page that no rule is of was visited")
	}
	if strings.Contains(r.stdout+r.stderr, "secret-path") {
		t.Errorf("an address is shown: %s", r.stderr)
	}
}

// webhook returns a URL for messages, and the received ones.
func webhook(t *testing.T) (url string, messages chan watch.Message) {
	messages = make(chan watch.Message, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m watch.Message
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &m) != nil {
			t.Errorf("%s, %v", body, err)
		}
		messages <- m
	}))
	t.Cleanup(hook.Close)
	return hook.URL, messages
}

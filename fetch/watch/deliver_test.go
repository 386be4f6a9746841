package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var sample = SampleMessage(time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC))

func getenv(name string) (string, bool) {
	value, ok := map[string]string{"TOKEN": "geheimnis-1", "EMPTY": ""}[name]
	return value, ok
}

// opened returns the sender of a target.
func opened(t *testing.T, target Target) Sender {
	t.Helper()
	sender, err := open(target, getenv)
	if err != nil {
		t.Fatal(err)
	}
	return sender
}

// TestSignature compares with the example in the Standard Webhooks specification, made by its own
// libraries: ID, time and body with dots between.
func TestSignature(t *testing.T) {
	sender, err := newWebhook("https://example.org/", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", nil)
	if err != nil {
		t.Fatal(err)
	}
	got := Sign(sender.(*webhook).key, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0),
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	var got http.Header
	var body []byte
	status := http.StatusNoContent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, _ = io.ReadAll(r.Body)
		if status/100 == 3 {
			w.Header().Set("Location", "/elsewhere")
		}
		w.WriteHeader(status)
	}))
	defer server.Close()
	sender := opened(t, Target{Webhook: server.URL + "/${TOKEN}", Secret: "${TOKEN}"})
	if err := sender.Send(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	var at int64
	fmt.Sscan(got.Get("Webhook-Timestamp"), &at)
	if want := Sign([]byte("geheimnis-1"), sample.ID, time.Unix(at, 0),
		body); got.Get("Webhook-Signature") != want || time.Since(time.Unix(at, 0)) > time.Minute {
		t.Errorf("signed %v, want %s", got, want)
	}
	var m Message
	if err := json.Unmarshal(body, &m); err != nil || m.ID != sample.ID ||
		got.Get("Webhook-Id") != m.ID || m.Groups[0].Items[0].Difference.Added != 1 {
		t.Errorf("body %s, %v", body, err)
	}
	for _, status = range []int{302, 404, 500} {
		if err := sender.Send(t.Context(), sample); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprint(status)) {
			t.Errorf("status %d: %v", status, err)
		}
	}
	server.Close()
	if err := sender.Send(t.Context(), sample); err == nil ||
		strings.Contains(err.Error(), "geheimnis") {
		t.Errorf("a server that is away: %v", err)
	}
}

func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it needs a shell of Unix to stand for a program")
	}
	t.Setenv("TOKEN", "geheimnis")
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	// The message is on standard input, arguments are unchanged, and no secret is in the
	// environment.
	sender := opened(t, Target{Command: []string{"sh", "-c", `cat >"$1"; env >"$1.env"`, "x",
		out + " $(id)"}})
	if err := sender.Send(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	var m Message
	body, err := os.ReadFile(out + " $(id)")
	if err != nil || json.Unmarshal(body, &m) != nil || m.ID != sample.ID {
		t.Errorf("standard input was %s, %v", body, err)
	}
	if env, err := os.ReadFile(out + " $(id).env"); err != nil ||
		strings.Contains(string(env), "geheimnis") || !strings.Contains(string(env), "PATH=") {
		t.Errorf("environment %s, %v", env, err)
	}
	// A target with text gets the text for people.
	sender = opened(t, Target{Text: true,
		Command: []string{"sh", "-c", `cat >"$1"`, "x", out}})
	if err := sender.Send(t.Context(), sample); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(out); err != nil || !strings.HasPrefix(string(text),
		"A sample of recrawl watch changed\n\n") || !strings.Contains(string(text),
		"[-ten-] {+twelve+}") {
		t.Errorf("standard input was %s, %v", text, err)
	}
	sender = opened(t, Target{Command: []string{"sh", "-c", "head -c 100000 /dev/zero | tr " +
		"'\\0' x; echo the end >&2; exit 3"}})
	if err := sender.Send(t.Context(), sample); err == nil ||
		!strings.Contains(err.Error(), "exit status 3") || len(err.Error()) > 1000 {
		t.Errorf("a program that fails: %v", err)
	}
	// A program that does not end is killed with its children, which hold the pipe.
	sender = opened(t, Target{Command: []string{"sh", "-c", "sleep 60 & sleep 60"}})
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := sender.Send(ctx, sample); err == nil ||
		!strings.Contains(err.Error(), "did not end in time") {
		t.Errorf("a program that does not end: %v", err)
	}
	if _, err := open(Target{Command: []string{filepath.Join(dir, "none")}},
		getenv); err == nil {
		t.Error("a program that is not there is taken")
	}
}

// TestSecrets checks that no error shows the hidden parts of a URL.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"http://127.0.0.1:9/geheimnis-2?key=geheimnis",
		"http://me:geheimnis%40x@127.0.0.1:9/?from=a@b.example",
		"http://GEHEIM1-GEHEIM2-GEHEIM3456789@127.0.0.1:9/hook/geheim1234567",
		"discord://geheimnis1234@123456789", "http://127.0.0.1:x/geheimnis",
	} {
		var hidden secrets
		hidden.hideAddress(address)
		// Libraries print the URL, or parts of it in another order.
		said := fmt.Errorf(
			"post %q: https://api.example/geheimnis1234/GEHEIM3456789/geheim123:AAgeheimnis/%s: "+
				"refused", address, "x")
		for part := range strings.FieldsFuncSeq(address, func(r rune) bool {
			return strings.ContainsRune(":/@?=&", r)
		}) {
			if strings.Contains(strings.ToLower(part), "geheim") {
				if got := hidden.clean(fmt.Errorf("dial %s: refused: %w",
					part, said)).Error(); strings.Contains(got, part) {
					t.Errorf("%s: %q is shown in %q", address, part, got)
				}
			}
		}
		sender, err := open(Target{Webhook: address}, getenv)
		if err == nil {
			err = sender.Send(t.Context(), sample)
		}
		if err == nil || strings.Contains(strings.ToLower(err.Error()), "geheim") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, test := range []struct {
		target Target
		want   string // "": accepted
	}{
		{Target{File: file("hook", "https://example.org/geheim\n", 0o600)}, ""},
		{Target{File: file("open", "https://example.org/geheim\n", 0o640)}, "mode 0640"},
		{Target{File: file("two", "discord://geheim@1\nx\n", 0o600)}, "one line"},
		{Target{File: filepath.Join(dir, "none")}, "no such file"},
		{Target{File: dir}, "is no file"},
		{Target{Webhook: "https://${MISSING}@a.example/"}, "the environment has no MISSING"},
		{Target{Webhook: "https://${EMPTY}@a.example/"}, "the environment has no EMPTY"},
		{Target{Webhook: "discord://geheim@1"}, "mail want a command"},
		{Target{Webhook: "https://"}, "a webhook wants"},
		{Target{Webhook: "https://example.org/", Secret: "whsec_?"}, "base64"},
	} {
		f := &File{Targets: map[string]Target{"x": test.target}}
		senders, err := OpenSenders(f, getenv)
		var of *DeliveryError
		switch {
		case test.want == "" && (err != nil || senders["x"] == nil):
			t.Errorf("%+v: %v", test.target, err)
		case test.want != "" &&
			(!errors.As(err, &of) || !strings.Contains(err.Error(), test.want) ||
				strings.Contains(err.Error(), "geheim") || of.Hint() == ""):
			t.Errorf("%+v: %v", test.target, err)
		}
	}
}

func TestTry(t *testing.T) {
	t.Parallel()
	f := &File{Targets: map[string]Target{
		"dead": {Webhook: "http://127.0.0.1:9/geheimnis"}, "true": {Command: []string{"true"}}}}
	senders, err := OpenSenders(f, getenv)
	if err != nil {
		t.Fatal(err)
	}
	trial := Try(t.Context(), f, senders)
	if trial.Failed != 1 || len(trial.Targets) != 2 || trial.Targets[0].Error == "" ||
		trial.Targets[1].Error != "" {
		t.Errorf("%+v", trial)
	}
}

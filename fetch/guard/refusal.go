package guard

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

// Names of limits in messages, logs and the summary.
const (
	LimitInterval   = "interval"
	LimitParallel   = "parallel"
	LimitHour       = "hour"
	LimitBytes      = "bytes"
	LimitAnswer     = "answer-bytes"
	LimitTurns      = "tunnel-turns"
	LimitSent       = "tunnel-sent"
	LimitConnect    = "connect"
	LimitRemembered = "addresses"
	LimitStopped    = "stopped"
)

// Scopes of limits.
const (
	ScopeAddress = "address"
	ScopeHost    = "host"
	ScopeAll     = "all"
	ScopeTunnel  = "tunnel"
	ScopeAnswer  = "answer"
)

// stoppedFor is the wait that a client gets if something is shut until the guard ends.
const stoppedFor = time.Hour

// Refusal is a violation: a limit, and what exceeded it.
type Refusal struct {
	Limit   string
	Scope   string
	Host    string
	Address netip.Addr
	Allowed string // the limit
	Got     string // what exceeded it
	Wait    time.Duration
	Stops   string // scope that this violation shut; "": none
}

// text describes the refusal for people.
func (r *Refusal) text() string {
	who := map[string]string{ScopeHost: r.Host, ScopeAll: "all addresses together"}[r.Scope]
	if who == "" {
		who = r.Address.String()
	}
	switch r.Limit {
	case LimitInterval:
		return fmt.Sprintf("%s was asked %s ago; %s must lie between two requests",
			who, r.Got, r.Allowed)
	case LimitParallel:
		return fmt.Sprintf("%s is being asked; requests at a time: at most %s", who, r.Allowed)
	case LimitHour:
		return fmt.Sprintf("%s had its requests of this hour: at most %s", who, r.Allowed)
	case LimitBytes:
		return fmt.Sprintf("%s had its bytes of this hour: at most %s", who, r.Allowed)
	case LimitStopped:
		return fmt.Sprintf("%s: shut after %s violations in a row, until the guard ends",
			who, r.Allowed)
	case LimitRemembered:
		return fmt.Sprintf("%s is new, and %s addresses are remembered already; a larger "+
			"--addresses has room", who, r.Allowed)
	case LimitConnect:
		return "this guard refuses tunnels (CONNECT), since it cannot see inside"
	}
	return fmt.Sprintf("%s: more than %s", r.Limit, r.Allowed)
}

// answer refuses a request: status 429 with the limit (RFC 6585 4, RFC 9209 2.3.18).
func (r *Refusal) answer(w http.ResponseWriter, nonce string) {
	seconds := strconv.Itoa(int(math.Ceil(max(r.Wait, time.Second).Seconds())))
	w.Header().Set("Retry-After", seconds)
	deny(w, http.StatusTooManyRequests, "http_request_denied", fmt.Sprintf("; limit=%s; scope=%s",
		r.Limit, r.Scope), nonce,
		fmt.Sprintf("limit %s: %s. Try again in %s s", r.Limit, r.text(), seconds))
}

// Name is the name of the guard in Via and Proxy-Status.
const Name = "recrawl-guard"

// deny answers with an error of the guard itself. more are further parameters of Proxy-Status.
func deny(w http.ResponseWriter, status int, kind, more, nonce, text string) {
	h := w.Header()
	if nonce != "" {
		more += fmt.Sprintf("; nonce=%q", nonce)
	}
	h.Set("Proxy-Status", fmt.Sprintf("%s; error=%s%s; details=%q", Name, kind, more, ascii(text)))
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, "recrawl guard: %s.\n", text)
}

// ascii returns the characters that a quoted string of a header field may contain (RFC 8941 3.3.3).
func ascii(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			out[i] = '\''
		}
	}
	return string(out)
}

// mostLines limits the logged violations in a second.
const mostLines = 100

// teller logs violations. Goroutines may share it.
type teller struct {
	log *slog.Logger

	mu     sync.Mutex
	second int64
	lines  int
	silent int64
}

// note logs a violation. One that shuts something is always logged.
func (t *teller) note(r *Refusal, client string) {
	if t.log == nil {
		return
	}
	t.mu.Lock()
	now := time.Now().Unix()
	if now != t.second {
		t.flush()
		t.second, t.lines = now, 0
	}
	t.lines++
	quiet := t.lines > mostLines && r.Stops == ""
	if quiet {
		t.silent++
	}
	t.mu.Unlock()
	if quiet {
		return
	}
	t.log.Warn("refused", "limit", r.Limit, "scope", r.Scope, "host", r.Host, "address",
		r.Address.String(),
		"allowed", r.Allowed, "got", r.Got, "wait_s", math.Ceil(r.Wait.Seconds()), "client", client)
	if r.Stops != "" {
		t.log.Error("shut until the guard ends", "scope", r.Stops, "address", r.Address.String(),
			"host", r.Host)
	}
}

// flush logs how many lines were left out. The caller holds the mutex.
func (t *teller) flush() {
	if t.silent > 0 {
		t.log.Warn("more refused than lines", "refused", t.silent)
	}
	t.silent = 0
}

// end logs what is still missing.
func (t *teller) end() {
	if t.log != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.flush()
	}
}

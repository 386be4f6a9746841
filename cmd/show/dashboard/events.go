package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/recrawl/recrawl/cmd/show/view"
)

const (
	eventsEvery   = 2 * time.Second
	mostListeners = 64
)

// live is the content of an event.
type live struct {
	Now    *view.Now    `json:"now"`
	Visits []view.Visit `json:"visits"` // the last ones, the newest first
}

// eventVisits bounds the visits of an event.
const eventVisits = 12

// events sends the state of the run to all listeners. Without listeners it makes no looks.
type events struct {
	s         *Server
	mu        sync.Mutex
	listeners map[chan []byte]bool
}

func newEvents(s *Server) *events { return &events{s: s, listeners: map[chan []byte]bool{}} }

func (e *events) run(ctx context.Context) {
	tick := time.NewTicker(eventsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		e.mu.Lock()
		n := len(e.listeners)
		e.mu.Unlock()
		if n == 0 {
			continue
		}
		text, err := e.s.event(ctx)
		if err != nil {
			continue // the loop is busy: the next event has it
		}
		e.mu.Lock()
		for l := range e.listeners {
			select {
			case l <- text:
			default: // the listener is slow and gets the next one
			}
		}
		e.mu.Unlock()
	}
}

// event returns the bytes of an event.
func (s *Server) event(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, eventsEvery)
	defer cancel()
	now, err := s.o.Desk.Now(ctx)
	if err != nil {
		return nil, err
	}
	visits, _ := s.o.Desk.Visits()
	text, err := json.Marshal(live{now, visits[:min(len(visits), eventVisits)]})
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "event: now\ndata: %s\n\n", text), nil
}

// ServeHTTP sends events until the listener goes away.
func (e *events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l := make(chan []byte, 1)
	e.mu.Lock()
	full := len(e.listeners) >= mostListeners
	if !full {
		e.listeners[l] = true
	}
	e.mu.Unlock()
	if full {
		w.Header().Set("Retry-After", "30")
		e.s.refuse(w, r, http.StatusServiceUnavailable, fmt.Sprintf("%d listen already",
			mostListeners))
		return
	}
	defer func() {
		e.mu.Lock()
		delete(e.listeners, l)
		e.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // the server's own limit would end the answer
	send := func(text []byte) bool {
		// Without a deadline the write just waits.
		_ = out.SetWriteDeadline(time.Now().Add(10 * time.Second))
		_, err := w.Write(text)
		return err == nil && out.Flush() == nil
	}
	if text, err := e.s.event(r.Context()); err == nil && !send(text) {
		return
	}
	alive := time.NewTicker(15 * time.Second)
	defer alive.Stop()
	for {
		select {
		case text := <-l:
			if !send(text) {
				return
			}
		case <-alive.C:
			if !send([]byte(": still here\n\n")) {
				return
			}
		case <-r.Context().Done():
			return
		case <-e.s.o.Desk.Ended():
			send([]byte("event: end\ndata: {}\n\n"))
			return
		}
	}
}

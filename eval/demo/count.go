package demo

import (
	"sync"
	"time"

	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/satstore"
)

// httpCount counts the requests at the virtual servers.
type httpCount struct {
	mu       sync.Mutex
	requests int
	notMod   int
	last     map[string]time.Time
	leastGap time.Duration
}

func newHTTPCount() *httpCount {
	return &httpCount{last: map[string]time.Time{}, leastGap: -1}
}

// rewind prepares for another visitor with its own clock.
func (h *httpCount) rewind() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for server := range h.last {
		h.last[server] = time.Time{}
	}
}

func (h *httpCount) log(a timetravel.Access) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests++
	if a.Status == 304 {
		h.notMod++
	}
	if before := h.last[a.Server]; !before.IsZero() {
		if gap := a.Time.Sub(before); h.leastGap < 0 || gap < h.leastGap {
			h.leastGap = gap
		}
	}
	h.last[a.Server] = a.Time
}

// HTTPResult summarizes the run over HTTP.
type HTTPResult struct {
	Policy          string  `json:"policy"` // of the weeks
	Visits          int     `json:"visits"`
	Requests        int     `json:"requests"` // robots.txt included
	NotModified     int     `json:"not_modified"`
	Servers         int     `json:"servers"`
	LeastGapSeconds float64 `json:"least_gap_seconds"` // virtual, between two requests to a server
	Seconds         float64 `json:"seconds"`           // real
	StorePages      int     `json:"store_pages"`
	StoreBytes      int64   `json:"store_bytes"`
	Archive         *Kept   `json:"archive,omitempty"` // nil: there is no archive
}

func (h *httpCount) result(visits int, elapsed time.Duration, s satstore.Stats) HTTPResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	return HTTPResult{Visits: visits, Requests: h.requests, NotModified: h.notMod,
		Servers:         len(h.last),
		LeastGapSeconds: h.leastGap.Seconds(), Seconds: elapsed.Seconds(),
		StorePages: s.Pages, StoreBytes: s.DiskBytes + s.BufferBytes}
}

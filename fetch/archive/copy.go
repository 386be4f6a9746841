package archive

import (
	"crypto/md5"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/sitegraph"
)

// mostCopies is how many captures of a page are read to find its copy. It is nearly always that of
// the last proper answer.
const mostCopies = 4

// copyOf finds the copy of a page among its latest captures, the newest first: a body whose first
// most octets, content coding undone, have a digest. False: it is not here, or cannot be read.
func (a *Archive) copyOf(past []*Capture, of sitegraph.Digest, most int64) (
	body []byte, contentType string, ok bool) {
	files := a.shelf()
	for _, c := range past[:min(len(past), mostCopies)] {
		answer, err := files.answer(c)
		if err != nil || answer.Status != 200 && answer.Status != 203 {
			continue
		}
		if body, err = answer.Text(most); err == nil && md5.Sum(body) == of {
			return body, answer.Get("Content-Type"), true
		}
	}
	return nil, "", false
}

// Held is what the archive has of an address.
type Held struct {
	Checked time.Time // of the latest capture; zero: there is none
	// Since is that of the first capture of the same content, as far as the index tells: Checked,
	// if the latest capture brought another one.
	Since  time.Time
	Status string // of the latest capture; that of a revisit is of its own header
	Whole  bool   // the body is not cut, but perhaps at the limit of length
	MIME   string // of the answer, where the index tells it; else ""
	Count  int    // captures, of the latest

	past []*Capture
}

// Held returns what the archive has of an address. What is not yet synced is not seen.
func (a *Archive) Held(url string) (h Held, err error) {
	if h.past, err = a.past(url); err != nil || len(h.past) == 0 {
		return h, err
	}
	last := h.past[0]
	h.Count = len(h.past)
	for _, c := range h.past {
		if c.MIME != Revisit {
			h.MIME = c.MIME
			break
		}
	}
	h.Checked, h.Since, h.Status, h.Whole = last.Time, last.Time, last.Status,
		last.Truncated == "" || last.Truncated == fetch.CutLength.String()
	if last.MIME != Revisit {
		return h, nil
	}
	if at, err := warc.ParseDate(last.RefersDate); err == nil && last.RefersURI == url &&
		at.Before(h.Since) {
		h.Since = at
	}
	for _, c := range h.past[1:] {
		if c.Digest != last.Digest && last.Status != "304" {
			break
		}
		if c.Time.Before(h.Since) {
			h.Since = c.Time
		}
		if c.MIME != Revisit {
			break
		}
	}
	return h, nil
}

// Answer returns the latest answer that has a body or leads elsewhere, and the body, content coding
// undone, at most most octets of it. False: there is none, or it cannot be read.
func (a *Archive) Answer(h Held, most int64) (answer *Answer, body []byte, ok bool) {
	for _, c := range h.past[:min(len(h.past), mostCopies)] {
		answer, err := a.shelf().answer(c)
		if err != nil || answer.Status != 200 && answer.Status != 203 && answer.Status/100 != 3 {
			continue
		}
		if body, err = answer.Text(most); err == nil {
			return answer, body, true
		}
	}
	return nil, nil, false
}

// shelf reads the files of the archive.
func (a *Archive) shelf() shelf {
	return shelf{a.dir, func(url string, near time.Time, most int) ([]*Capture, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.index.of(url, near, most)
	}}
}

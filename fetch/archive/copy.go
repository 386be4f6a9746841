package archive

import (
	"crypto/md5"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/sitegraph"
)

// mostCopies is the number of captures that are read to find the copy of a page. Nearly always it
// is the last successful one.
const mostCopies = 4

// copyOf finds the copy of a page among its latest captures, newest first: a body whose first most
// octets have a digest, with content coding undone. It returns false if the copy is not here or
// unreadable.
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

// Held describes the captures of a URL.
type Held struct {
	Checked time.Time // of the latest capture; zero: there is none
	// Since is the time of the first capture with the same content, according to the index. It
	// equals Checked if the latest capture brought a new one.
	Since  time.Time
	Status string // of the latest capture; for a revisit, the one in its own header
	Whole  bool   // the body is whole, or cut only by the limit of length
	MIME   string // of the answer, if the index has it; else ""
	Count  int    // captures read, the latest ones

	past []*Capture
}

// Held returns the state of a URL in the archive, without captures that are not synced yet.
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

// Answer returns the latest answer with a body or a redirect, and at most most octets of its body,
// with content coding undone. It returns false if there is none or it is unreadable.
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

// shelf returns the files of the archive.
func (a *Archive) shelf() shelf {
	return shelf{a.dir, func(url string, near time.Time, most int) ([]*Capture, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.index.of(url, near, most)
	}}
}

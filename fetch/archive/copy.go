package archive

import (
	"crypto/md5"
	"time"

	"github.com/recrawl/recrawl/fetch/archive/cdxj"
	"github.com/recrawl/recrawl/sitegraph"
)

// mostCopies is how many captures of a page are read to find its copy. It is nearly always that of
// the last proper answer.
const mostCopies = 4

// copyOf finds the copy of a page among its latest captures, the newest first: a body whose first
// most octets, content coding undone, have a digest. False: it is not here, or cannot be read.
func (a *Archive) copyOf(past []*cdxj.Capture, of sitegraph.Digest, most int64) (
	body []byte, contentType string, ok bool) {
	files := shelf{a.dir, func(url string, near time.Time, most int) ([]*cdxj.Capture, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.index.of(url, near, most)
	}}
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

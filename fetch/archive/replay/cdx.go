package replay

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/archive"
)

// serveIndex answers requests to the CDX server of the Wayback Machine: captures, a line each.
func (s *Server) serveIndex(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out := &lines{query: q, w: bufio.NewWriterSize(w, 64<<10)}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if q.output == "json" {
		w.Header().Set("Content-Type", "application/json")
	}
	switch {
	case q.pages:
		n := 0
		q.offset = 0
		count := func(*archive.Capture, string) error { n++; return nil }
		if err = s.captures(r, q, count); err == nil {
			fmt.Fprintln(out.w, (n+max(q.limit, 1)-1)/max(q.limit, 1))
		}
	case q.limit < 0 || !q.closest.IsZero():
		err = s.some(r, q, out)
	default:
		err = s.all(r, q, out)
	}
	if err != nil {
		if !out.begun {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		panic(http.ErrAbortHandler) // clients would take a cut answer for a whole one
	}
	_ = out.w.Flush() // the client left
}

// captures yields the requested captures, from the start or a resume key. Each comes with the key
// that continues after it.
func (s *Server) captures(r *http.Request, q *query,
	yield func(c *archive.Capture, resume string) error) error {
	before, at, behind := "", resumption{}, 0
	for _, key := range q.keys {
		from := max(key, q.resume.line)
		err := s.r.From(from, func(c *archive.Capture) error {
			if err := r.Context().Err(); err != nil {
				return err
			}
			line := c.Key + " " + archive.Stamp(c.Time)
			if !strings.HasPrefix(line, key) {
				return io.EOF
			}
			if line != at.line {
				at, behind = resumption{line: line}, 0
			}
			if behind++; line == q.resume.line && behind <= q.resume.behind || !q.takes(c) {
				return nil
			}
			if len(q.collapse) > 0 {
				same := q.same(c)
				if same == before {
					return nil
				}
				before = same
			}
			at.behind = behind
			return yield(c, at.String())
		})
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// errEnough ends an answer at its limit of lines.
var errEnough = errors.New("enough")

// all writes captures in order, up to the limit.
func (s *Server) all(r *http.Request, q *query, out *lines) error {
	last, more, n := "", false, 0
	err := s.captures(r, q, func(c *archive.Capture, resume string) error {
		if n++; n <= q.offset {
			return nil
		}
		if n > q.offset+q.limit {
			more = true
			return errEnough
		}
		last = resume
		return out.write(c)
	})
	if err != nil && err != errEnough {
		return err
	}
	if q.paged && !out.begun {
		return nil // pages end with an empty one
	}
	if more && q.resumes {
		return out.end(last)
	}
	return out.end("")
}

// some writes the last captures, or those closest to a moment, closest first.
func (s *Server) some(r *http.Request, q *query, out *lines) error {
	most := min(max(q.limit, -q.limit), mostKept)
	var kept []*archive.Capture
	trim := func() {
		if !q.closest.IsZero() {
			slices.SortStableFunc(kept, func(a, b *archive.Capture) int {
				return cmp.Compare(a.Time.Sub(q.closest).Abs(), b.Time.Sub(q.closest).Abs())
			})
			kept = kept[:min(len(kept), most)]
		}
		kept = slices.Clone(kept[max(len(kept)-most, 0):])
	}
	if err := s.captures(r, q, func(c *archive.Capture, _ string) error {
		if kept = append(kept, c); len(kept) > 2*most {
			trim()
		}
		return nil
	}); err != nil {
		return err
	}
	trim()
	for _, c := range kept {
		if err := out.write(c); err != nil {
			return err
		}
	}
	return out.end("")
}

// lines writes an answer.
type lines struct {
	*query
	w     *bufio.Writer
	begun bool
}

func (l *lines) write(c *archive.Capture) error {
	if l.output == "cdxj" {
		l.begun = true
		plain := c.Plain()
		line, err := archive.AppendIndexLine(nil, &plain)
		if err != nil {
			return err
		}
		_, err = l.w.Write(line)
		return err
	}
	values := make([]string, len(l.fields))
	for i, field := range l.fields {
		values[i] = value(c, field)
	}
	if l.output == "json" {
		return l.row(values)
	}
	l.begun = true
	_, err := l.w.WriteString(strings.Join(values, " ") + "\n")
	return err
}

// row writes a row of JSON: the first one has the names of the fields.
func (l *lines) row(values []string) error {
	text, err := json.Marshal(values)
	if err != nil {
		return err
	}
	if !l.begun {
		l.begun = true
		names, err := json.Marshal(l.fields)
		if err != nil {
			return err
		}
		l.w.WriteString("[" + string(names)) // the next write returns the error again
	}
	_, err = l.w.WriteString(",\n" + string(text))
	return err
}

// end ends an answer, with the key to continue it; "" if there is none, or it is not wanted.
func (l *lines) end(resume string) error {
	if l.output != "json" {
		if resume == "" {
			return nil
		}
		_, err := l.w.WriteString("\n" + resume + "\n")
		return err
	}
	if !l.begun {
		_, err := l.w.WriteString("[]\n")
		return err
	}
	if resume != "" {
		if err := errors.Join(l.row([]string{}), l.row([]string{resume})); err != nil {
			return err
		}
	}
	_, err := l.w.WriteString("]\n")
	return err
}

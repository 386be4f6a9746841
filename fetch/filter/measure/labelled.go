// Package measure says how often filters are right about pages that people have labelled: precision
// and recall, with intervals, and the pages that were judged wrongly. It is what recrawl show
// filters prints. Nothing here is for concurrent use.
//
// Precision is the share of labelled pages among those rejected, recall the share of rejected pages
// among those labelled. Their intervals are those of Wilson (1927), at 95 %.
package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
)

const (
	mostLine  = 4 << 20 // octets of a labelled page
	mostPages = 1_000_000
	// mostWrong bounds the pages that are named, of each filter.
	mostWrong = 20
)

// Labelled is a page, and what people say of it: a line of JSON in a file.
type Labelled struct {
	URL             string `json:"url"`
	HTML            string `json:"html"`
	ContentLanguage string `json:"content_language"` // the header field

	// Language is the page's; "": not labelled, and filters of languages are not measured by it.
	Language string `json:"language"`
	// Reject are the filters that should reject it; null: not labelled, and only filters of
	// languages are measured by it.
	Reject []string `json:"reject"`
}

// LineError is the error of a line that is no labelled page.
type LineError struct {
	File string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Hint says where the user finds what is right.
func (e *LineError) Hint() string {
	return "recrawl show filters --help has what a labelled page is"
}

// Result is how often filters are right.
type Result struct {
	Filters   []Score    `json:"filters"`
	Languages []Language `json:"languages"` // of the labelled pages, whatever filters there are
	Decided   []Decided  `json:"decided"`   // by what their language was told
	Pages     int        `json:"pages"`
}

// Score is how often a filter is right.
type Score struct {
	Filter string  `json:"filter"`
	Kind   string  `json:"kind"`
	Counts         // of rejected pages
	Failed int     `json:"failed"` // pages that it could not judge; they count as kept
	Wrong  []Wrong `json:"wrong"`  // some of them
}

// Wrong is a page that a filter judges otherwise than people.
type Wrong struct {
	URL      string `json:"url"`
	Rejected bool   `json:"rejected"`
	Why      string `json:"why"`
}

// Language is how often pages in a language are told to be in it.
type Language struct {
	Language string `json:"language"`
	Counts
	Unknown int `json:"unknown"` // pages in it whose language could not be told
}

// Decided is how often something that tells the language is right.
type Decided struct {
	By    string `json:"by"` // text, lang, header
	Pages int    `json:"pages"`
	Right int    `json:"right"`
}

// ErrNone says that no filter was given.
var ErrNone error = none{}

type none struct{}

func (none) Error() string { return "there is no filter" }
func (none) Hint() string {
	return "name a file with --filters, or languages with --languages de,en"
}

// Of measures filters by the labelled pages of a file of JSON lines. Of no file, "", the result
// says what filters there are. The error is a LineError where a line is no labelled page, and
// ErrNone for a nil set.
func Of(ctx context.Context, name string, set *filter.Set) (*Result, error) {
	if set == nil {
		return nil, ErrNone
	}
	r := &Result{Filters: []Score{}, Languages: []Language{}, Decided: []Decided{}}
	for _, f := range set.Filters() {
		r.Filters = append(r.Filters, Score{Filter: f.Filter, Kind: f.Kind, Wrong: []Wrong{}})
	}
	if name == "" {
		return r, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	languages := map[string]*Language{}
	decided := map[string]*Decided{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, mostLine)
	line := 0
	for in.Scan() {
		line++
		if len(in.Bytes()) == 0 {
			continue
		}
		page, err := parse(in.Bytes())
		if err == nil && r.Pages == mostPages {
			err = fmt.Errorf("there are more than %d pages", mostPages)
		}
		if err != nil {
			return nil, &LineError{name, line, err}
		}
		if err := r.take(ctx, page, set, languages, decided); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); err != nil {
		return nil, &LineError{name, line + 1, err}
	}
	r.collect(languages, decided)
	return r, nil
}

func parse(line []byte) (*Labelled, error) {
	page := new(Labelled)
	if err := json.Unmarshal(line, page); err != nil {
		return nil, fmt.Errorf("it is no JSON of a page: %w", err)
	}
	if page.URL == "" || page.HTML == "" || page.Language == "" && page.Reject == nil {
		return nil, errors.New("it is no labelled page: want url, html, and language or reject")
	}
	if page.Language != "" {
		base, err := filter.BaseLanguage(page.Language)
		if err != nil {
			return nil, fmt.Errorf("language %.40q: %w", page.Language, err)
		}
		page.Language = base
	}
	return page, nil
}

// take judges a page as a visit does.
func (r *Result) take(
	ctx context.Context, l *Labelled, set *filter.Set, languages map[string]*Language,
	decided map[string]*Decided,
) error {
	read := extract.HTML([]byte(l.HTML), "text/html; charset=utf-8", l.URL,
		extract.Options{Seen: true, ContentLanguage: l.ContentLanguage})
	page := fetch.Judged(l.URL, &read)
	all, err := set.All(ctx, page)
	if err != nil {
		return err
	}
	r.Pages++
	for _, j := range all {
		i := slices.IndexFunc(r.Filters, func(s Score) bool { return s.Filter == j.Filter })
		r.Filters[i].take(l, &j, set)
	}
	if l.Language == "" {
		return nil
	}
	of := func(code string) *Language {
		if languages[code] == nil {
			languages[code] = &Language{Language: code}
		}
		return languages[code]
	}
	is := filter.LanguageOf(page)
	switch {
	case is.Code == l.Language:
		of(is.Code).Hits++
	case is.Code == "":
		of(l.Language).Misses++
		of(l.Language).Unknown++
	default:
		of(l.Language).Misses++
		of(is.Code).FalseAlarms++
	}
	if is.From != "" {
		if decided[is.From] == nil {
			decided[is.From] = &Decided{By: is.From}
		}
		decided[is.From].Pages++
		if is.Code == l.Language {
			decided[is.From].Right++
		}
	}
	return nil
}

// take counts a judgement.
func (s *Score) take(l *Labelled, j *filter.Judgement, set *filter.Set) {
	var should bool
	if wanted, ofLanguages := set.Wants(s.Filter, l.Language); ofLanguages {
		if l.Language == "" {
			return
		}
		should = !wanted
	} else if l.Reject == nil {
		return
	} else {
		should = slices.Contains(l.Reject, s.Filter)
	}
	if j.Error != "" {
		s.Failed++
		j.Why = j.Error
	}
	s.count(should, j.Reject)
	if should != j.Reject && len(s.Wrong) < mostWrong {
		s.Wrong = append(s.Wrong, Wrong{l.URL, j.Reject, j.Why})
	}
}

func (r *Result) collect(languages map[string]*Language, decided map[string]*Decided) {
	for i := range r.Filters {
		r.Filters[i].rate()
	}
	for _, l := range languages {
		l.rate()
		r.Languages = append(r.Languages, *l)
	}
	slices.SortFunc(r.Languages, func(a, b Language) int {
		return strings.Compare(a.Language, b.Language)
	})
	for _, by := range []string{"text", "lang", "header"} {
		if d := decided[by]; d != nil {
			r.Decided = append(r.Decided, *d)
		}
	}
}

package eval

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
	// mostWrong limits the pages that are named for each filter.
	mostWrong = 20
)

// LabelledPage is a page with labels by people: a line of JSON in a file.
type LabelledPage struct {
	URL             string `json:"url"`
	HTML            string `json:"html"`
	ContentLanguage string `json:"content_language"` // the header field

	// Language is the language of the page; "": not labelled, and filters of languages are not
	// measured on it.
	Language string `json:"language"`
	// Reject lists the filters that should reject the page; null: not labelled, and only filters of
	// languages are measured on it.
	Reject []string `json:"reject"`
}

// LabelledLineError is the error of an invalid line.
type LabelledLineError struct {
	File string
	Line int
	Err  error
}

func (e *LabelledLineError) Error() string {
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line,
		e.Err)
}
func (e *LabelledLineError) Unwrap() error { return e.Err }

// Hint returns where labelled pages are documented.
func (e *LabelledLineError) Hint() string {
	return "recrawl show filters --help has what a labelled page is"
}

// FilterResult measures filters on pages that people labelled: precision and recall, with
// intervals, and the pages with wrong verdicts. recrawl show filters prints it. One goroutine uses
// it.
//
// Precision is the share of labelled pages among those rejected, recall the share of rejected pages
// among those labelled. Intervals are those of Wilson (1927), at 95 %.
type FilterResult struct {
	Filters []FilterScore `json:"filters"`
	// Languages counts the labelled pages, also without filters.
	Languages []FilterLanguage `json:"languages"`
	Decided   []FilterDecided  `json:"decided"` // by evidence for their language
	Pages     int              `json:"pages"`
}

// FilterScore counts how often a filter is right.
type FilterScore struct {
	Filter       string            `json:"filter"`
	Kind         string            `json:"kind"`
	FilterCounts                   // of rejected pages
	Failed       int               `json:"failed"` // pages that it could not judge; they count as kept
	Wrong        []WronglyFiltered `json:"wrong"`  // some of them
}

// WronglyFiltered is a page on which a filter and people disagree.
type WronglyFiltered struct {
	URL      string `json:"url"`
	Rejected bool   `json:"rejected"`
	Why      string `json:"why"`
}

// FilterLanguage counts how often pages in a language are recognised.
type FilterLanguage struct {
	Language string `json:"language"`
	FilterCounts
	Unknown int `json:"unknown"` // pages in it that were not recognised
}

// FilterDecided counts how often one kind of evidence for the language is right.
type FilterDecided struct {
	By    string `json:"by"` // text, lang, header
	Pages int    `json:"pages"`
	Right int    `json:"right"`
}

// ErrNoFilter is returned for a measurement without a filter.
var ErrNoFilter error = noFilter{}

type noFilter struct{}

func (noFilter) Error() string { return "there is no filter" }
func (noFilter) Hint() string {
	return "name a file with --filters, or languages with --languages de,en"
}

// MeasureFilters measures filters on the labelled pages of a file of JSON lines. For "" the result
// only lists the filters. The error is a LabelledLineError for an invalid line, and ErrNoFilter for
// a nil set.
func MeasureFilters(ctx context.Context, name string, set *filter.Set) (*FilterResult, error) {
	if set == nil {
		return nil, ErrNoFilter
	}
	r := &FilterResult{Filters: []FilterScore{}, Languages: []FilterLanguage{},
		Decided: []FilterDecided{}}
	for _, f := range set.Filters() {
		r.Filters = append(r.Filters, FilterScore{Filter: f.Filter, Kind: f.Kind,
			Wrong: []WronglyFiltered{}})
	}
	if name == "" {
		return r, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	languages := map[string]*FilterLanguage{}
	decided := map[string]*FilterDecided{}
	in := bufio.NewScanner(f)
	in.Buffer(nil, mostLine)
	line := 0
	for in.Scan() {
		line++
		if len(in.Bytes()) == 0 {
			continue
		}
		page, err := parseLabelled(in.Bytes())
		if err == nil && r.Pages == mostPages {
			err = fmt.Errorf("there are more than %d pages", mostPages)
		}
		if err != nil {
			return nil, &LabelledLineError{name, line, err}
		}
		if err := r.add(ctx, page, set, languages, decided); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); err != nil {
		return nil, &LabelledLineError{name, line + 1, err}
	}
	r.collect(languages, decided)
	return r, nil
}

func parseLabelled(line []byte) (*LabelledPage, error) {
	page := new(LabelledPage)
	if err := json.Unmarshal(line, page); err != nil {
		return nil, fmt.Errorf("it is not the JSON of a page: %w", err)
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

// add judges a page like a visit.
func (r *FilterResult) add(
	ctx context.Context, l *LabelledPage, set *filter.Set, languages map[string]*FilterLanguage,
	decided map[string]*FilterDecided,
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
		i := slices.IndexFunc(r.Filters, func(s FilterScore) bool { return s.Filter == j.Filter })
		r.Filters[i].add(l, &j, set)
	}
	if l.Language == "" {
		return nil
	}
	of := func(code string) *FilterLanguage {
		if languages[code] == nil {
			languages[code] = &FilterLanguage{Language: code}
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
			decided[is.From] = &FilterDecided{By: is.From}
		}
		decided[is.From].Pages++
		if is.Code == l.Language {
			decided[is.From].Right++
		}
	}
	return nil
}

// add counts a judgement.
func (s *FilterScore) add(l *LabelledPage, j *filter.Judgement, set *filter.Set) {
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
		s.Wrong = append(s.Wrong, WronglyFiltered{l.URL, j.Reject, j.Why})
	}
}

func (r *FilterResult) collect(languages map[string]*FilterLanguage,
	decided map[string]*FilterDecided) {
	for i := range r.Filters {
		r.Filters[i].rate()
	}
	for _, l := range languages {
		l.rate()
		r.Languages = append(r.Languages, *l)
	}
	slices.SortFunc(r.Languages, func(a, b FilterLanguage) int {
		return strings.Compare(a.Language, b.Language)
	})
	for _, by := range []string{"text", "lang", "header"} {
		if d := decided[by]; d != nil {
			r.Decided = append(r.Decided, *d)
		}
	}
}

package watch

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Kinds of events.
const (
	KindChanged    = "changed"
	KindGone       = "gone"
	KindBack       = "back" // it was gone
	KindNew        = "new"
	KindAppears    = "appears"
	KindDisappears = "disappears"
	KindFailing    = "failing"
	KindWorking    = "working"
	KindMissing    = "missing"   // an expected change did not come
	KindNotFound   = "not-found" // the page is there without the watched text
	KindFound      = "found"     // the watched text is there for the first time
)

// Event is something that happened to a page by a rule.
type Event struct {
	Rule       string      `json:"rule"`
	Kind       string      `json:"kind"`
	URL        string      `json:"url"`
	Title      string      `json:"title,omitempty"`
	Dated      time.Time   `json:"dated,omitzero"`  // date in the document itself
	Time       time.Time   `json:"time"`            // of the visit that saw it
	Before     time.Time   `json:"before,omitzero"` // of the last visit that saw the earlier state
	Detail     string      `json:"detail,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
	Same       string      `json:"same,omitempty"` // equal for events with the same difference or reason
}

// Visit is the result of a visit to a page.
type Visit struct {
	URL         string
	Observation *sitegraph.Observation
	Verdict     sitegraph.Verdict
	Errors      int       // failed visits in a row, including this one
	Before      time.Time // last comparison of the page with its copy
	Named       []string  // pages that became known by it
}

const (
	mostTitle  = 200 // octets
	mostDetail = 300
	mostOpened = 400 // octets of the text of a new page
)

// See handles a visit. Its events wait for the next Keep. Keep returns an error of the store.
func (w *Watch) See(v *Visit) {
	if w == nil || w.err != nil {
		return
	}
	w.err = w.compare(v)
}

func (w *Watch) compare(v *Visit) error {
	if err := w.named(v); err != nil {
		return err
	}
	for k, i := range w.o.File.of(v.URL) {
		c, err := w.copyOf(i, v.URL)
		if err != nil {
			return err
		}
		s := sight{Watch: w, v: v, rule: w.rules[i], number: i, copy: c, title: c.Title}
		o := v.Observation
		switch {
		case o.Watched != nil && o.Watched.Challenge:
			s.blank("the server asks whether a person sees the page, and shows nothing else")
		case o.Outcome == sitegraph.OutcomeFailed:
			s.failed()
		case o.Filter != "": // the user does not want it
		case v.Verdict == sitegraph.VerdictLeft || c.None &&
			o.Outcome != sitegraph.OutcomeFetched && o.Outcome != sitegraph.OutcomeNotModified:
			s.left()
		case v.Verdict == sitegraph.VerdictDoubted:
		case o.Outcome == sitegraph.OutcomeFetched && o.Watched != nil && k < len(o.Watched.Texts):
			if text := o.Watched.Texts[k]; flat(text) == "" {
				s.blank(s.rule.why())
			} else {
				s.title, s.dated = clip(o.Watched.Title, mostTitle), o.Watched.Dated
				s.read(text)
			}
		case o.Outcome == sitegraph.OutcomeNotModified:
			s.there()
		}
		if s.dirty {
			w.put(i, v.URL, c)
		}
	}
	return nil
}

// named marks pages that a visit made known as new. The page that names them must have been visited
// before, or be new itself.
func (w *Watch) named(v *Visit) error {
	if len(v.Named) == 0 {
		return nil
	}
	if v.Verdict == sitegraph.VerdictFirst || v.Before.IsZero() {
		isNew := false
		for _, i := range w.o.File.of(v.URL) {
			c, err := w.copyOf(i, v.URL)
			if err != nil {
				return err
			}
			isNew = isNew || c.New
		}
		if !isNew {
			return nil
		}
	}
	for _, url := range v.Named {
		for _, i := range w.o.File.of(url) {
			if c, err := w.copyOf(i, url); err != nil {
				return err
			} else if c.None && w.rules[i].tells(TellNew) {
				c.New = true
				w.put(i, url, c)
			}
		}
	}
	return nil
}

// sight is a visit under one rule.
type sight struct {
	*Watch
	v      *Visit
	rule   *Rule
	number int
	copy   *kept
	title  string
	dated  time.Time
	dirty  bool // the copy has changed
}

func (s *sight) addEvent(kind, detail, same string, d *Difference) {
	s.add(Event{Rule: s.rule.Name, Kind: kind, URL: s.v.URL, Title: s.title,
		Dated: s.dated, Time: s.v.Observation.Time.UTC(),
		Before: s.v.Before, Detail: clip(detail, mostDetail), Difference: d, Same: same})
}

// failed reports a failing page after as many failures as the rule sets.
func (s *sight) failed() {
	if n := *s.rule.Errors; n > 0 && s.v.Errors >= n && !s.copy.Failing {
		s.copy.Failing, s.dirty = true, true
		detail := s.v.Observation.Detail
		s.addEvent(KindFailing, fmt.Sprintf("%d visits in a row failed: %s", s.v.Errors, detail),
			detail, nil)
	}
}

// works reports that a failing page works again.
func (s *sight) works() {
	if s.copy.Failing {
		s.copy.Failing, s.dirty = false, true
		s.addEvent(KindWorking, "visits succeed again", "", nil)
	}
}

// left reports that the page is gone, or cannot be visited at all.
func (s *sight) left() {
	o := s.v.Observation
	detail := o.Detail
	switch o.Outcome {
	case sitegraph.OutcomeGone:
		if detail == "" {
			detail = fmt.Sprintf("the server answers %d", o.Status)
		}
	case sitegraph.OutcomeRedirected:
		detail = "it leads to " + o.RedirectTo
	}
	switch {
	case s.copy.Gone:
		return
	case s.copy.None && s.rule.URL == "":
		return // a URL under a prefix that never had a page
	case s.copy.None && *s.rule.Errors == 0:
		return
	case s.copy.None:
		s.copy.Gone, s.dirty = true, true
		s.addEvent(KindFailing, "it cannot be watched: "+detail, detail, nil)
		return
	}
	s.copy.Gone, s.dirty = true, true
	if s.rule.tells(TellGone) {
		s.addEvent(KindGone, detail, o.Outcome.String(), nil)
	}
}

// there notes that the page is there.
func (s *sight) there() {
	s.seen(s.number, s.v.Observation.Time)
	s.works()
	if s.copy.Gone {
		s.copy.Gone, s.dirty = false, true
		if s.rule.tells(TellGone) && !s.copy.None {
			s.addEvent(KindBack, "it is there again", "", nil)
		}
	}
}

// blank reports once that the watched text is missing. Its copy stays: the next text is compared
// with the last one.
func (s *sight) blank(why string) {
	c := s.copy
	if !c.Blank.IsZero() {
		return
	}
	s.dirty, c.Blank = true, s.v.Observation.Time
	s.o.Warn(fmt.Sprintf("rule %s: %s: %s", s.rule.Name, s.v.URL, why))
	if c.None {
		s.match("")
		if s.rule.URL == "" {
			return // a URL under a prefix may be another kind of page
		}
	}
	if *s.rule.Errors > 0 {
		s.addEvent(KindNotFound, why, why, nil)
	}
}

// blankFor is how long a text must be there again before its absence is reported anew: a page that
// sometimes shows something else is reported once.
const blankFor = 24 * time.Hour

// why returns why the watched text may be missing.
func (r *Rule) why() string {
	if len(r.Select) > 0 {
		return "the selector finds nothing: " + strings.Join(r.Select, ", ")
	}
	return "there is no text in the page"
}

// read compares the text with the copy.
func (s *sight) read(text string) {
	c := s.copy
	absent := c.Gone || !c.Blank.IsZero() // of a page without a copy: as was reported
	s.there()
	words := flat(text)
	sum := sitegraph.DigestOf([]byte(words))
	first := c.None || c.Fingerprint != s.rule.texts.Fingerprint()
	if !first && c.Sum == sum {
		if !c.Blank.IsZero() && s.v.Observation.Time.Sub(c.Blank) > blankFor {
			c.Blank, s.dirty = time.Time{}, true
		}
		if s.unasked() {
			s.match(text)
		}
		return
	}
	now := s.v.Observation.Time
	s.dirty = true
	if first {
		if c.New {
			s.addEvent(KindNew, opening(words), "", nil)
			s.changedAt(s.number, now)
		}
		s.began(s.number, now)
		if c.None && absent && !c.New {
			s.addEvent(KindFound, opening(words), "", nil)
			for _, m := range s.matched(text) {
				s.addEvent(m.kind, m.found, m.kind+m.expression, nil)
			}
		}
		s.match(text)
	} else {
		d := differenceOf(c.text, words)
		if s.rule.tells(TellChanged) {
			s.addEvent(KindChanged, "", d.sameAs, &d)
		}
		for _, m := range s.matched(text) {
			of := &d
			if s.rule.tells(TellChanged) {
				of = nil // already reported
			}
			s.addEvent(m.kind, m.found, m.kind+m.expression, of)
		}
		s.match(text)
		s.changedAt(s.number, now)
	}
	c.None, c.New, c.Fingerprint, c.Sum, c.Title, c.Seen, c.text = false, false,
		s.rule.texts.Fingerprint(), sum, s.title, now, words
	c.Blank = time.Time{}
}

// match is an expression that began or stopped matching.
type match struct{ kind, expression, found string }

// matched returns the expressions of the rule whose match differs from the copy.
func (s *sight) matched(text string) (all []match) {
	for _, of := range []struct {
		kind string
		list []*regexp.Regexp
	}{{KindAppears, s.rule.appears}, {KindDisappears, s.rule.disappears}} {
		for _, re := range of.list {
			was := slices.Contains(s.copy.Matches, "+"+re.String())
			known := was || slices.Contains(s.copy.Matches, "-"+re.String())
			found := re.FindString(text)
			is := re.MatchString(text)
			switch {
			case !known || was == is:
			case is && of.kind == KindAppears:
				all = append(all, match{of.kind, re.String(), fmt.Sprintf("%q matches: %s",
					re, clip(found, 100))})
			case !is && of.kind == KindDisappears:
				all = append(all, match{of.kind, re.String(), fmt.Sprintf("%q matches no longer",
					re)})
			}
		}
	}
	return all
}

// unasked reports whether the copy lacks an expression, because the rule got it later.
func (s *sight) unasked() bool {
	return slices.ContainsFunc(slices.Concat(s.rule.appears, s.rule.disappears),
		func(re *regexp.Regexp) bool {
			return !slices.Contains(s.copy.Matches, "+"+re.String()) &&
				!slices.Contains(s.copy.Matches, "-"+re.String())
		})
}

// match notes which expressions match.
func (s *sight) match(text string) {
	s.copy.Matches = s.copy.Matches[:0:0]
	for _, re := range slices.Concat(s.rule.appears, s.rule.disappears) {
		sign := "-"
		if re.MatchString(text) {
			sign = "+"
		}
		s.copy.Matches = append(s.copy.Matches, sign+re.String())
	}
	s.dirty = true
}

// opening returns the first words of a text.
func opening(words string) string {
	if len(words) <= mostOpened {
		return clip(words, mostOpened)
	}
	return clip(beginning(words, mostOpened-3), mostOpened-3) + "..."
}

// clip returns one line of at most octets octets, without characters that affect the display.
func clip(text string, octets int) string {
	text = strings.Map(visible, text)
	if len(text) > octets {
		text = strings.ToValidUTF8(text[:octets], "")
	}
	return strings.TrimSpace(text)
}

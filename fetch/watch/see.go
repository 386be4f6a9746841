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
	KindBack       = "back" // it had gone
	KindNew        = "new"
	KindAppears    = "appears"
	KindDisappears = "disappears"
	KindFailing    = "failing"
	KindWorking    = "working"
	KindMissing    = "missing"   // an expected change did not come
	KindNotFound   = "not-found" // the page is there, and nothing of what counts is in it
	KindFound      = "found"     // it is there, and never was before
)

// Event is something that a rule tells of a page.
type Event struct {
	Rule       string      `json:"rule"`
	Kind       string      `json:"kind"`
	URL        string      `json:"url"`
	Title      string      `json:"title,omitempty"`
	Dated      time.Time   `json:"dated,omitzero"`  // as a document says itself
	Time       time.Time   `json:"time"`            // of the visit that saw it
	Before     time.Time   `json:"before,omitzero"` // of the last one that saw what was before
	Detail     string      `json:"detail,omitempty"`
	Difference *Difference `json:"difference,omitempty"`
	Same       string      `json:"same,omitempty"` // events that are one have the same
}

// Visit is what a visit saw of a page.
type Visit struct {
	URL         string
	Observation *sitegraph.Observation
	Verdict     sitegraph.Verdict
	Errors      int       // failed visits in a row, with this one
	Before      time.Time // when the page was last compared with its copy
	Named       []string  // pages that became known by it
}

const (
	mostTitle  = 200 // octets
	mostDetail = 300
	mostOpened = 400 // octets of the text of a new page
)

// See takes in a visit. Its events wait for the next Keep. After an error of the store Keep returns
// it.
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

// named marks pages that became known by a visit as new, if it was not the first one to the page
// that names them, or if that page is new itself.
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

// sight is a visit in the eyes of one rule.
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

// failed tells that the page fails when it has failed as often as the rule says.
func (s *sight) failed() {
	if n := *s.rule.Errors; n > 0 && s.v.Errors >= n && !s.copy.Failing {
		s.copy.Failing, s.dirty = true, true
		detail := s.v.Observation.Detail
		s.addEvent(KindFailing, fmt.Sprintf("%d visits in a row failed: %s", s.v.Errors, detail),
			detail, nil)
	}
}

// works tells that it does no longer.
func (s *sight) works() {
	if s.copy.Failing {
		s.copy.Failing, s.dirty = false, true
		s.addEvent(KindWorking, "visits succeed again", "", nil)
	}
}

// left tells that the page is gone, or cannot be visited at all.
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
		return // an address under a prefix that never held a page
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

// blank tells once that what counts is not in the page. Its copy stays: the text that comes next is
// compared with the last one that there was.
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
			return // an address under a prefix may be a page of another kind
		}
	}
	if *s.rule.Errors > 0 {
		s.addEvent(KindNotFound, why, why, nil)
	}
}

// blankFor is how long a text must be there again until it is told anew that it is not: pages that
// now and then show something else are told of once.
const blankFor = 24 * time.Hour

// why says why nothing of a page may count.
func (r *Rule) why() string {
	if len(r.Select) > 0 {
		return "the selector finds nothing: " + strings.Join(r.Select, ", ")
	}
	return "there is no text in the page"
}

// read compares the text with the copy.
func (s *sight) read(text string) {
	c := s.copy
	absent := c.Gone || !c.Blank.IsZero() // of a page without a copy: as was told
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
				of = nil // it is told already
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

// match is an expression that began to match, or ceased to.
type match struct{ kind, expression, found string }

// matched are the expressions of the rule that match otherwise than in the copy.
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

// unasked reports whether the copy does not know of each expression whether it matches: the rule
// has it since.
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

// opening are the first words of a text.
func opening(words string) string {
	if len(words) <= mostOpened {
		return clip(words, mostOpened)
	}
	return clip(beginning(words, mostOpened-3), mostOpened-3) + "..."
}

// clip makes one line of at most so many octets, without anything that would change how it is
// shown.
func clip(text string, octets int) string {
	text = strings.Map(visible, text)
	if len(text) > octets {
		text = strings.ToValidUTF8(text[:octets], "")
	}
	return strings.TrimSpace(text)
}

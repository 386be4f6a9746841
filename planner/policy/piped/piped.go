package piped

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/rank"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// mostAsked is how many pages one answer may name: 16,384 in JSON with probabilities are about
	// a megabyte.
	mostAsked = 1 << 14
	// mostItems is how many pages, or outcomes, one message has: about a megabyte of JSON.
	mostItems = 1 << 12
	// mostOutcomes wait to be told, as where new pages take whole rounds. The newest count: what a
	// page's visits told is in its history, too.
	mostOutcomes = 1 << 16
	// mostFailures in a row are made good; after them a program is not begun again.
	mostFailures = 5
	// roundShare is the part of a round that a program may take: 1/roundShare.
	roundShare = 4
)

// Runner asks the process of a program, which is begun by the first question, and anew after each
// error.
type Runner interface {
	// Ask hands over a message and lets parse read the answer. Both are lines, or with framed
	// pieces of bytes that are led by their number. After an error, also one of parse, the process
	// is ended. ErrPaused: it is too early to begin it again.
	Ask(message []byte, framed bool, parse func(answer []byte) error) error
	// Close ends the process.
	Close() error
}

// ErrPaused is the error of a Runner whose program failed a moment ago.
var ErrPaused = errors.New("the program failed a moment ago")

// Error is how a program failed.
type Error struct {
	Program string
	Round   int // its number
	Err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("policy exec:%s, round %d: %v", e.Program, e.Round, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Host is what a command gives policies that are programs.
type Host struct {
	// Run prepares a program with its arguments. It begins nothing.
	Run func(command []string) (Runner, error)
	// Warn tells the user that a program failed, and what happens now. Nil: a failure is an error
	// of the policy.
	Warn func(text string)
	// Now bounds the time that a program may take of a round; nil: time stands still meanwhile, as
	// in evaluations.
	Now func() time.Time
}

// Options of a policy.
type Options struct {
	*Host
	Command  []string
	Pages    *planner.Pages
	Mode     planner.Mode
	Seed     uint64
	PerDay   float64        // budget in fetches a day; 0 or planner.Unlimited: none is known
	Fallback planner.Policy // decides where the program fails, if the host warns
	Name     string         // of the fallback, for messages
}

// Policy is decided by a program. Its process knows what it has learnt, so none of it is kept for
// the next process of this program, which tells the histories of all pages again.
type Policy struct {
	planner.EachRound
	*session `state:"-"`
}

// session has the state of the talk with a program.
type session struct {
	Options
	name     string // of the program, for messages
	runner   Runner
	reason   planner.Reason
	ties     rank.Ties
	standing []standing // by page
	outcomes []outcome  // not told yet
	buffer   []byte

	greeted, binary, addresses bool // with this process

	round    planner.Round
	compare  bool     // candidates may have changed since they were told
	chosen   []choice // named by the program, and not proposed yet
	done     bool     // it wants no more visits before it hears of an outcome
	resting  bool     // the fallback decides in this round
	waited   time.Duration
	failures int // in a row
	err      error
}

// standing says what the program knows of a page.
type standing uint8

const (
	unknown standing = iota // nothing, or that the page is no candidate
	told                    // the page is a candidate, and all that it was told holds
	stale                   // the page is a candidate, and something else holds of it by now
)

// outcome of a visit.
type outcome struct {
	page    sitegraph.PageID
	verdict sitegraph.Verdict
	at      uint32 // unix seconds
}

// choice is a page that the program names.
type choice struct {
	page               sitegraph.PageID
	probability, value float64 // NaN: none is given
}

// New returns a policy that a program decides. The program is begun when it is asked first.
func New(o Options) (*Policy, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no program is named: want exec:./mine.py, with its arguments")
	}
	name := strings.Join(o.Command, " ")
	runner, err := o.Run(o.Command)
	if err != nil {
		return nil, fmt.Errorf("policy exec:%s: %w; want a file that can be run (chmod +x), or what "+
			"runs it before it, as exec:python3 mine.py", name, err)
	}
	return &Policy{session: &session{Options: o, name: name, runner: runner,
		ties:   rank.NewTies(o.Seed, o.Pages.Graph.Scratch()),
		reason: planner.Because("chosen by " + strings.ReplaceAll(name, "%", "%%"))}}, nil
}

// Close ends the program.
func (p *Policy) Close() error { return p.runner.Close() }

// Err returns why nobody decides any more: the program failed and there is no fallback. Else nil.
func (p *Policy) Err() error { return p.err }

// Begin starts a round, in which the program has another chance if it failed in the last.
func (p *Policy) Begin(r planner.Round) {
	p.round, p.compare, p.chosen, p.done, p.waited = r, true, p.chosen[:0], false, 0
	if p.resting = p.failures >= mostFailures; p.resting {
		p.Fallback.Begin(r)
	}
}

// Offer makes pages candidates. The program is told of them when it is asked next.
func (p *Policy) Offer(pages []sitegraph.PageID) {
	p.compare, p.done = true, false
	if p.resting {
		p.Fallback.Offer(pages)
	}
}

// Hinted lets the program be told of a claim.
func (p *Policy) Hinted(page sitegraph.PageID) {
	p.outdate(page)
	p.compare, p.done = true, false
}

// Observe keeps the outcome until the program is asked next.
func (p *Policy) Observe(page sitegraph.PageID, verdict sitegraph.Verdict) {
	p.outdate(page)
	if p.resting && p.failures > 0 { // the process that would care is gone
		return
	}
	if len(p.outcomes) >= mostOutcomes {
		p.outcomes = append(p.outcomes[:0], p.outcomes[mostOutcomes/2:]...)
	}
	p.outcomes = append(p.outcomes, outcome{page, verdict, p.Pages.Memory(page).Tried})
	p.done = false
}

func (s *session) outdate(page sitegraph.PageID) {
	if int(page) < len(s.standing) && s.standing[page] == told {
		s.standing[page] = stale
	}
}

// Next returns what the program named, and asks it where nothing of that is left.
func (p *Policy) Next() (planner.Visit, bool) {
	for p.err == nil {
		if p.resting {
			return p.Fallback.Next()
		}
		for len(p.chosen) > 0 {
			c := p.chosen[0]
			p.chosen = p.chosen[1:]
			if p.Pages.Refetchable(c.page) {
				return planner.Visit{Page: c.page, Probability: c.probability, Value: c.value,
					Reason: p.reason}, true
			}
		}
		if p.done {
			break
		}
		p.consult()
	}
	return planner.Visit{}, false
}

// consult asks the program, within its part of the round, and lets the fallback decide if that
// fails.
func (s *session) consult() {
	length := s.round.End.Sub(s.round.Start)
	if s.Now == nil {
		s.endQuestion(s.ask())
		return
	}
	if s.waited >= length/roundShare {
		s.Warn(fmt.Sprintf("policy exec:%s took %v of a round of %v; %s decides for the rest of "+
			"it: let the program name more pages at a time, or be faster", s.name,
			s.waited.Round(time.Millisecond), length, s.Name))
		s.rest()
		return
	}
	began := s.Now()
	err := s.ask()
	s.waited += s.Now().Sub(began)
	s.endQuestion(err)
}

// endQuestion says what follows from how a question went.
func (s *session) endQuestion(err error) {
	if err == nil {
		s.failures = 0
		return
	}
	s.greeted, s.chosen, s.outcomes = false, s.chosen[:0], s.outcomes[:0]
	clear(s.standing)
	if s.Warn == nil {
		s.err = &Error{s.name, s.round.Number, err}
		return
	}
	switch {
	case errors.Is(err, ErrPaused), errors.Is(err, context.Canceled):
	case s.failures+1 == mostFailures:
		s.failures++
		s.Warn(fmt.Sprintf("%v; it failed %d times in a row, and %s decides from now on: mend the "+
			"program and start again", &Error{s.name, s.round.Number, err}, s.failures, s.Name))
	default:
		s.failures++
		s.Warn(fmt.Sprintf("%v; %s decides for the rest of the round, and the program is begun "+
			"again in the next", &Error{s.name, s.round.Number, err}, s.Name))
	}
	s.rest()
}

// rest lets the fallback decide for the rest of the round.
func (s *session) rest() {
	s.resting = true
	s.Fallback.Begin(s.round)
	var pages []sitegraph.PageID
	for p := range sitegraph.PageID(s.Pages.Count()) {
		if s.Pages.InPlay(p) && s.Pages.Refetchable(p) {
			pages = append(pages, p)
		}
	}
	s.Fallback.Offer(pages)
}

// ask tells the program what it does not know yet, in as many messages as that takes, and with the
// last of them asks for visits.
func (s *session) ask() error {
	if !s.greeted {
		if err := s.runner.Ask(s.hello(), false, s.parseHello); err != nil {
			return err
		}
		s.greeted, s.compare = true, true
	}
	want := mostAsked
	if s.round.Budget != planner.Unlimited {
		want = min(want, s.round.Budget)
	}
	pages, out := s.news()
	for {
		var m message
		m.outcomes, s.outcomes = cut(s.outcomes)
		m.pages, pages = cut(pages)
		m.out, out = cut(out)
		last := len(pages)+len(out)+len(s.outcomes) == 0
		if last {
			m.want = want
		}
		if err := s.runner.Ask(s.encode(&m), s.binary, func(answer []byte) error {
			return s.parse(answer, m.want)
		}); err != nil {
			return err
		}
		if last {
			s.done = len(s.chosen) == 0
			return nil
		}
	}
}

// cut returns as many as fit into one message, and the rest.
func cut[T any](all []T) (some, rest []T) {
	n := min(len(all), mostItems)
	return all[:n], all[n:]
}

// news returns the candidates of which the program does not know what holds now, and the pages that
// it takes for candidates and that are none any more.
func (s *session) news() (pages, out []sitegraph.PageID) {
	if !s.compare {
		return nil, nil
	}
	s.compare = false
	c := s.Pages
	s.ties.UpTo(c)
	if missing := c.Count() - len(s.standing); missing > 0 {
		s.standing = append(s.standing, make([]standing, missing)...)
	}
	for p := range sitegraph.PageID(c.Count()) {
		switch open := c.Refetchable(p) && c.InPlay(p); {
		case open && s.standing[p] != told && !c.Outside(p):
			pages = append(pages, p)
			s.standing[p] = told
		case !open && s.standing[p] != unknown:
			out = append(out, p)
			s.standing[p] = unknown
		}
	}
	return pages, out
}

// number returns a value of an answer, or NaN if the answer has none.
func number(values []*float64, i int) float64 {
	if i >= len(values) || values[i] == nil {
		return math.NaN()
	}
	return *values[i]
}

package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

const (
	// mostAsked bounds the pages in one answer: 16,384 in JSON with probabilities are about a
	// megabyte.
	mostAsked = 1 << 14
	// mostItems bounds the pages, or outcomes, of one message: about a megabyte of JSON.
	mostItems = 1 << 12
	// mostOutcomes bounds the outcomes waiting to be sent, for example while new pages take whole
	// rounds. The newest are kept, since histories also have the older ones.
	mostOutcomes = 1 << 16
	// mostFailures in a row are tolerated; after them the program is not started again.
	mostFailures = 5
	// roundShare: a program may take 1/roundShare of a round.
	roundShare = 4
)

// ProgramRunner asks the process of a program. The first question starts the process, and so does
// the first one after each error.
type ProgramRunner interface {
	// Ask sends a message and lets parse read the answer. Both are lines or, with framed, byte
	// strings after their length. After an error, also one of parse, the process is ended.
	// ErrProgramPaused: it is too early to start it again.
	Ask(message []byte, framed bool, parse func(answer []byte) error) error
	// Close ends the process.
	Close() error
}

// ErrProgramPaused is the error of a ProgramRunner whose program has just failed.
var ErrProgramPaused = errors.New("the program failed a moment ago")

// ProgramError describes how a program failed.
type ProgramError struct {
	Program string
	Round   int // its number
	Err     error
}

// Hint names the documentation of the protocol.
func (e *ProgramError) Hint() string {
	return "docs/reference/policy-programs.md has the messages of the protocol; the program's standard " +
		"error is above"
}

// ExitCode returns the exit code of failures.
func (e *ProgramError) ExitCode() int { return words.ExitFailed }

func (e *ProgramError) Error() string {
	return fmt.Sprintf("policy exec:%s, round %d: %v", e.Program, e.Round, e.Err)
}

func (e *ProgramError) Unwrap() error { return e.Err }

// ProgramHost is what a command provides for policies that are programs.
type ProgramHost struct {
	// Run prepares a program with its arguments. It starts nothing.
	Run func(command []string) (ProgramRunner, error)
	// Warn tells the user that a program failed, and the consequence. nil: a failure is an error of
	// the policy.
	Warn func(text string)
	// Now bounds the time that a program may take of a round; nil: no time passes meanwhile, as in
	// evaluations.
	Now func() time.Time
}

// ProgramOptions configure a Program.
type ProgramOptions struct {
	*ProgramHost
	Command  []string
	Pages    *planner.Pages
	Mode     planner.Mode
	Seed     uint64
	PerDay   float64        // budget in fetches a day; 0 or planner.Unlimited: none
	Fallback planner.Policy // decides if the program fails, if the host warns
	Name     string         // of the fallback, for messages
}

// Program is a policy that a program of the user decides, in any language. The program's process
// keeps what it has learnt. A new process receives the histories of all pages again.
//
// The evaluations and the live loop ask the program over a pipe. docs/reference/policy-programs.md
// has the protocol.
//
// # Files
//
//	program.go         the policy: what it asks, when, and what it does about a program that fails
//	programmessage.go  what it tells the program, as lines of JSON or as columns of numbers
//	programanswer.go   what the program answers, read and checked
//
// # Terms
//
//	candidate  a page that may be visited in this round
//	told       a page of which the program holds what is true now
//
// # Guarantees
//
//  1. No page is visited that the program was not offered, and none twice in a round.
//  2. No message has more than mostItems pages and outcomes; no answer names more pages than were
//     asked for.
//  3. Each message has one answer, and the next is sent when that is there.
//  4. Without a fallback a program that fails ends the run with an error, so that nothing else is
//     measured in its name. With one the fallback decides for the rest of the round, and after
//     mostFailures in a row for good.
//  5. With a clock a program takes a quarter of each round at most.
//  6. A restarted program receives everything anew.
//
// A ProgramRunner asks the process, and bounds time and bytes: the package knows no processes. A
// Program takes 5 bytes a page.
type Program struct {
	planner.EachRound
	*programSession `state:"-"`
}

// programSession has the state of the exchange with a program.
type programSession struct {
	ProgramOptions
	name     string // of the program, for messages
	runner   ProgramRunner
	reason   planner.Reason
	ties     planner.Ties
	standing []standing       // by page
	outcomes []programOutcome // not sent yet
	buffer   []byte

	greeted, binary, addresses bool // with this process

	round    planner.Round
	compare  bool            // candidates may have changed since they were sent
	chosen   []programChoice // named by the program, and not proposed yet
	done     bool            // it wants no more visits before the next outcome
	resting  bool            // the fallback decides in this round
	waited   time.Duration
	failures int // in a row
	err      error
}

// standing is what the program knows of a page.
type standing uint8

const (
	unknown standing = iota // nothing, or that the page is no candidate
	told                    // the page is a candidate, and the program has its present values
	stale                   // the page is a candidate, and its values have changed since
)

// programOutcome is the outcome of a visit.
type programOutcome struct {
	page    sitegraph.PageID
	verdict sitegraph.Verdict
	at      uint32 // unix seconds
}

// programChoice is a page that the program names.
type programChoice struct {
	page               sitegraph.PageID
	probability, value float64 // NaN: not given
}

// NewProgram returns a policy that a program decides. The first question starts the program.
func NewProgram(o ProgramOptions) (*Program, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no program is named: want exec:./mine.py, with its arguments")
	}
	name := strings.Join(o.Command, " ")
	runner, err := o.Run(o.Command)
	if err != nil {
		return nil, fmt.Errorf("policy exec:%s: %w; want a file that can be run (chmod +x), or its "+
			"interpreter first, such as exec:python3 mine.py", name, err)
	}
	return &Program{programSession: &programSession{ProgramOptions: o, name: name, runner: runner,
		ties:   planner.NewTies(o.Seed, o.Pages.Graph.Scratch()),
		reason: planner.Because("chosen by " + strings.ReplaceAll(name, "%", "%%"))}}, nil
}

// Close ends the program.
func (p *Program) Close() error { return p.runner.Close() }

// Err returns why nobody decides any more: the program failed and there is no fallback; nil
// otherwise.
func (p *Program) Err() error { return p.err }

// Begin starts a round, in which the program has another chance if it failed in the last.
func (p *Program) Begin(r planner.Round) {
	p.round, p.compare, p.chosen, p.done, p.waited = r, true, p.chosen[:0], false, 0
	if p.resting = p.failures >= mostFailures; p.resting {
		p.Fallback.Begin(r)
	}
}

// Offer makes pages candidates. The next question sends them to the program.
func (p *Program) Offer(pages []sitegraph.PageID) {
	p.compare, p.done = true, false
	if p.resting {
		p.Fallback.Offer(pages)
	}
}

// Hinted makes the next question send a page's new claim.
func (p *Program) Hinted(page sitegraph.PageID) {
	p.outdate(page)
	p.compare, p.done = true, false
}

// Observe keeps the outcome until the next question.
func (p *Program) Observe(page sitegraph.PageID, verdict sitegraph.Verdict) {
	p.outdate(page)
	if p.resting && p.failures > 0 { // the process that would need it is gone
		return
	}
	if len(p.outcomes) >= mostOutcomes {
		p.outcomes = append(p.outcomes[:0], p.outcomes[mostOutcomes/2:]...)
	}
	p.outcomes = append(p.outcomes, programOutcome{page, verdict, p.Pages.Memory(page).Tried})
	p.done = false
}

func (s *programSession) outdate(page sitegraph.PageID) {
	if int(page) < len(s.standing) && s.standing[page] == told {
		s.standing[page] = stale
	}
}

// Next returns the pages that the program named, and asks it when none is left.
func (p *Program) Next() (planner.Visit, bool) {
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
func (s *programSession) consult() {
	length := s.round.End.Sub(s.round.Start)
	if s.Now == nil {
		s.endQuestion(s.ask())
		return
	}
	if s.waited >= length/roundShare {
		s.Warn(fmt.Sprintf("policy exec:%s took %s of a round of %s; %s decides for the rest of "+
			"it: let the program name more pages at a time, or be faster", s.name,
			words.Duration(s.waited.Round(time.Millisecond)), words.Duration(length), s.Name))
		s.rest()
		return
	}
	began := s.Now()
	err := s.ask()
	s.waited += s.Now().Sub(began)
	s.endQuestion(err)
}

// endQuestion handles the result of a question.
func (s *programSession) endQuestion(err error) {
	if err == nil {
		s.failures = 0
		return
	}
	s.greeted, s.chosen, s.outcomes = false, s.chosen[:0], s.outcomes[:0]
	clear(s.standing)
	if s.Warn == nil {
		s.err = &ProgramError{s.name, s.round.Number, err}
		return
	}
	switch {
	case errors.Is(err, ErrProgramPaused), errors.Is(err, context.Canceled):
	case s.failures+1 == mostFailures:
		s.failures++
		s.Warn(fmt.Sprintf("%v; it failed %d times in a row, and %s decides from now on: mend the "+
			"program and start again", &ProgramError{s.name, s.round.Number,
			err}, s.failures, s.Name))
	default:
		s.failures++
		s.Warn(fmt.Sprintf("%v; %s decides for the rest of the round, and the program is begun "+
			"again in the next", &ProgramError{s.name, s.round.Number, err}, s.Name))
	}
	s.rest()
}

// rest lets the fallback decide for the rest of the round.
func (s *programSession) rest() {
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

// ask sends the program all news, in as many messages as necessary, and asks for visits with the
// last of them.
func (s *programSession) ask() error {
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
		var m programMessage
		m.outcomes, s.outcomes = cutMessage(s.outcomes)
		m.pages, pages = cutMessage(pages)
		m.out, out = cutMessage(out)
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

// cutMessage returns as many elements as fit into one message, and the rest.
func cutMessage[T any](all []T) (some, rest []T) {
	n := min(len(all), mostItems)
	return all[:n], all[n:]
}

// news returns the candidates of which the program does not have the present values, and the pages
// that it takes for candidates and that no longer are.
func (s *programSession) news() (pages, out []sitegraph.PageID) {
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

// valueAt returns a value of an answer, or NaN if the answer has none.
func valueAt(values []*float64, i int) float64 {
	if i >= len(values) || values[i] == nil {
		return math.NaN()
	}
	return *values[i]
}

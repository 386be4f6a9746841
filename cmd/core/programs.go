package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	mostAnswer   = 4 << 20 // octets of a policy program's answer
	mostSaidLine = 1000    // octets shown of a line on its standard error
	mostSaid     = 1000    // lines shown in an hour
)

// programs returns the host that runs policy programs. In a live crawl it warns when a program
// fails and another policy takes over; elsewhere a failure is an error.
func (p *Program) programs(ctx context.Context, live bool) *policy.ProgramHost {
	host := &policy.ProgramHost{Run: func(command []string) (policy.ProgramRunner, error) {
		said := &said{to: p.stderr, name: filepath.Base(command[0])}
		run, err := filter.OpenProgram(filter.ProgramOptions{Command: command, Most: mostAnswer,
			Timeout: p.config.AnswerIn, Said: said,
			Environment: []string{"PYTHONPATH", "VIRTUAL_ENV", "R_LIBS", "R_LIBS_USER"}})
		if err != nil {
			return nil, err
		}
		r := &policyProgram{ctx, run, said}
		p.running.add(r)
		return r, nil
	}}
	if live {
		host.Now, host.Warn = time.Now, func(text string) { p.Warn(text) }
	}
	return host
}

// findPrograms returns an error, before any work, for a policy program that cannot be started; with
// a nil host for any policy program.
func findPrograms(host *policy.ProgramHost, names ...string) error {
	for _, name := range names {
		if !policy.IsProgram(name) {
			continue
		}
		_, err := policy.New(name, policy.Settings{Programs: host, Mode: planner.Stream,
			Pages: planner.NewPages(sitegraph.NewGraph())})
		if err != nil {
			return UsageError(err, "docs/reference/policy-programs.md says how a program is a policy")
		}
	}
	return nil
}

// policyProgram asks the process of a policy program.
type policyProgram struct {
	ctx  context.Context // of the command
	run  *filter.Program
	said *said
}

func (r *policyProgram) Ask(message []byte, framed bool, parse func([]byte) error) error {
	ask := r.run.Ask
	if framed {
		ask = r.run.AskFramed
	}
	err := ask(r.ctx, message, parse)
	if errors.Is(err, filter.ErrProgramPaused) {
		return policy.ErrProgramPaused
	}
	return err
}

func (r *policyProgram) Close() error {
	err := r.run.Close()
	r.said.flush()
	return err
}

// said shows the lines of a program on standard error, after its name.
type said struct {
	to   io.Writer
	name string

	mu    sync.Mutex
	line  []byte
	shown int
	since time.Time
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for rest := b; len(rest) > 0; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		s.line = append(s.line, line[:min(len(line), mostSaidLine-len(s.line))]...)
		if rest = more; whole {
			s.show()
		}
	}
	return len(b), nil
}

func (s *said) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.line) > 0 {
		s.show()
	}
}

func (s *said) show() {
	if now := time.Now(); now.Sub(s.since) > time.Hour {
		s.since, s.shown = now, 0
	}
	s.shown++
	switch {
	case s.shown <= mostSaid:
		fmt.Fprintf(s.to, "%s: %s\n", s.name, bytes.ToValidUTF8(s.line, []byte("?")))
	case s.shown == mostSaid+1:
		fmt.Fprintf(s.to, "%s: more lines than %d an hour are left out\n", s.name, mostSaid)
	}
	s.line = s.line[:0]
}

// running holds the processes that must end with the command. Goroutines may share it.
type running struct {
	mu  sync.Mutex
	all parts
}

func (r *running) add(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all.add(c)
}

// end stops all processes and ignores their errors.
func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.all.Close()
	r.all = nil
}

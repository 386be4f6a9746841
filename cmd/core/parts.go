package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/fetch/quarantine"
)

// Works are the functions of commands, by their names in settings: see away.
type Works map[string]func(context.Context, *Program, []string) error

// Part is a program besides recrawl, recrawl-NAME, with libraries that recrawl does not need.
type Part struct {
	Name  string
	Works Works
	// Check, if not nil, checks settings of its commands that only it can judge.
	Check func(*config.Config, *config.Review)
	// Processes are its functions for another process, by the first argument.
	Processes map[string]func(args []string) error
	// Searcher, if not nil, opens the corpus in a directory.
	Searcher func(dir string) (query.Searcher, error)
}

// Main runs the program recrawl. It does not return.
func Main() { begin(nil, (*Program).rootCommand) }

// MainOf runs the program recrawl-NAME of a part: it has its commands, and passes others to
// recrawl. It does not return.
func MainOf(part *Part) { begin([]*Part{part}, (*Program).rootOfPart) }

func begin(parts []*Part, root func(*Program) *cobra.Command) {
	if len(os.Args) > 1 {
		if work := process(parts, os.Args[1:]); work != nil {
			os.Exit(serve(work(os.Args[2:])))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second interrupt kills the program
	}()
	p := &Program{args: os.Args[1:], stdout: os.Stdout, stderr: os.Stderr, parts: parts}
	os.Exit(p.execute(ctx, root))
}

// process returns the function of the program for another process with these arguments, or nil for
// a user.
func process(parts []*Part, args []string) func([]string) error {
	if slices.Equal(args, []string{readsApart}) {
		return func([]string) error { return quarantine.Serve(os.Stdin, os.Stdout, fetch.Read) }
	}
	for _, part := range parts {
		if work := part.Processes[args[0]]; work != nil {
			return work
		}
	}
	return nil
}

// rootOfPart returns a root with the commands of the part, and those of every program.
func (p *Program) rootOfPart() *cobra.Command {
	p.ofPart = true
	root := p.root()
	root.Annotations = map[string]string{pageAnnotation: "recrawl-" + p.parts[0].Name}
	for _, cmd := range append(p.away(), p.scheduleOf()) {
		if p.isOurs(cmd) {
			root.AddCommand(cmd)
		}
	}
	return p.explained(root)
}

// unknown returns the error for an unknown command below another. The program of a part passes it
// to recrawl.
func (p *Program) unknown(above *cobra.Command, word string) error {
	if p.ofPart && !above.HasParent() {
		return p.runIn("recrawl")
	}
	return unknownCommand(above, word)
}

// isOurs reports whether this program does the work of a command, or of one below it. It removes
// the commands below it that others do.
func (p *Program) isOurs(cmd *cobra.Command) bool {
	ours := cmd.Annotations[inProgram] == ""
	if cmd.HasSubCommands() {
		for _, below := range cmd.Commands() {
			if !p.isOurs(below) {
				cmd.RemoveCommand(below)
			}
		}
		ours = cmd.HasSubCommands()
	}
	return ours
}

// inProgram is the annotation with the program that does the work of a command, if this one does
// not.
const inProgram = "program"

// away returns the commands of all parts. If this program lacks a part, its commands run the
// program that has it, with the same flags and arguments.
func (p *Program) away() []*cobra.Command {
	node := p.in("cluster", "node", "node --data DIRECTORY --user-agent AGENT [URL...]",
		cobra.ArbitraryArgs)
	node.AddCommand(p.in("cluster", "node-status", "status", cobra.ArbitraryArgs),
		p.in("cluster", "node-hint", "hint URL...", cobra.ArbitraryArgs),
		p.in("cluster", "node-abandon", "abandon SHARD...", cobra.ArbitraryArgs))
	corpus := func(name, use string, args cobra.PositionalArgs) *cobra.Command {
		cmd := p.in("search", "corpus-"+name, use, args)
		config.Alias(cmd, "out", "corpus")
		return cmd
	}
	return []*cobra.Command{node,
		p.in("cluster", "frontier", "frontier --data DIR", noArguments),
		p.in("search", "search", "search --corpus DIRECTORY WORD...", someWord),
		group(&cobra.Command{Use: "corpus"}, "unknown command %q of corpus",
			"recrawl corpus build, show, check, remove, weigh",
			corpus("build", "build --archive DIRECTORY --corpus DIRECTORY", noArguments),
			corpus("remove", "remove --corpus DIRECTORY [--archive DIRECTORY] "+
				"[--data DIRECTORY] ADDRESS...", cobra.MinimumNArgs(1)),
			corpus("weigh", "weigh --corpus DIRECTORY", noArguments),
			corpus("check", "check --corpus DIRECTORY", noArguments),
			corpus("show", "show --corpus DIRECTORY [URL|IDENTIFIER]", cobra.MaximumNArgs(1))),
		group(&cobra.Command{Use: "bench"}, "unknown benchmark %q",
			"recrawl bench sat, recrawl bench seen, recrawl bench fetch",
			p.in("lab", "sat", "sat", noArguments), p.in("lab", "seen", "seen", noArguments),
			p.in("lab", "fetch", "fetch", noArguments)),
		p.in("lab", "survey", "survey FILE|DIRECTORY...", someHistories),
	}
}

func someWord(_ *cobra.Command, args []string) error {
	if strings.TrimSpace(strings.Join(args, "")) == "" {
		return UsageError(errors.New("no word to search for is given"),
			"recrawl search --corpus DIRECTORY WORD...")
	}
	return nil
}

// in returns a command of a part. name is its name in settings.
func (p *Program) in(part, name, use string, args cobra.PositionalArgs) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: args,
		Annotations: map[string]string{config.NameAs: name}}
	for _, of := range p.parts {
		if work := of.Works[name]; work != nil {
			return p.command(cmd, func(ctx context.Context, args []string) error {
				return work(ctx, p, args)
			})
		}
	}
	p.command(cmd, nil)
	cmd.Annotations[inProgram] = "recrawl-" + part
	cmd.RunE = func(*cobra.Command, []string) error { return p.runIn("recrawl-" + part) }
	return cmd
}

// runIn replaces this process by another of the programs, with its arguments, terminal and signals.
// It returns only if that fails.
func (p *Program) runIn(name string) error {
	path, err := findProgram(name)
	if err == nil {
		err = syscall.Exec(path, append([]string{path}, p.args...), os.Environ())
		err = fmt.Errorf("run %s: %w", path, err)
	}
	return err
}

// findProgram finds one of the programs beside this one, or else by PATH.
func findProgram(name string) (path string, err error) {
	if self, err := os.Executable(); err == nil {
		real, _ := filepath.EvalSymlinks(self)
		for _, at := range []string{self, real} {
			if path, err := exec.LookPath(filepath.Join(filepath.Dir(at), name)); err == nil {
				return path, nil
			}
		}
	}
	if path, err = exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", WorkError(fmt.Errorf("this is done by the program %s, which is neither beside "+
		"this one nor in PATH", name), "go build ./cmd/"+name+" makes it; go install ./cmd/... "+
		"makes all", ExitFailed)
}

// searcher opens the corpus in a directory, in this process or in one of the program that can.
func (p *Program) searcher(ctx context.Context, dir string) (query.Searcher, error) {
	for _, part := range p.parts {
		if part.Searcher != nil {
			return part.Searcher(dir)
		}
	}
	path, err := findProgram("recrawl-search")
	if err != nil {
		return nil, err
	}
	run, err := filter.OpenProgram(filter.ProgramOptions{Command: []string{path, query.Argument,
		dir},
		Timeout: answerWithin, Most: query.MostAnswer})
	if err != nil {
		return nil, err
	}
	p.running.add(run)
	remote := query.Remote{Ask: run.Ask}
	return remote, remote.Check(ctx)
}

// answerWithin limits a search of a dashboard. The first one in a large corpus opens the index.
const answerWithin = time.Minute

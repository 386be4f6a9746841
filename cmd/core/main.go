package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

// execute runs the commands of root by the arguments, and returns the exit code.
func (p *Program) execute(ctx context.Context, makeRoot func(*Program) *cobra.Command) int {
	p.running = &running{}
	defer p.running.end()
	root := makeRoot(p)
	root.SetArgs(p.args)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return ExitOK
	case ctx.Err() != nil && onlyCanceled(err):
		p.tell("interrupted")
		return ExitInterrupted
	}
	hint, code, err := Explain(err)
	for line := range strings.SplitSeq(err.Error(), "\n") { // one for each of several problems
		p.tell("error: " + line)
	}
	if hint != "" {
		p.tell("hint: " + hint)
	}
	return code
}

// onlyCanceled reports whether an error only says that the context ended. It must not hide a store
// that failed during an interrupt.
func onlyCanceled(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(joined.Unwrap(), func(e error) bool { return !onlyCanceled(e) })
	}
	return errors.Is(err, context.Canceled)
}

// Program is one call of a program: its settings and outputs, shared by all commands. Commands of
// parts use its exported methods.
type Program struct {
	args           []string
	stdout, stderr io.Writer
	file           io.Writer // standard output, if a file was given as -: see outputs
	configFile     string
	config         config.Config
	settings       *config.Set    // fields of config
	review         *config.Review // of the settings, once read
	json           bool
	quiet          bool
	wide           bool
	clock          *crawl.SteadyClock // of a run; nil: the system's
	silence        *silence           // of a run; nil: none
	running        *running           // of policies that are programs
	parts          []*Part            // parts whose commands this program has
	ofPart         bool               // it has no other commands
	wholeHelp      bool               // --help-all requests it
	rules          *watch.File        // of --watch, once read
	scope          *listed.Scope      // of --seeds, once read; nil: all pages count
	// scratch is a directory for temporary files of a store that is only read; "": memory, because
	// the command is short.
	scratch string
}

// Config returns the checked settings.
func (p *Program) Config() *config.Config { return &p.config }

// JSON reports whether the result is printed as JSON.
func (p *Program) JSON() bool { return p.json }

// Stderr returns standard error.
func (p *Program) Stderr() io.Writer { return p.stderr }

// rootCommand returns the root with all commands.
func (p *Program) rootCommand() *cobra.Command {
	root := p.root()
	root.AddCommand(p.demoCommand(), p.runCommand(), p.serveCommand(),
		p.guardCommand(), p.planCommand(), p.explainCommand(),
		p.evalCommand(), p.tuneCommand(), p.scheduleCommand(),
		p.importCommand(), p.exportCommand(), p.sitesCommand(), p.checkpointCommand(),
		p.inspectCommand(),
		p.checkCommand(), p.hintCommand(), p.watchCommand(), p.replayCommand(), p.diffCommand(),
		p.archiveCommand(), p.showCommand(),
		p.policiesCommand(),
		p.initCommand(), p.configCommand(), p.doctorCommand(), p.completionCommand(),
		p.manCommand())
	root.AddCommand(p.away()...)
	return p.explained(root)
}

// explained adds the pages of the manual to the commands of root.
func (p *Program) explained(root *cobra.Command) *cobra.Command {
	if err := writeManual(root, config.Words); err != nil {
		panic(err) // a command without a page: no test would pass
	}
	return root
}

// root returns a root with the commands of every program.
func (p *Program) root() *cobra.Command {
	p.settings = p.config.Settings()
	p.settings.Earlier, p.settings.NotEarlier = p.lastRun, notKept
	root := &cobra.Command{
		Use:           "recrawl",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       VersionName(),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return p.unknown(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetVersionTemplate(versionLine() + "\n")
	root.SetHelpFunc(p.help)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) {
			return pflag.ErrHelp
		}
		if word, ok := p.misspelt(cmd); ok { // its flags are not those of the parent command
			return p.unknown(cmd, word)
		}
		return UsageError(plainFlag(err), cmp.Or(p.settings.Instead(err), nearestFlag(cmd, err),
			cmd.CommandPath()+" --help lists the flags"))
	})
	root.SetHelpCommand(helpCommand())
	root.PersistentFlags().StringVar(&p.configFile, "config", "", "file with settings")
	root.PersistentFlags().BoolVar(&p.json, "json", false, "print the result as JSON")
	root.PersistentFlags().BoolVar(&p.wide, "wide", false, "tables with all columns, however wide")
	root.PersistentFlags().BoolVar(&p.quiet, "quiet", false, "no progress on standard error")
	root.PersistentFlags().Var(helpAll{&p.wholeHelp}, "help-all", "help with all flags")
	root.PersistentFlags().Lookup("help-all").NoOptDefVal = "true"
	root.AddCommand(p.versionCommand())
	root.InitDefaultHelpCmd()
	return root
}

// helpCommand shows a command's help. The library's own treats an unknown command as success.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [command]",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(target, strings.Join(rest, " "))
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

// command returns a command that reads its settings and then does its work.
func (p *Program) command(
	cmd *cobra.Command,
	work func(ctx context.Context, args []string) error,
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := p.load(cmd); err != nil {
			return err
		}
		return work(cmd.Context(), args)
	}
	p.settings.AddFlags(cmd)
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			return plainly(cmd, len(args), check(cmd, args))
		}
	}
	if cmd.Args != nil && cmd.Args(cmd, []string{"x"}) != nil { // it takes no arguments
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// group returns a command that only has subcommands. Its errors name the unknown argument, and the
// known ones.
func group(cmd *cobra.Command, unknown, known string, below ...*cobra.Command) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			hint := nearest(cmd, args[0])
			if hint == "" {
				hint = "there are: " + known
			}
			return UsageError(fmt.Errorf(unknown, args[0]), hint)
		}
		return cmd.Help()
	}
	cmd.AddCommand(below...)
	return cmd
}

// noArguments refuses arguments for commands that take only flags.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return UsageError(fmt.Errorf("%s takes no arguments, and got %q", cmd.Name(), args[0]),
		cmd.CommandPath()+" --help shows what it takes")
}

// load reads flags, environment and file into p.config, and checks them.
func (p *Program) load(cmd *cobra.Command) error {
	c := &p.config
	r := p.settings.Read(cmd, p.configFile)
	p.review = r
	hint, particular := r.Hint, ""
	if hint == "" {
		particular = c.Validate(r)
		hint = cmp.Or(particular, cmd.CommandPath()+" --help shows what is possible")
	} else {
		c.CheckLimits(r) // an invalid budget is reported with other wrong values
	}
	for _, part := range p.parts {
		if part.Check != nil && r.Hint == "" {
			part.Check(c, r)
		}
	}
	if missing := c.Missing(); (cmd.Name() == "run" || cmd.Name() == "node") && r.Hint == "" &&
		len(missing) > 0 {
		r.Problems = append(r.Problems, missing...)
		hint = cmp.Or(particular, `for example: recrawl `+cmd.Name()+
			` --data crawl --user-agent "mybot/1.0 (+https://example.org/bot)" URL...`)
	}
	if len(r.Problems) > 0 {
		return UsageError(errors.Join(r.Problems...), hint)
	}
	if r.Unused != nil {
		p.Warn(r.Unused.Error() + "; defaults are taken")
	}
	for _, key := range r.Programs {
		p.Warn("the last run had a program as its " + key + ", which no file of a data directory " +
			"may start: the default is taken, unless you give --" + key + " exec:COMMAND again")
	}
	c.Complete(r)
	return nil
}

package core

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/planner/policy"
)

// Parts are the parts of all other programs: in tests one program does the work of all.
var Parts []*Part

// MainOfAll runs a program with all commands as its own process.
func MainOfAll() { begin(Parts, (*Program).rootCommand) }

// Run does the same within this process, for tests that call it often.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &Program{args: args, stdout: stdout, stderr: stderr, parts: Parts}
	return p.execute(ctx, (*Program).rootCommand)
}

// Settings only reads and checks the arguments and settings of a call.
func Settings(args []string) error {
	p := &Program{stdout: io.Discard, stderr: io.Discard, parts: Parts}
	cmd, rest, err := p.rootCommand().Find(args)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil {
		err = cmd.ValidateArgs(cmd.Flags().Args())
	}
	if err == nil && cmd.Runnable() {
		err = p.load(cmd)
	}
	return err
}

// ManualExamples returns the lines of the manual that call the program, by command.
func ManualExamples() map[string][]string {
	all := map[string][]string{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			if line = strings.TrimSpace(line); line != "" {
				all[c.CommandPath()] = append(all[c.CommandPath()], line)
			}
		}
		for _, below := range c.Commands() {
			add(below)
		}
	}
	add((&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
	return all
}

// CommandPaths returns the paths of the root and all commands below it.
func CommandPaths() (all []string) {
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		all = append(all, c.CommandPath())
		for _, below := range c.Commands() {
			add(below)
		}
	}
	add((&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
	return all
}

// Programs returns a host for policies that are programs, for benchmarks.
func Programs() *policy.ProgramHost {
	p := &Program{stderr: io.Discard, running: &running{}}
	p.config.AnswerIn = time.Minute
	return p.programs(context.Background(), false)
}

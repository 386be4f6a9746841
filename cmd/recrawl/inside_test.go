package main

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/planner/policy/piped"
)

// Main is the program as its own process.
var Main = main

// Run is the whole program without a process of its own, for tests that call it often.
var Run = run

// Settings reads and checks the arguments and settings of a call, and does nothing else.
func Settings(args []string) error {
	p := &program{stdout: io.Discard, stderr: io.Discard}
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

// ManualExamples are the lines of the manual that call the program, by the command that has them.
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
	add((&program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
	return all
}

// Programs runs policies that are programs, for benchmarks.
func Programs() *piped.Host {
	p := &program{stderr: io.Discard, running: &running{}}
	p.config.AnswerIn = time.Minute
	return p.programs(context.Background(), false)
}

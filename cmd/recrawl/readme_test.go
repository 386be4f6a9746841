package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// readmeCommands returns the calls of recrawl in the README's code blocks, as arguments.
func readmeCommands(t *testing.T) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var calls [][]string
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = !inside
			continue
		}
		line, _, _ = strings.Cut(line, "   #")
		line = strings.Replace(line, "go run ./cmd/recrawl", "recrawl", 1)
		if rest, ok := strings.CutPrefix(line, "recrawl "); inside && ok {
			calls = append(calls, fieldsQuoted(rest))
		}
	}
	return calls
}

// fieldsQuoted splits a line as a shell does, double quotes only.
func fieldsQuoted(line string) []string {
	var fields []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			fields = append(fields, part)
			continue
		}
		fields = append(fields, strings.Fields(part)...)
	}
	return fields
}

// Every call that the README shows must be one that the program understands.
func TestReadmeCommands(t *testing.T) {
	calls := readmeCommands(t)
	if len(calls) < 6 {
		t.Fatalf("only %d calls of recrawl found in the README", len(calls))
	}
	root := (&program{stdout: io.Discard, stderr: io.Discard}).rootCommand()
	for _, call := range calls {
		if slices.Contains(call, ">") || slices.Contains(call, "|") {
			t.Errorf("recrawl %s: cannot be checked here", strings.Join(call, " "))
			continue
		}
		cmd, rest, err := root.Find(call)
		if err != nil || cmd == root {
			t.Errorf("recrawl %s: no such command", strings.Join(call, " "))
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("recrawl %s: %v", strings.Join(call, " "), err)
			continue
		}
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			t.Errorf("recrawl %s: %v", strings.Join(call, " "), err)
		}
	}
}

// Every command teaches: what it does at length, and an example where it takes flags.
func TestHelp(t *testing.T) {
	for _, cmd := range (&program{stdout: io.Discard, stderr: io.Discard}).rootCommand().Commands() {
		var out strings.Builder
		if code := run(context.Background(), []string{cmd.Name(), "--help"}, &out, io.Discard); code != exitOK {
			t.Errorf("recrawl %s --help: exit code %d", cmd.Name(), code)
		}
		if !strings.Contains(out.String(), "recrawl "+cmd.Name()) {
			t.Errorf("recrawl %s --help shows no usage:\n%s", cmd.Name(), out.String())
		}
		if cmd.Name() != "version" && cmd.Example == "" {
			t.Errorf("recrawl %s has no example", cmd.Name())
		}
	}
}

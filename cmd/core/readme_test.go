package core

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// documents returns the README and the documents it links to.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(docs, "../../docs/STYLE.md", "../../README.md")
}

// ran matches the call of a program with go run.
var ran = regexp.MustCompile(`^(CGO_ENABLED=0 )?go run \./cmd/recrawl(-[a-z]+)? `)

// documentedCommands returns the calls of recrawl in the code blocks of the documents, as
// arguments.
func documentedCommands(t *testing.T) [][]string {
	t.Helper()
	var calls [][]string
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		inside := false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				inside = !inside
				continue
			}
			line, _, _ = strings.Cut(line, "   #")
			line = ran.ReplaceAllString(line, "recrawl ")
			if rest, ok := strings.CutPrefix(line, "recrawl "); inside && ok {
				calls = append(calls, fieldsQuoted(rest))
			}
		}
	}
	return calls
}

// TestDocumentLinks checks that every link to a file in a document leads to one, and to an existing
// heading.
func TestDocumentLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			target := document
			if file != "" {
				target = filepath.Join(filepath.Dir(document), file)
			}
			content, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s: %v", document, err)
				continue
			}
			if heading != "" && !slices.ContainsFunc(strings.Split(string(content), "\n"),
				func(line string) bool { return anchor(line) == heading }) {
				t.Errorf("%s: no heading of %s is %q", document, target, heading)
			}
		}
	}
}

// anchor returns the anchor of a heading; "" for any other line.
func anchor(line string) string {
	text, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
	if !ok || !strings.HasPrefix(line, "#") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-':
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// fieldsQuoted splits a line like a shell with double quotes only.
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

// TestDocumentedCommands checks that the program accepts every call in a document.
func TestDocumentedCommands(t *testing.T) {
	calls := documentedCommands(t)
	if len(calls) < 20 {
		t.Fatalf("only %d calls of recrawl found in the documents", len(calls))
	}
	root := (&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand()
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

// TestHelp checks that every command has a description, and an example if it takes flags.
func TestHelp(t *testing.T) {
	for _, cmd := range (&Program{stdout: io.Discard,
		stderr: io.Discard}).rootCommand().Commands() {
		var out strings.Builder
		if code := Run(context.Background(), []string{cmd.Name(), "--help"}, &out,
			io.Discard); code != ExitOK {
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

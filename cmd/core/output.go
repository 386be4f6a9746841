package core

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/satstore/directory"
)

// Publish prints a result, as JSON or as its finding and tables, and writes the requested report.
// Tables of reports are for people: they fit 100 columns also in a file or pipe.
func (p *Program) Publish(result any, page report.Page, htmlFile string) error {
	if htmlFile != "" {
		if err := p.writeWhole(htmlFile, page.HTML); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(result)
	}
	s := p.screen()
	if s.Width == 0 && !p.wide {
		s.Width = report.UsualWidth
	}
	first := true
	if page.Finding != "" {
		s.Say(page.Finding)
	}
	for _, section := range page.Sections {
		for _, t := range section.Tables {
			if t.PageOnly {
				continue
			}
			if first && page.Finding != "" {
				fmt.Fprintln(s)
			}
			first = false
			if err := t.Text(s); err != nil {
				return err
			}
			fmt.Fprintln(s)
		}
	}
	if htmlFile != "" && htmlFile != standardOutput {
		fmt.Fprintf(s, "report: %s\n", htmlFile)
	}
	return s.Flush()
}

// Print prints a result, as JSON or as its finding in a sentence, and its tables with an empty line
// between them.
func (p *Program) Print(result any, finding string, tables []report.Table) error {
	if p.json {
		return p.printJSON(result)
	}
	s := p.screen()
	s.Say(finding)
	for i, t := range tables {
		if i > 0 || finding != "" {
			fmt.Fprintln(s)
		}
		if err := t.Text(s); err != nil {
			return err
		}
	}
	return s.Flush()
}

// PrintText prints a result, as JSON or as its text.
func (p *Program) PrintText(result interface{ Text(io.Writer) error }) error {
	return PrintAs(p, result, func(r interface{ Text(io.Writer) error }, w io.Writer) error {
		return r.Text(w)
	})
}

// PrintAs prints a result, as JSON or as written by text.
func PrintAs[T any](p *Program, result T, text func(T, io.Writer) error) error {
	if p.json {
		return p.printJSON(result)
	}
	s := p.screen()
	if err := text(result, s); err != nil {
		return err
	}
	return s.Flush()
}

// screen returns standard output: fitted to the terminal and coloured if it is one.
func (p *Program) screen() *report.Screen {
	s := report.NewScreen(p.stdout, report.Width(p.stdout), report.HasColours(p.stdout))
	if s.Width == 0 && report.IsTerminal(p.stdout) { // the terminal does not know its width
		s.Width = report.UsualWidth
	}
	if s.Wide = p.wide; p.wide {
		s.Width = 0
	}
	return s
}

func (p *Program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// logger returns the logger for services, in the form of --log-format.
func (p *Program) logger() *slog.Logger {
	return dashboard.Logger(p.stderr, p.config.LogFormat, p.quiet)
}

// Warn prints warnings, except empty ones.
func (p *Program) Warn(texts ...string) {
	for _, text := range texts {
		if text != "" && p.config.LogFormat == "json" {
			p.logger().Warn(text)
		} else if text != "" {
			p.tell("warning: " + text)
		}
	}
}

// Note prints a note during the work, unless --quiet is set.
func (p *Program) Note(format string, args ...any) {
	if !p.quiet && p.config.LogFormat == "json" {
		p.logger().Info(fmt.Sprintf(format, args...))
	} else if !p.quiet {
		p.tell(fmt.Sprintf(format, args...))
	}
}

// tell writes a message to standard error: in one line, or fitted to the width of a terminal.
func (p *Program) tell(text string) {
	text = "recrawl: " + text
	if report.IsTerminal(p.stderr) {
		text = fitted(text, cmp.Or(report.Width(p.stderr), report.UsualWidth))
	}
	fmt.Fprintln(p.stderr, text)
}

// fitted breaks the lines of a message at blanks, so that each has at most width columns, and
// indents all lines after the first. A quoted text stays whole if it fits one line. A call at the
// end ("for example: recrawl ...") gets lines of its own, broken in the syntax of a shell.
func fitted(text string, width int) string {
	call := ""
	if before, after, ok := strings.Cut(text, "for example: recrawl "); ok && len(text) > width {
		text, call = before+"for example:", "\n"+brokenCall("  recrawl "+after, width)
	}
	const blank = "\ue000" // one within quotes
	text = quoted.ReplaceAllStringFunc(text, func(part string) string {
		if len(part) <= width-4 {
			part = strings.ReplaceAll(part, " ", blank)
		}
		return part
	})
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, report.Wrap(line, width-2))
	}
	text = strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n  ")
	return strings.ReplaceAll(text, blank, " ") + call
}

var quoted = regexp.MustCompile(`"[^"\n]*"`)

// standardOutput as the name of an output file means standard output.
const standardOutput = "-"

// Outputs refuses, before any work, files that could not be written; "" means none. If one of them
// is standard output, the result goes to standard error, so that the file is alone there.
func (p *Program) Outputs(paths ...string) error {
	alone := 0
	for _, path := range paths {
		if path == standardOutput {
			alone++
			continue
		}
		if err := writable(path); err != nil {
			return err
		}
	}
	switch {
	case alone > 1 || alone == 1 && p.json:
		return UsageError(errors.New("standard output takes one thing: - is given for two, or "+
			"beside --json"), "name a file instead of -")
	case alone == 1:
		p.file, p.stdout = p.stdout, p.stderr
	}
	return nil
}

// writeWhole writes a file that Outputs has checked.
func (p *Program) writeWhole(path string, write func(io.Writer) error) error {
	if path == standardOutput {
		return write(p.file)
	}
	return WriteWhole(path, write)
}

// WriteWhole writes a whole file or nothing: it replaces a file only when all is written, and only
// a regular one.
func WriteWhole(path string, write func(io.Writer) error) error {
	if err := regular(path); err != nil {
		return err
	}
	return directory.WriteAtomically(path, write)
}

// writable refuses, before any work, a file that writeWhole could not write; "" means none.
func writable(path string) error {
	if path == "" {
		return nil
	}
	if err := regular(path); err != nil {
		return err
	}
	return directory.CheckAtomicFile(path)
}

func regular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return UsageError(fmt.Errorf("write %s: it is no regular file", path),
			"name a file to be written")
	}
	return nil
}

// Progress shows the progress of long work on standard error; nothing with --quiet.
func (p *Program) Progress(what string, total int) *report.Bar {
	return report.NewBar(p.beside(), what, total)
}

// stages shows the progress of work in several parts, which ends with the context.
func (p *Program) stages(ctx context.Context) *report.Stages {
	return report.NewStages(ctx, p.beside())
}

// beside returns the writer for progress.
func (p *Program) beside() io.Writer {
	if p.quiet {
		return io.Discard
	}
	return p.stderr
}

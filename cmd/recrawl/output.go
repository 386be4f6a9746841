package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/report/progress"
	"github.com/recrawl/recrawl/satstore/whole"
)

// publish prints a result, as JSON or as its finding and tables, and writes the report where asked
// for.
func (p *program) publish(result any, page report.Page, htmlFile string) error {
	if htmlFile != "" {
		if err := writeWhole(htmlFile, page.HTML); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(result)
	}
	w := bufio.NewWriter(p.stdout)
	if page.Finding != "" {
		fmt.Fprintf(w, "%s\n\n", page.Finding)
	}
	for _, s := range page.Sections {
		for _, t := range s.Tables {
			if t.PageOnly {
				continue
			}
			if err := t.Text(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	if htmlFile != "" {
		fmt.Fprintf(w, "report: %s\n", htmlFile)
	}
	return w.Flush()
}

// print prints a result, as JSON or as its tables with an empty line between them.
func (p *program) print(result any, tables []report.Table) error {
	if p.json {
		return p.printJSON(result)
	}
	w := bufio.NewWriter(p.stdout)
	for i, t := range tables {
		if i > 0 {
			w.WriteByte('\n')
		}
		if err := t.Text(w); err != nil {
			return err
		}
	}
	return w.Flush()
}

// printText prints a result, as JSON or as its text.
func (p *program) printText(result interface{ Text(io.Writer) error }) error {
	if p.json {
		return p.printJSON(result)
	}
	return result.Text(p.stdout)
}

func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// logger is for what happens in services, as --log-format says.
func (p *program) logger() *slog.Logger {
	o := &slog.HandlerOptions{Level: slog.LevelInfo}
	if p.quiet {
		o.Level = slog.LevelWarn
	}
	if p.config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr, o))
	}
	return slog.New(slog.NewTextHandler(p.stderr, o))
}

// warn says what is to be doubted; nothing of empty texts.
func (p *program) warn(texts ...string) {
	for _, text := range texts {
		if text != "" && p.config.LogFormat == "json" {
			p.logger().Warn(text)
		} else if text != "" {
			fmt.Fprintf(p.stderr, "recrawl: warning: %s\n", text)
		}
	}
}

// note says something on the way, unless the program is to be quiet.
func (p *program) note(format string, args ...any) {
	if !p.quiet && p.config.LogFormat == "json" {
		p.logger().Info(fmt.Sprintf(format, args...))
	} else if !p.quiet {
		fmt.Fprintf(p.stderr, "recrawl: "+format+"\n", args...)
	}
}

// writeWhole writes a whole file or nothing: a file of that name is replaced only when all
// is written. It does not replace what is no regular file.
func writeWhole(path string, write func(io.Writer) error) error {
	if err := regular(path); err != nil {
		return err
	}
	return whole.Write(path, write)
}

// writable refuses, before any work, a file that writeWhole could not write; "" is none.
func writable(path string) error {
	if path == "" {
		return nil
	}
	if err := regular(path); err != nil {
		return err
	}
	return whole.Check(path)
}

func regular(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("write %s: it is no regular file", path), "name a file to be written"}
	}
	return nil
}

// progress tells on standard error how far long work has come; nothing with --quiet.
func (p *program) progress(what string, total int) *progress.Bar {
	if p.quiet {
		return progress.New(io.Discard, what, total)
	}
	return progress.New(p.stderr, what, total)
}

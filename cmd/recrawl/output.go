package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/eval/report"
)

// publish prints a result, as JSON or as tables, and writes the report where asked for.
func (p *program) publish(result any, page report.Page, htmlFile string) error {
	if htmlFile != "" {
		if err := writeReport(htmlFile, page); err != nil {
			return err
		}
	}
	if p.json {
		return p.printJSON(result)
	}
	w := bufio.NewWriter(p.stdout)
	for _, s := range page.Sections {
		for _, t := range s.Tables {
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

func (p *program) printJSON(v any) error {
	e := json.NewEncoder(p.stdout)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeReport writes the whole file or nothing.
func writeReport(path string, page report.Page) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".recrawl-report-*")
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	defer os.Remove(f.Name()) // after the rename there is nothing of that name
	w := bufio.NewWriter(f)
	err = page.HTML(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write report %s: %w", path, err)
	}
	return nil
}

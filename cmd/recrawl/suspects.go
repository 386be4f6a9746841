package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/apart"
)

// readsApart as its only argument makes the program read one body for another process of it.
const readsApart = "read-apart"

// serveReading reads it.
func serveReading() (exitCode int) {
	if err := apart.Serve(os.Stdin, os.Stdout, fetch.Read); err != nil {
		fmt.Fprintf(os.Stderr, "recrawl: error: %v\n", err)
		return exitFailed
	}
	return exitOK
}

// underWay opens the register of visits under way for those who read, and says what it remembers.
func (p *program) underWay(reader *apart.Reader) (*apart.Register, error) {
	r, err := apart.Open(filepath.Join(p.config.Data, "underway"))
	if err != nil {
		return nil, err
	}
	reader.Register = r
	if n := r.Suspects(); n > 0 {
		p.note("%s under way when a run died; when visited next, each is read in a process of its own",
			report.Plural(n, "page"))
	}
	return r, nil
}

package core

import (
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/sitegraph/listed"
)

// readScope reads the list of --seeds; without one all pages count.
func (p *Program) readScope() error {
	if p.config.Seeds == "" {
		return nil
	}
	s, err := readSeeds(p.config.Seeds)
	p.scope = s
	return err
}

// readSeeds reads a list of seeds. Its errors have hints, except those of the system.
func readSeeds(name string) (*listed.Scope, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("seeds: %w", err)
	}
	s, err := listed.ParseScope(file)
	if closed := file.Close(); closed != nil {
		return nil, closed
	}
	form := "each line has a URL, followed by " + listed.ScopeForms + ", for example " +
		"https://example.org/news/ directory"
	switch {
	case errors.Is(err, listed.ErrNoSeeds):
		return nil, UsageError(fmt.Errorf("%s has no start page yet", name),
			"enter the pages in "+name+": "+form)
	case err != nil:
		return nil, UsageError(errors.Join(fmt.Errorf("%s is no list of seeds", name), err), form)
	}
	return s, nil
}

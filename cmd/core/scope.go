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
	file, err := os.Open(p.config.Seeds)
	if err != nil {
		return fmt.Errorf("seeds: %w", err)
	}
	s, err := listed.ParseScope(file)
	if closed := file.Close(); closed != nil {
		return closed
	}
	if err != nil {
		return UsageError(errors.Join(fmt.Errorf("%s is no list of seeds", p.config.Seeds), err),
			"a line is an address with "+listed.ScopeForms+" behind it, as "+
				"https://example.org/news/ directory")
	}
	p.scope = s
	return nil
}

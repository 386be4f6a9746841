package config

import (
	"errors"
	"time"

	"github.com/recrawl/recrawl/fetch/written"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// spanFlag is a flag that takes a time span.
type spanFlag time.Duration

// Set reads a time span. Its error says what to write for one without a unit.
func (s *spanFlag) Set(text string) error {
	if unit := written.NoUnit(text); unit != "" {
		return errors.New(unit)
	}
	d, err := time.ParseDuration(text)
	*s = spanFlag(d)
	return err
}

// String returns the time span as Set reads it.
func (s *spanFlag) String() string { return words.Duration(time.Duration(*s)) }

// Type returns its name in help.
func (s *spanFlag) Type() string { return "duration" }

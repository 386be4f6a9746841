package config

import (
	"errors"
	"time"

	"github.com/recrawl/recrawl/fetch/written"
)

// spanFlag is a flag that takes a time span.
type spanFlag time.Duration

// Set reads a time span, and says what to write where it has no unit.
func (s *spanFlag) Set(text string) error {
	if unit := written.NoUnit(text); unit != "" {
		return errors.New(unit)
	}
	d, err := time.ParseDuration(text)
	*s = spanFlag(d)
	return err
}

// String is the time span as Go writes it.
func (s *spanFlag) String() string { return time.Duration(*s).String() }

// Type is what help calls it.
func (s *spanFlag) Type() string { return "duration" }

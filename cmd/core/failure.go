package core

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Exit codes, as in --help.
const (
	ExitOK          = 0
	ExitFailed      = words.ExitFailed
	ExitMisuse      = words.ExitMisuse
	ExitVisits      = 3 // the command did its work, but visits failed, or settings refuse all pages
	ExitDamaged     = words.ExitDamaged
	ExitInterrupted = 130
)

// UsageError returns a mistake in the call, with the right form as hint.
func UsageError(err error, hint string) error { return words.Hint(err, hint, ExitMisuse) }

// WorkError ends a command that did its work, with an exit code for its finding.
func WorkError(err error, hint string, code int) error { return words.Hint(err, hint, code) }

// ofSystem are errors of the operating system, without hints.
var ofSystem = []struct {
	err  error
	hint string
	code int
}{
	{syscall.ENOSPC, "the disk is full: nothing acknowledged is lost; free some space and run the " +
		"same command again", ExitFailed},
	{fs.ErrExist, "name another directory: nothing that is there is replaced", ExitMisuse},
	{syscall.ENOTDIR, "a part of the path is a file and no directory: name another path", ExitFailed},
	{fs.ErrNotExist, "check the path", ExitFailed},
	{fs.ErrPermission, "check the permissions of that path", ExitFailed},
}

// Explain returns the hint for an error, the exit code, and the error to print, whose text does not
// repeat the hint. Errors have their own hints (words.HintOf), except those of the operating system
// and of the command line.
func Explain(err error) (hint string, code int, cause error) {
	hint, code, cause = words.HintOf(err)
	if hint != "" || code != ExitFailed {
		return hint, code, cause
	}
	for _, of := range ofSystem {
		if errors.Is(err, of.err) {
			return of.hint, of.code, err
		}
	}
	for _, begin := range []string{"unknown command", "unknown flag", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), begin) {
			return "recrawl --help lists the commands", ExitMisuse, err
		}
	}
	return "", ExitFailed, cause
}

package core

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/recorded"
	"github.com/recrawl/recrawl/eval/schedule"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/fetch/archive/replay"
	"github.com/recrawl/recrawl/fetch/push"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/satstore/seen/intake"
	"github.com/recrawl/recrawl/sitegraph/arena"
)

// Exit codes, as documented in --help.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitMisuse      = 2
	ExitVisits      = 3 // the command did its work, but visits failed, or settings refuse all pages
	ExitDamaged     = 4
	ExitInterrupted = 130
)

// ended is an error that knows what its user can do, and the exit code.
type ended struct {
	error
	hint string
	code int
}

func (e ended) Unwrap() error { return e.error }

// UsageError is a mistake in the call: what is wrong, and what would be right.
func UsageError(err error, hint string) error { return ended{err, hint, ExitMisuse} }

// WorkError ends a command that did its work, with an exit code that tells what it found.
func WorkError(err error, hint string, code int) error { return ended{err, hint, code} }

// Explain returns what the user can do about an error, the exit code, and the error to print, whose
// text does not repeat the hint.
func Explain(err error) (hint string, code int, cause error) {
	var known ended
	var mistake interface{ Hint() string } // of a file or settings of the user
	var format *satstore.FormatError
	var line *history.Error
	var entry *eval.EntryError
	var log *schedule.LogError
	var unfinished *satstore.CheckpointUnfinishedError
	switch {
	case errors.As(err, &known):
		return known.hint, known.code, err
	case errors.As(err, &entry):
		return entry.Hint, ExitMisuse, err
	case errors.As(err, &mistake):
		return mistake.Hint(), ExitMisuse, err
	case errors.Is(err, fetch.ErrNoContact):
		return `give one, for example --user-agent "mybot/1.0 (+https://example.org/bot)": site owners must be able to reach you`, ExitMisuse, err
	case errors.As(err, new(*satstore.CheckpointUnansweredError)):
		return "only recrawl run does; other commands use a store for moments: ask again", ExitMisuse,
			err
	case errors.As(err, &unfinished):
		return "remove " + unfinished.To + " and ask again", ExitMisuse, err
	case errors.As(err, new(*policy.ProgramError)):
		return "docs/reference/policy-programs.md has what a program is told and may answer; what it writes " +
			"on standard error is above", ExitFailed, err
	case errors.Is(err, fetch.ErrNoName):
		return "say which name it is, for example --robots-agent mybot", ExitMisuse, err
	case errors.Is(err, satstore.ErrRead):
		return "another recrawl reads this directory, as check and serve do; try again when it has " +
			"ended, or stop it", ExitFailed, err
	case errors.Is(err, satstore.ErrInUse):
		return "another recrawl works on this directory; stop it, take another --data, or read a " +
			"copy: recrawl checkpoint", ExitFailed, err
	case errors.As(err, &format) && format.Found < format.Known:
		return "the directory was made by an earlier development version; start a new one with " +
			"another --data", ExitFailed, err
	case errors.As(err, &format):
		return "the directory was written by a newer recrawl; use that version, or another --data",
			ExitFailed, err
	case errors.As(err, new(*satstore.DamageError)):
		return "recrawl check --repair --to NEW-DIRECTORY makes a new store of all that can be read",
			ExitDamaged, err
	case errors.As(err, new(*arena.DamagedError)):
		return "start it again: all records are read then, and none is lost", ExitFailed, err
	case errors.As(err, new(*seen.DamageError)):
		return "remove the directory seen/ of the --data directory: import makes it anew of the " +
			"pages of the store; a --set alone begins anew", ExitDamaged, err
	case errors.As(err, new(*seen.FormatError)):
		return "the set was written by a newer recrawl; use that version", ExitFailed, err
	case errors.Is(err, intake.ErrForeign):
		return "was the directory put back from an older copy? Remove its directory seen/: " +
			"import makes it anew of the pages of the store", ExitFailed, err
	case errors.As(err, &line):
		bare := *line
		bare.Hint = ""
		if line.Reason == "url is missing" {
			return "if these are recorded sites, with whole contents: recrawl demo --sites " +
				filepath.Dir(line.File) + "; " + line.Hint, ExitFailed, &bare
		}
		return line.Hint + "; nothing of that file was used", ExitFailed, &bare
	case errors.As(err, &log):
		return log.Hint, ExitFailed, err
	case errors.Is(err, satstore.ErrNoStore):
		return "recrawl run --data DIR URL... makes one, in a new or empty directory; where one was, " +
			"check --repair makes a new one of what is left", ExitFailed, err
	case errors.Is(err, dashboard.ErrListen):
		return "--listen wants an address of this machine with a free port, as " +
			dashboard.DefaultAddress, ExitMisuse, err
	case errors.Is(err, push.ErrListen):
		return "--push wants an address of this machine with a free port, as 127.0.0.1:8090",
			ExitFailed, err
	case errors.Is(err, satstore.ErrUnborn):
		return "nothing was crawled yet; recrawl run completes the directory", ExitFailed, err
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full: nothing acknowledged is lost; free some space and run the same " +
			"command again", ExitFailed, err
	case errors.Is(err, replay.ErrNotLoopback):
		return "replay serves this machine only: --listen 127.0.0.1:8088", ExitMisuse, err
	case errors.Is(err, archive.ErrNoPage), errors.Is(err, archive.ErrStamp):
		return "recrawl replay shows which pages and moments there are", ExitMisuse, err
	case errors.Is(err, archive.ErrNoFiles):
		return "name the directory of recrawl run --archive, or another one with WARC files",
			ExitFailed, err
	case errors.Is(err, captures.ErrServer):
		return "say whose log it is: --server https://example.org", ExitMisuse, err
	case errors.Is(err, captures.ErrUnread):
		return "import reads " + captures.FormatNames() +
			"; --format says which, if it is one of " +
			"them", ExitMisuse, err
	case errors.Is(err, captures.ErrNothing):
		return "say what the file is: --format, of " + captures.FormatNames(), ExitMisuse, err
	case errors.Is(err, recorded.ErrNoCaptures):
		return "histories are made of CDXJ, CDX, WARC and WACZ files and of dumps of Nutch", ExitMisuse,
			err
	case errors.Is(err, recorded.ErrNoVisits):
		return "let run visit its pages first", ExitMisuse, err
	case errors.Is(err, fs.ErrExist):
		return "name another directory: nothing that is there is replaced", ExitMisuse, err
	case errors.Is(err, syscall.ENOTDIR):
		return "a file is in the place of a directory: name another path", ExitFailed, err
	case errors.Is(err, fs.ErrNotExist):
		return "check the path", ExitFailed, err
	case errors.Is(err, fs.ErrPermission):
		return "check the permissions of that path", ExitFailed, err
	case strings.HasPrefix(err.Error(), "read histories: "):
		return "name files of one server each, or directories with files *.jsonl.gz or *.jsonl",
			ExitFailed, err
	case strings.HasPrefix(err.Error(), "load sites: "):
		return "name a recorded site (whole contents over time, <host>.jsonl.gz or .jsonl) or a " +
			"directory of them, or leave --sites out for the built-in web", ExitFailed, err
	case strings.HasPrefix(err.Error(), "unknown command"),
		strings.HasPrefix(err.Error(), "unknown flag"),
		strings.HasPrefix(err.Error(), "accepts "), strings.HasPrefix(err.Error(), "requires "):
		return "recrawl --help lists the commands", ExitMisuse, err
	}
	return "", ExitFailed, err
}

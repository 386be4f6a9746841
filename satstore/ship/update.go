package ship

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
)

// Updated is what Update did.
type Updated struct {
	Fetched int64 // bytes of the base, where that was needed
	Parts   int   // of the log
	Sent    Sent  // into the log, as far as the store has it
	// Ahead says that the store has more than the log, which lost what it had, and that nobody has
	// gone on with that log since. A new line must begin.
	Ahead bool
}

// Update makes the store in a directory the one that a base and the log after it are. keep names
// what else lies in the directory. satstore.ErrInUse: another process has the store open.
func Update(ctx context.Context, dir string, b Base, depot Depot, log Log, keep ...string) (u Updated, err error) {
	last, _, err := log.Last(ctx)
	if err != nil {
		return u, fmt.Errorf("ask for the log of a store: %w", err)
	}
	s, at, err := usable(dir, b)
	if err != nil {
		return u, err
	}
	if s != nil {
		lost, alone, err := lacks(ctx, log, at.Number)
		if u.Ahead = alone || at.Number > last; err != nil || u.Ahead || lost {
			if err = errors.Join(err, s.Close()); err != nil || u.Ahead {
				return u, err
			}
			s = nil // others went on without what the log lost
		}
	}
	if s == nil {
		if err := fetch(ctx, depot, b, dir, keep); err != nil {
			return u, err
		}
		u.Fetched = b.Bytes
		if s, err = satstore.Open(dir, satstore.Options{}); err != nil {
			return u, fmt.Errorf("open a copy of a store: %w", err)
		}
		at = position{b.Line, b.After, b.Sent}
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	u.Parts, err = replay(ctx, s, log, &at)
	u.Sent = at.Sent
	return u, err
}

// usable opens the store in a directory if the log can bring it up to date; nil: it cannot.
func usable(dir string, b Base) (s *satstore.Store, at position, err error) {
	if _, err := os.Stat(filepath.Join(dir, directory.FormatName)); err != nil {
		return nil, at, nil // none, or the rest of one
	}
	s, err = satstore.Open(dir, satstore.Options{})
	if errors.As(err, new(*satstore.DamageError)) || errors.As(err, new(*satstore.FormatError)) {
		return nil, at, nil // what is damaged is replaced
	} else if err != nil {
		return nil, at, err
	}
	at, err = positionOf(s)
	if err == nil && at.Line == b.Line && at.Number >= b.After {
		return s, at, nil
	}
	return nil, at, s.Close()
}

// lacks reports whether a log lacks the part up to which a store has it: the next one follows an
// earlier one. alone: there are only marks behind.
func lacks(ctx context.Context, log Log, at uint64) (lost, alone bool, err error) {
	known := errors.New("known")
	err = log.Read(ctx, at, func(_ uint64, part []byte) error {
		if len(part) < headBytes || !lost && binary.BigEndian.Uint64(part[1:]) >= at {
			return known
		}
		if lost, alone = true, part[0]&flagMark != 0; !alone {
			return known
		}
		return nil
	})
	if err != nil && !errors.Is(err, known) {
		return false, false, err
	}
	return lost, alone, nil
}

// ErrGap says that a log does not begin where a copy ends: there is a newer copy.
var ErrGap = errors.New("the log of a store goes on elsewhere than its copy ends")

// replay applies the transactions of a log after the position of a store. at becomes that of the
// end of the log.
func replay(ctx context.Context, s *satstore.Store, log Log, at *position) (parts int, err error) {
	var changes []byte
	begun := false
	err = log.Read(ctx, at.Number, func(number uint64, part []byte) error {
		if len(part) < headBytes {
			return fmt.Errorf("%w: part %d has %d bytes", errChange, number, len(part))
		}
		if binary.BigEndian.Uint64(part[1:]) != at.Number {
			return fmt.Errorf("part %d does not follow part %d: %w", number, at.Number, ErrGap)
		}
		parts, at.Number = parts+1, number
		at.Sent.add(part)
		switch flags := part[0]; {
		case flags&flagMark != 0: // what was not whole by then never will be
			begun = false
			return nil
		case flags&flagFirst != 0:
			begun, changes = true, changes[:0]
		case !begun:
			return fmt.Errorf("%w: part %d is of a transaction without a beginning", errChange, number)
		}
		changes = append(changes, part[headBytes:]...)
		if part[0]&flagLast == 0 {
			return nil
		}
		begun = false
		if err := apply(s, changes); err != nil {
			return fmt.Errorf("part %d: %w", number, err)
		}
		if err := at.save(s); err != nil {
			return err
		}
		return s.Commit()
	})
	if err != nil {
		return parts, fmt.Errorf("bring a store up to date: %w", err)
	}
	return parts, nil
}

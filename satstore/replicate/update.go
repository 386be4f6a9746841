package replicate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
)

// Updated is the result of Update.
type Updated struct {
	Sent Sent // into the log, as far as the store has it
	// Anew is set if the log lost parts that this store has, or the base, and nobody has continued
	// it since. It must begin anew, with the latest store.
	Anew bool
	// Aside is set if the directory had a store with parts that the log lost, and others continued
	// without them. That store is in the directory with the suffix Aside.
	Aside bool

	history history
}

// Update brings the store in a directory to the state of a base and the log after it.
// satstore.ErrInUse: another process has the store open.
func Update(ctx context.Context, dir string, b Base, remote Remote) (u Updated, err error) {
	s, at, err := open(dir)
	if err != nil {
		return u, err
	}
	if s != nil {
		how, err := b.stands(ctx, remote, at.History, s.Pages())
		if err != nil || how != follows {
			if err = errors.Join(err, s.Close()); err != nil {
				return u, err
			}
			s = nil
		}
		switch u.Anew, u.Aside = how == ahead, how == apart; {
		case u.Anew:
			return u, nil
		case u.Aside:
			if err := setAside(dir); err != nil {
				return u, fmt.Errorf("set a store aside that has what its log lost: %w", err)
			}
		}
	}
	if s == nil {
		if err := fetch(ctx, remote, b, dir); err != nil {
			return u, err
		}
		end := b.History.end()
		if has, err := holds(ctx, remote, end.Writer, end.To); err != nil || !has {
			u.Anew = err == nil
			return u, err
		}
		if s, err = satstore.Open(dir, satstore.Options{}); err != nil {
			return u, fmt.Errorf("open a copy of a store: %w", err)
		}
		at = position{b.History, b.Sent}
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = replay(ctx, s, remote, &at)
	u.Sent, u.history = at.Sent, at.History
	return u, err
}

// Discard removes a store whose content a base and the log after it have, and sets it aside if they
// lack some. false: others have not continued yet, and may need it.
func Discard(ctx context.Context, dir string, b Base, remote Remote) (done bool, err error) {
	s, at, err := open(dir)
	if err != nil {
		return false, err
	}
	if s == nil {
		return true, clearAway(dir)
	}
	how, err := b.stands(ctx, remote, at.History, s.Pages())
	if err = errors.Join(err, s.Close()); err != nil {
		return false, err
	}
	switch how {
	case ahead:
		return false, nil
	case apart:
		return true, setAside(dir)
	}
	return true, clearAway(dir)
}

// open opens the store in a directory; nil: there is none that is readable.
func open(dir string) (s *satstore.Store, at position, err error) {
	if _, err := os.Stat(filepath.Join(dir, directory.FormatName)); err != nil {
		return nil, at, nil // none, or the remains of one
	}
	s, err = satstore.Open(dir, satstore.Options{})
	if errors.As(err, new(*satstore.DamageError)) || errors.As(err, new(*satstore.FormatError)) {
		return nil, at, nil // a damaged store is replaced
	} else if err != nil {
		return nil, at, err
	}
	if at, err = positionOf(s); err != nil {
		return nil, at, errors.Join(err, s.Close())
	}
	return s, at, nil
}

// standing is how a store compares with a base and the log after it.
type standing int

const (
	behind standing = iota // the base has all of the store, and more
	// follows: the log has the last part of the store, which lacks the later ones.
	follows
	ahead // the log lost parts that the store has, and the store lacks no transaction of the log
	apart // the store has parts that base and log lack, and others continued without them
)

// stands returns how a store with some pages compares with a base and the log after it.
func (b Base) stands(ctx context.Context, log Remote, at history, pages int) (standing, error) {
	end, from := at.end(), b.History.end()
	if !at.has(from.Writer, from.To) {
		last := at.changed().end()
		if len(at) == 0 && pages == 0 || b.History.has(end.Writer, end.To) ||
			b.History.has(last.Writer, last.To) {
			return behind, nil
		}
		return apart, nil
	}
	if has, err := holds(ctx, log, end.Writer, end.To); err != nil || has {
		return follows, err
	}
	others := false
	err := log.Read(ctx, from.To, func(number uint64, part []byte) error {
		h, err := headOf(number, part)
		if others = err == nil && h.flags&flagLast != 0 && !at.has(h.writer, number); others {
			return errEnough
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return behind, fmt.Errorf("compare a store with its log: %w", err)
	}
	if others {
		return apart, nil
	}
	return ahead, nil
}

// errEnough ends the reading of a log.
var errEnough = errors.New("enough was read")

// holds reports whether a log has a part of a writer.
func holds(ctx context.Context, log Remote, writer, number uint64) (has bool, err error) {
	err = log.Read(ctx, max(number, 1)-1, func(n uint64, part []byte) error {
		h, err := headOf(n, part)
		if has = err == nil && n == number && h.writer == writer; err == nil {
			err = errEnough
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, fmt.Errorf("look for part %d of a log: %w", number, err)
	}
	return has, nil
}

// ErrGap reports that a log does not begin where a copy ends: there is a newer copy.
var ErrGap = errors.New("the log of a store goes on elsewhere than its copy ends")

// replay applies the transactions of a log after the position of a store. It sets at to the end of
// the log.
func replay(ctx context.Context, s *satstore.Store, log Remote, at *position) error {
	var changes []byte
	begun := false
	err := log.Read(ctx, at.History.end().To, func(number uint64, part []byte) error {
		h, err := headOf(number, part)
		if err != nil {
			return err
		}
		if end := at.History.end(); h.after != end.To || h.writer != end.Writer &&
			h.flags&flagMark == 0 {
			return fmt.Errorf("part %d does not follow part %d: %w", number, end.To, ErrGap)
		}
		at.History = at.History.add(h.writer, number)
		at.Sent.add(part)
		switch {
		case h.flags&flagMark != 0: // transactions that are incomplete here stay so
			begun = false
			return nil
		case h.flags&flagFirst != 0:
			begun, changes = true, changes[:0]
		case !begun:
			return fmt.Errorf("%w: part %d is of a transaction without a beginning",
				errChange, number)
		}
		changes = append(changes, part[headBytes:]...)
		if h.flags&flagLast == 0 {
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
		return fmt.Errorf("bring a store up to date: %w", err)
	}
	return nil
}

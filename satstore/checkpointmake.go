package satstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	// longestWait is how long it is waited for a request to be taken up. Who answers looks for one
	// each second at least, unless it reads the store at its start or makes another copy.
	longestWait = 2 * time.Minute
	// askAgain is how often who waits looks whether the store is in use at all: another copy may
	// have been all that was going on, or the process that had it open has ended.
	askAgain = time.Second
	// look is how often it looks for its answer.
	look = 50 * time.Millisecond
)

// CheckpointUnansweredError says that the process which has a store open does not answer requests.
type CheckpointUnansweredError struct {
	Data string
	Wait time.Duration // how long it had time to
}

// Hint says who answers.
func (e *CheckpointUnansweredError) Hint() string {
	return "only recrawl run does; other commands use a store for moments: ask again"
}

func (e *CheckpointUnansweredError) Error() string {
	return fmt.Sprintf("the program that works on %s made no copy within %v", e.Data, e.Wait)
}

// CheckpointUnfinishedError says that a process took a request up and ended before the copy was
// whole.
type CheckpointUnfinishedError struct {
	Data string
	To   string // where a part of the copy may be
}

// Hint says what to remove.
func (e *CheckpointUnfinishedError) Hint() string { return "remove " + e.To + " and ask again" }

func (e *CheckpointUnfinishedError) Error() string {
	return fmt.Sprintf("the program that made the copy of %s has ended before it was whole", e.Data)
}

// Checkpoint is the copy that was made.
type Checkpoint struct {
	Data    string `json:"data"`
	To      string `json:"to"`
	Running bool   `json:"running"` // another process, which has the store open, made it
}

// MakeCheckpoint copies the store in the directory data into a new directory. Where another process
// has it open, that one is asked, and running is true. Relative paths would mean another place to
// that process: to must be absolute. report is called with how far a copy of our own has come, and
// its error ends it. One that the other process makes is waited for until the context ends.
//
// It copies the store of a directory, also while another process has it open. Then that process is
// asked for the copy and makes it. The two processes talk by files in the directory of the store.
//
// # Terms
//
//	request  a file that asks for a copy, and names the directory for it
//	answer   a file that tells what became of a request
//
// Each process that asks has files of its own, so that several can ask at a time. Each gets a copy,
// one after the other, in the order of asking. A request is a file
// checkpoint-<moment>-<number>.request, its answer the same with .answer. Both hold one JSON
// object.
//
// # Guarantees
//
//  1. The copy is the store as it stood at one moment, after a commit.
//  2. The process that takes up a request removes it, and so does the one that gives it up: only
//     one of them can. So no copy is begun for a process that has gone.
//  3. An error of a copy is returned to the process that asked, and does not end the one that
//     answers. An error of the store itself does.
//  4. Files appear whole. The next AnswerCheckpoint removes those of a process that was
//     killed, after twice the time for which MakeCheckpoint waits for a request to be taken up.
//  5. If the store becomes free while MakeCheckpoint waits, it copies it itself.
//
// AnswerCheckpoint is called by the goroutine that uses the store. MakeCheckpoint may be called by
// many.
func MakeCheckpoint(ctx context.Context, data, to string, report directory.Func) (running bool,
	err error) {
	err = copyStore(data, to, report)
	if errors.Is(err, ErrInUse) {
		return askForCopy(ctx, data, to, report)
	}
	return false, err
}

// copyStore copies a store that no other process has open.
func copyStore(data, to string, report directory.Func) (err error) {
	// for writing it would make one
	store, err := Open(data, Options{ReadOnly: true})
	if err == nil {
		err = store.Close()
	}
	if err == nil {
		store, err = Open(data, Options{Progress: report})
	}
	if err != nil {
		return err
	}
	defer func() {
		if closed := store.Close(); err == nil {
			err = closed
		}
	}()
	if err = store.Checkpoint(to); errors.Is(err, context.Canceled) {
		err = errors.Join(err, os.RemoveAll(to)) // nobody wants a part of it
	}
	return err
}

// askForCopy leaves a request for the process that works on a directory, and waits for its answer.
// Where the store becomes free before, it makes the copy itself, and running is false.
func askForCopy(ctx context.Context, data, to string, report directory.Func) (running bool,
	err error) {
	place := newRequestPlace(data)
	if err := (copyRequest{To: to}).write(place + requestSuffix); err != nil {
		return true, err
	}
	takeBack := func() bool { return os.Remove(place+requestSuffix) == nil }
	defer takeBack()
	deadline, again := time.Now().Add(longestWait), time.Now().Add(askAgain)
	for {
		if err := pauseBeforeAnswer(ctx, look); err != nil {
			return true, err
		}
		if done, err := readAnswer(place + answerSuffix); done {
			return true, err
		}
		switch now := time.Now(); {
		case now.After(deadline):
			if takeBack() {
				return true, &CheckpointUnansweredError{data, longestWait}
			}
			deadline = now.Add(longestWait) // it was taken up: a large copy takes its time
		case now.After(again):
			again = now.Add(askAgain)
			if used, err := InUse(data, Options{}); err != nil {
				return true, err
			} else if used {
				continue
			}
			if takeBack() {
				if err := copyStore(data, to, report); !errors.Is(err, ErrInUse) {
					return false, err
				}
				// another process was faster
				if err := (copyRequest{To: to}).write(place + requestSuffix); err != nil {
					return true, err
				}
				continue
			}
			// Who took it up had the store in use then: perhaps since it was free above.
			if used, err := InUse(data, Options{}); err != nil {
				return true, err
			} else if used {
				continue
			}
			if done, err := readAnswer(place + answerSuffix); done {
				return true, err
			}
			return true, &CheckpointUnfinishedError{data, to}
		}
	}
}

func pauseBeforeAnswer(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

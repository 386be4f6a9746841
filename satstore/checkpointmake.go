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
	// longestWait bounds the time until a request is accepted. The answering process looks for
	// requests at least each second, unless it reads the store at its start or makes another copy.
	longestWait = 2 * time.Minute
	// askAgain is the time between checks whether the store is in use at all: another copy may have
	// ended, or the process that had it open.
	askAgain = time.Second
	// look is the time between two looks for the answer.
	look = 50 * time.Millisecond
)

// CheckpointUnansweredError reports that the process which has a store open does not answer
// requests.
type CheckpointUnansweredError struct {
	Data string
	Wait time.Duration // how long it had time to
}

// Hint names the commands that answer.
func (e *CheckpointUnansweredError) Hint() string {
	return "only recrawl run does; other commands use a store for moments: ask again"
}

func (e *CheckpointUnansweredError) Error() string {
	return fmt.Sprintf("the program that works on %s made no copy within %v", e.Data, e.Wait)
}

// CheckpointUnfinishedError reports that a process accepted a request and ended before the copy was
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

// Checkpoint describes a copy.
type Checkpoint struct {
	Data    string `json:"data"`
	To      string `json:"to"`
	Running bool   `json:"running"` // whether another process, which has the store open, made it
}

// MakeCheckpoint copies the store in the directory data into a new directory. If another process
// has it open, MakeCheckpoint asks that process for the copy, waits for it until the context ends,
// and running is true. The other process may have another working directory, so to must be
// absolute. report receives the progress of a copy made here, and its error ends the copy. The two
// processes communicate by files in the directory of the store.
//
// # Terms
//
//	request  a file that asks for a copy, and names the directory for it
//	answer   a file with the result of a request
//
// Each process that asks has its own files, so that several can ask at a time. They get their
// copies one after the other, in the order of the requests. A request is a file
// checkpoint-<moment>-<number>.request, its answer the same with .answer. Both hold one JSON
// object.
//
// # Guarantees
//
//  1. The copy is the state of the store after one commit.
//  2. The process that accepts a request removes it, and so does the one that withdraws it: only
//     one of them can. So no copy begins for a process that has gone.
//  3. An error of a copy is returned to the process that asked, and does not end the one that
//     answers. An error of the store itself does.
//  4. Files appear whole. The next AnswerCheckpoint removes those of a process that was
//     killed, after twice the time for which MakeCheckpoint waits for an answer to begin.
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
	// opening for writing would make one
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
		err = errors.Join(err, os.RemoveAll(to)) // nobody needs a part of it
	}
	return err
}

// askForCopy leaves a request for the process that has a directory open, and waits for its answer.
// If the store becomes free before, it makes the copy itself, and running is false.
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
			deadline = now.Add(longestWait) // accepted: a large copy takes its time
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
			// The process that accepted it had the store in use then, perhaps only after the check
			// above.
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

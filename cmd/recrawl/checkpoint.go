package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore"
)

func (p *program) checkpointCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint --data DIRECTORY --to DIRECTORY",
		Short: "A consistent copy of a store, also while run works on it",
		Long: `checkpoint copies the planner's store into a new directory, as it stands between two
visits: plan, explain, sites, check and inspect read the copy while run goes on.

Where run works on the store, it is run that makes the copy, within a second or so: the wish
is left for it in the directory. Several can ask at a time; each gets a copy, one after the other. Files that do not change any more are shared by hard links
where the file system can, so that a copy on the same disk is quick and small. The journal is
not copied.`,
		Example: "  recrawl checkpoint --data crawl --to /backup/crawl-monday\n  recrawl plan --data /backup/crawl-monday",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.checkpoint(cmd.Context())
		},
	}
	addSettings(cmd)
	return cmd
}

// checkpointResult is what --json prints.
type checkpointResult struct {
	Data    string `json:"data"`
	To      string `json:"to"`
	Running bool   `json:"running"` // run made the copy
}

func (p *program) checkpoint(ctx context.Context) error {
	c := &p.config
	switch {
	case c.Data == "":
		return errNoData
	case c.Checkpoint.To == "":
		return usageError{errors.New("no directory for the copy given"), "name one that does not exist: --to DIRECTORY"}
	}
	to, err := filepath.Abs(c.Checkpoint.To)
	if err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	if _, err := os.Lstat(to); err == nil {
		return usageError{fmt.Errorf("%s is there already", to), "a copy goes into a new directory"}
	}
	if _, err := os.Stat(filepath.Dir(to)); err != nil {
		return fmt.Errorf("directory of the copy: %w", err)
	}
	result := checkpointResult{Data: c.Data, To: c.Checkpoint.To}
	err = p.copyStore(to)
	if errors.Is(err, satstore.ErrInUse) {
		result.Running, err = p.askForCopy(ctx, to)
	}
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(result)
	}
	_, err = fmt.Fprintf(p.stdout, "%s holds the store as it stood a moment ago\n", c.Checkpoint.To)
	return err
}

// copyStore makes a copy of a store that nobody else has open.
func (p *program) copyStore(to string) (err error) {
	store, err := p.openStore() // opening it for writing would make one
	if err == nil {
		err = store.Close()
	}
	if err == nil {
		store, err = satstore.Open(p.config.Data, satstore.Options{})
	}
	if err != nil {
		return err
	}
	defer closing(store, &err)
	return store.Checkpoint(to)
}

// A copy is asked for, and answered, by files in the data directory: one of each for each who
// asks, so that several can ask at a time. Who takes up a wish removes it, and so does who gives
// it up: one of them can.
const (
	wishPrefix   = "checkpoint-"
	wishSuffix   = ".wish"
	answerSuffix = ".answer"
)

// wish is what is asked for, and its answer.
type wish struct {
	To    string `json:"to"`
	Error string `json:"error,omitempty"` // of the answer
}

const (
	// longestWish is how long it is waited for a wish to be taken up: run looks for one after each
	// visit, and each second at least, unless it reads the store at its start or makes another copy.
	longestWish = 2 * time.Minute
	// askAgain is how often who waits looks whether the store is in use at all: another copy may
	// have been all that was going on, or run has ended.
	askAgain = time.Second
)

// askForCopy leaves a wish for the run that works on a directory, and waits for its answer. Where
// the store becomes free before, it makes the copy itself, and running is false.
func (p *program) askForCopy(ctx context.Context, to string) (running bool, err error) {
	data := p.config.Data
	// Names sort by age. The second number tells those of the same moment from each other.
	place := filepath.Join(data, fmt.Sprintf("%s%020d-%08x", wishPrefix, time.Now().UnixNano(), rand.Uint32()))
	if err := writeJSON(place+wishSuffix, wish{To: to}); err != nil {
		return true, err
	}
	takeBack := func() bool { return os.Remove(place+wishSuffix) == nil }
	defer takeBack()
	deadline, again := time.Now().Add(longestWish), time.Now().Add(askAgain)
	for {
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return true, err
		}
		if done, err := readAnswer(place + answerSuffix); done {
			return true, err
		}
		switch now := time.Now(); {
		case now.After(deadline):
			if takeBack() {
				return true, usageError{fmt.Errorf("the program that works on %s made no copy within %v", data, longestWish), "only recrawl run does; other commands use a store for moments: ask again"}
			}
			deadline = now.Add(longestWish) // it was taken up: a large copy takes its time
		case now.After(again):
			again = now.Add(askAgain)
			if used, err := satstore.InUse(data, satstore.Options{}); err != nil {
				return true, err
			} else if used {
				continue
			}
			if takeBack() {
				if err := p.copyStore(to); !errors.Is(err, satstore.ErrInUse) {
					return false, err
				}
				if err := writeJSON(place+wishSuffix, wish{To: to}); err != nil { // somebody was faster
					return true, err
				}
				continue
			}
			// Who took it up had the store in use then: perhaps since it was free above.
			if used, err := satstore.InUse(data, satstore.Options{}); err != nil {
				return true, err
			} else if used {
				continue
			}
			if done, err := readAnswer(place + answerSuffix); done {
				return true, err
			}
			return true, usageError{fmt.Errorf("the program that made the copy of %s has ended before it was whole", data), "remove " + to + " and ask again"}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// readAnswer returns what became of a wish, once there is an answer, which it removes.
func readAnswer(place string) (done bool, err error) {
	var answer wish
	if err := readJSON(place, &answer); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return true, err
	}
	if err := os.Remove(place); err != nil {
		return true, fmt.Errorf("remove answer: %w", err)
	}
	if answer.Error != "" {
		return true, fmt.Errorf("copy made by the running program: %s", answer.Error)
	}
	return true, nil
}

// grantWishes makes the copies that were asked for, in the order of asking. What goes wrong with
// one is told to who asked, and does not end the run; that the store itself failed does.
func (p *program) grantWishes(store *satstore.Store) error {
	entries, err := os.ReadDir(p.config.Data)
	if err != nil {
		return nil // who asks will ask again
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), wishPrefix)
		if !ok {
			continue
		}
		place := filepath.Join(p.config.Data, e.Name())
		info, err := e.Info()
		if err != nil {
			continue // taken back
		}
		switch age := time.Since(info.ModTime()); {
		case age > 2*longestWish: // well after who asked has given up, so that nobody is left waiting
			_ = os.Remove(place)
		case strings.HasSuffix(name, wishSuffix):
			if err := p.grant(store, strings.TrimSuffix(place, wishSuffix)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) grant(store *satstore.Store, place string) error {
	var w wish
	wrong := readJSON(place+wishSuffix, &w)
	if err := os.Remove(place + wishSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil // taken back
	} else if err != nil { // it must not be granted for ever
		return fmt.Errorf("take up the wish for a copy: %w", err)
	}
	if wrong == nil {
		wrong = store.Checkpoint(w.To)
	}
	if wrong != nil {
		w.Error = wrong.Error()
	}
	if err := writeJSON(place+answerSuffix, w); err != nil && !p.quiet {
		fmt.Fprintf(p.stderr, "recrawl: warning: a copy was asked for: %v\n", err)
	}
	return store.Commit() // with nothing to commit it tells whether the store still works
}

func writeJSON(path string, v any) error {
	return writeWhole(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
is left for it in the directory. Files that do not change any more are shared by hard links
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
	store, err := p.openStore() // opening it for writing would make one
	if err == nil {
		err = store.Close()
	}
	if err == nil {
		store, err = satstore.Open(c.Data, satstore.Options{})
	}
	switch {
	case errors.Is(err, satstore.ErrInUse):
		result.Running = true
		err = askForCopy(ctx, c.Data, to)
	case err == nil:
		err = store.Checkpoint(to)
		closing(store, &err)
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

// Names in a data directory through which a copy is asked for and answered.
const (
	wishName   = "checkpoint.wish"
	answerName = "checkpoint.answer"
)

// wish is what is asked for, and its answer.
type wish struct {
	Number int64  `json:"number"` // tells one wish from another
	To     string `json:"to"`
	Error  string `json:"error,omitempty"` // of the answer
}

// longestWish is how long a copy is waited for: run looks for wishes each second at least, unless
// it is reading the store at its start.
const longestWish = 2 * time.Minute

// askForCopy leaves a wish for the run that works on a directory, and waits for its answer.
func askForCopy(ctx context.Context, data, to string) error {
	w := wish{Number: time.Now().UnixNano(), To: to}
	place := filepath.Join(data, wishName)
	if _, err := os.Stat(place); err == nil {
		return fmt.Errorf("another copy of %s is being made; if not, remove %s", data, place)
	}
	if err := writeJSON(place, w); err != nil {
		return err
	}
	defer func() {
		var left wish
		if readJSON(place, &left) == nil && left.Number == w.Number {
			_ = os.Remove(place) // nobody waits for it any more
		}
	}()
	deadline := time.After(longestWish)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-deadline:
			if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
				continue // it was taken up: a large copy takes its time
			}
			return usageError{fmt.Errorf("the program that works on %s made no copy within %v", data, longestWish), "only recrawl run does; other commands use a store for moments: ask again"}
		case <-time.After(50 * time.Millisecond):
		}
		var answer wish
		if err := readJSON(filepath.Join(data, answerName), &answer); errors.Is(err, fs.ErrNotExist) || err == nil && answer.Number != w.Number {
			continue
		} else if err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(data, answerName)); err != nil {
			return fmt.Errorf("remove answer: %w", err)
		}
		if answer.Error != "" {
			return fmt.Errorf("copy made by the running program: %s", answer.Error)
		}
		return nil
	}
}

// grantWish makes the copy that somebody asked for, if so. What goes wrong with it is told to
// who asked, and does not end the run; that the store itself failed does.
func (p *program) grantWish(store *satstore.Store) error {
	place := filepath.Join(p.config.Data, wishName)
	var w wish
	if err := readJSON(place, &w); err != nil {
		return nil // nobody asks
	}
	if err := os.Remove(place); err != nil { // it must not be granted for ever
		return fmt.Errorf("take up the wish for a copy: %w", err)
	}
	if time.Since(time.Unix(0, w.Number)) > longestWish {
		return nil // who asked has given up
	}
	if err := store.Checkpoint(w.To); err != nil {
		w.Error = err.Error()
	}
	if err := writeJSON(filepath.Join(p.config.Data, answerName), w); err != nil && !p.quiet {
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

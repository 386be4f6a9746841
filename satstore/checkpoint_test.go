package satstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

const address = "http://h.example/"

// opened makes a store of one page and leaves it open.
func opened(t *testing.T) (data string, store *Store) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	store, err := Open(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() }) // again for those that close it
	if err := store.Add(&sitegraph.Record{URL: address, State: sitegraph.StateNew}); err != nil {
		t.Fatal(err)
	}
	if err := store.Commit(); err != nil {
		t.Fatal(err)
	}
	return data, store
}

// checkCopy fails unless the copy is a store of that page.
func checkCopy(t *testing.T, to string) {
	t.Helper()
	store, err := Open(to, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	graph := sitegraph.NewGraph()
	if err := store.Restore(graph, func(*sitegraph.Record) {}); err != nil {
		t.Fatal(err)
	}
	if _, known := graph.Lookup(address); !known || graph.Pages() != 1 {
		t.Errorf("%s holds %d pages", to, graph.Pages())
	}
}

// nothingLeft fails if a file of the protocol is in the directory.
func nothingLeft(t *testing.T, data string) {
	t.Helper()
	for _, pattern := range []string{prefix + "*", ".recrawl-*"} {
		if left, err := filepath.Glob(filepath.Join(data, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left are %v, %v", left, err)
		}
	}
}

// made is what Make returned.
type made struct {
	running bool
	err     error
}

// making calls Make beside the test.
func making(ctx context.Context, data, to string) <-chan made {
	done := make(chan made, 1)
	go func() {
		running, err := MakeCheckpoint(ctx, data, to, nil)
		done <- made{running, err}
	}()
	return done
}

// answering answers requests until Make is done.
func answering(t *testing.T, data string, store checkpointed, done <-chan made) made {
	t.Helper()
	for {
		select {
		case m := <-done:
			return m
		case <-time.After(5 * time.Millisecond):
			if err := AnswerCheckpoint(data, store, func(err error) { t.Error(err) }); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The process that uses a store copies it. If no process does, Make copies it.
func TestMake(t *testing.T) {
	data, store := opened(t)
	dir := t.TempDir()
	live, late := filepath.Join(dir, "live"), filepath.Join(dir, "late")
	if m := answering(t, data, store, making(t.Context(), data, live)); !m.running || m.err != nil {
		t.Errorf("in use: %+v", m)
	}
	checkCopy(t, live)
	if m := answering(t, data, store, making(t.Context(), data, live)); !m.running ||
		m.err == nil || !strings.Contains(m.err.Error(), "made by the running program") {
		t.Errorf("twice to one place: %+v", m)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if running, err := MakeCheckpoint(t.Context(), data, late, nil); running || err != nil {
		t.Errorf("free: running %v, %v", running, err)
	}
	checkCopy(t, late)
	nothingLeft(t, data)
	if _, err := MakeCheckpoint(t.Context(), dir, late, nil); !errors.Is(err, ErrNoStore) {
		t.Errorf("no store: %v", err)
	}
}

// An interrupted copy leaves no files.
func TestInterrupted(t *testing.T) {
	data, store := opened(t)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	_, err := MakeCheckpoint(t.Context(), data, to, func(string, int,
		int) error {
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(to); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a part of the copy: %v", err)
	}
	if _, err := MakeCheckpoint(t.Context(), data, to, nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	checkCopy(t, to)
}

// Make copies a store that becomes free while it waits.
func TestStoreBecomesFree(t *testing.T) {
	data, store := opened(t)
	to := filepath.Join(t.TempDir(), "copy")
	done := making(t.Context(), data, to)
	waitForRequest(t, data)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if m := <-done; m.running || m.err != nil {
		t.Errorf("%+v", m)
	}
	checkCopy(t, to)
	nothingLeft(t, data)
}

// waitForRequest returns the file that asks for a copy.
func waitForRequest(t *testing.T, data string) string {
	t.Helper()
	for {
		if files, err := filepath.Glob(filepath.Join(data, prefix+"*"+requestSuffix)); err != nil {
			t.Fatal(err)
		} else if len(files) == 1 {
			return files[0]
		}
		time.Sleep(time.Millisecond)
	}
}

// A process that takes a request and ends without an answer leaves part of a copy, or nothing.
func TestUnfinished(t *testing.T) {
	data, store := opened(t)
	done := making(t.Context(), data, "/copy")
	if err := os.Remove(waitForRequest(t, data)); err != nil { // as Answer takes it up
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	var unfinished *CheckpointUnfinishedError
	if m := <-done; !m.running || !errors.As(m.err, &unfinished) || unfinished.To != "/copy" ||
		unfinished.Data != data {
		t.Errorf("%+v", m)
	}
	nothingLeft(t, data)
}

// Make does not wait for ever for a process that has the store open and does not answer. A process
// does not answer a request after Make has given up.
func TestGivenUp(t *testing.T) {
	data, store := opened(t)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		running, err := MakeCheckpoint(t.Context(), data, "/copy", nil)
		var unanswered *CheckpointUnansweredError
		if !running || !errors.As(err, &unanswered) || unanswered.Data != data {
			t.Errorf("running %v, %v", running, err)
		}
		if waited := time.Since(began); waited < longestWait || waited > longestWait+askAgain {
			t.Errorf("waited %v", waited)
		}
	})
	nothingLeft(t, data)
	ctx, cancel := context.WithCancel(t.Context())
	done := making(ctx, data, "/copy")
	waitForRequest(t, data)
	cancel()
	if m := <-done; !errors.Is(m.err, context.Canceled) {
		t.Errorf("%+v", m)
	}
	nothingLeft(t, data)
	if err := AnswerCheckpoint(data, store, nil); err != nil {
		t.Error(err)
	}
}

// faulty is a store that makes no copy, and may have failed as a whole.
type faulty struct{ copied, commit error }

func (f faulty) Checkpoint(string) error { return f.copied }
func (f faulty) Commit() error           { return f.commit }

// Make gets the error of a failed copy. A store that has failed as a whole ends Answer. A file that
// is no request, or whose process has ended, causes no copy.
func TestAnswer(t *testing.T) {
	full, broken := errors.New("the disk is full"), errors.New("the store has failed")
	data := t.TempDir()
	place := newRequestPlace(data)
	ask := func(text string) {
		t.Helper()
		if err := os.WriteFile(place+requestSuffix, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		request string
		store   faulty
		want    error  // of Answer
		told    string // error that Make gets; "": the copy was made
	}{
		{"copy", `{"to":"/copy"}`, faulty{}, nil, ""},
		{"full disk", `{"to":"/copy"}`, faulty{copied: full}, nil, full.Error()},
		{"store that failed", `{"to":"/copy"}`, faulty{copied: full, commit: broken}, broken,
			full.Error()},
		{"no request", `{"to`, faulty{}, nil, "read " + place},
	} {
		ask(c.request)
		if err := AnswerCheckpoint(data, c.store, func(err error) { t.Error(err) }); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		done, err := readAnswer(place + answerSuffix)
		if !done || (err == nil) != (c.told == "") || err != nil &&
			!strings.Contains(err.Error(), c.told) {
			t.Errorf("%s: answered %v, %v", c.name, done, err)
		}
		nothingLeft(t, data)
	}
	ask(`{"to":"/copy"}`)
	long := time.Now().Add(-2*longestWait - time.Second)
	if err := os.Chtimes(place+requestSuffix, long, long); err != nil {
		t.Fatal(err)
	}
	if err := AnswerCheckpoint(data, faulty{commit: broken}, nil); err != nil {
		t.Errorf("of nobody any more: %v", err)
	}
	nothingLeft(t, data)
	if err := AnswerCheckpoint(filepath.Join(data, "none"), faulty{}, nil); err != nil {
		t.Errorf("no directory: %v", err)
	}
}

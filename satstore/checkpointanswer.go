package satstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// checkpointed is a store that its process has open: a *satstore.Store.
type checkpointed interface {
	Checkpoint(to string) error
	Commit() error
}

// AnswerCheckpoint makes the requested copies of the store in the directory data, in the order of
// the requests. Its error is one of the store itself. Errors of a copy go to the process that
// asked, or to unheard if that fails.
func AnswerCheckpoint(data string, store checkpointed, unheard func(error)) error {
	entries, err := os.ReadDir(data)
	if err != nil {
		return nil // the process asks again
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok {
			continue
		}
		place := filepath.Join(data, e.Name())
		info, err := e.Info()
		if err != nil {
			continue // withdrawn
		}
		switch age := time.Since(info.ModTime()); {
		case age > 2*longestWait: // long after the process that asked has given up
			_ = os.Remove(place)
		case strings.HasSuffix(name, requestSuffix):
			if err := answerRequest(store, strings.TrimSuffix(place, requestSuffix),
				unheard); err != nil {
				return err
			}
		}
	}
	return nil
}

func answerRequest(store checkpointed, place string, unheard func(error)) error {
	var r copyRequest
	wrong := r.read(place + requestSuffix)
	if err := os.Remove(place + requestSuffix); errors.Is(err, fs.ErrNotExist) {
		return nil // withdrawn
	} else if err != nil { // or it would be answered again and again
		return fmt.Errorf("take up the request for a copy: %w", err)
	}
	if wrong == nil {
		wrong = store.Checkpoint(r.To)
	}
	if wrong != nil {
		r.Error = wrong.Error()
	}
	if err := r.write(place + answerSuffix); err != nil {
		unheard(err)
	}
	return store.Commit() // with nothing to commit this shows whether the store still works
}

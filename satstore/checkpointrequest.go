package satstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
)

// The names of the files: a prefix, a unique name, and the kind.
const (
	prefix        = "checkpoint-"
	requestSuffix = ".request"
	answerSuffix  = ".answer"
)

// copyRequest is a request, or its answer.
type copyRequest struct {
	To    string `json:"to"`
	Error string `json:"error,omitempty"` // of the answer
}

// newRequestPlace returns the path of a new request and its answer, without their suffixes.
func newRequestPlace(data string) string {
	// Names sort by age. The second number separates requests of the same time.
	return filepath.Join(data, fmt.Sprintf("%s%020d-%08x",
		prefix, time.Now().UnixNano(), rand.Uint32()))
}

// write makes a file that appears whole.
func (r copyRequest) write(path string) error {
	return directory.WriteAtomically(path,
		func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// read reads a request or an answer.
func (r *copyRequest) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// readAnswer returns the result of a request, once there is an answer, which it removes.
func readAnswer(path string) (done bool, err error) {
	var answer copyRequest
	if err := answer.read(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return true, err
	}
	if err := os.Remove(path); err != nil {
		return true, fmt.Errorf("remove answer: %w", err)
	}
	if answer.Error != "" {
		return true, fmt.Errorf("copy made by the running program: %s", answer.Error)
	}
	return true, nil
}

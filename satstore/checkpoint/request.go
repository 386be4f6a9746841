package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// The names of the files: a prefix, a name that no other request has, and what they are.
const (
	prefix        = "checkpoint-"
	requestSuffix = ".request"
	answerSuffix  = ".answer"
)

// request is what is asked for, and its answer.
type request struct {
	To    string `json:"to"`
	Error string `json:"error,omitempty"` // of the answer
}

// newPlace returns the path of a new request and its answer, without their suffixes.
func newPlace(data string) string {
	// Names sort by age. The second number tells those of the same moment from each other.
	return filepath.Join(data, fmt.Sprintf("%s%020d-%08x", prefix, time.Now().UnixNano(), rand.Uint32()))
}

// write makes a file that appears whole.
func (r request) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".recrawl-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // after the rename there is nothing of that name
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// read reads a request or an answer.
func (r *request) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, r); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// readAnswer returns what became of a request, once there is an answer, which it removes.
func readAnswer(path string) (done bool, err error) {
	var answer request
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

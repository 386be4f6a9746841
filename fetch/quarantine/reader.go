package quarantine

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
)

const (
	maxMemory = 256 << 20        // memory of a reading process; real pages need less than 30 MB
	maxTime   = 10 * time.Second // time of a reading; real pages take milliseconds

	maxAnswer = 256 << 20 // octets of a result
	maxNoise  = 4 << 10   // octets of a dying process's output
)

// Reader reads bodies of suspects and all files in a separate process, and other bodies here.
type Reader struct {
	Register *Register     // of suspects; nil: none
	Command  []string      // starts a process that calls Serve
	Time     time.Duration // time of a process

	turn chan struct{} // holds one element while a process reads
}

// NewReader returns a reader that starts its processes by a command.
func NewReader(command ...string) *Reader {
	return &Reader{Command: command, Time: maxTime, turn: make(chan struct{}, 1)}
}

// Again returns a command that starts this program again, with arguments.
func Again(arguments ...string) []string {
	self, err := os.Executable()
	if runtime.GOOS == "linux" {
		self, err = "/proc/self/exe", nil // works when the file has been replaced
	}
	if err != nil {
		self = os.Args[0]
	}
	return append([]string{self}, arguments...)
}

// Read implements fetch.Options.Read.
func (r *Reader) Read(ctx context.Context, reading fetch.Reading) (fetch.Content, error) {
	suspect := r.Register != nil && r.Register.isSuspect(reading.URL)
	if !suspect && !reading.IsFile() {
		return fetch.Read(ctx, reading)
	}
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return fetch.Content{}, ctx.Err()
	}
	answer, err := r.apart(ctx, reading)
	if local := (*fetch.LocalError)(nil); err != nil && reading.IsFile() && ctx.Err() == nil &&
		!errors.As(err, &local) {
		answer.Content, err = fetch.Unread(reading, err), nil
	}
	if err != nil {
		return fetch.Content{}, err
	}
	if suspect {
		r.Register.acquit(reading.URL)
	}
	if answer.Failed != "" {
		return fetch.Content{}, errors.New(answer.Failed)
	}
	return answer.Content, nil
}

// Show shows a document, or returns a page of HTML unchanged (see extract.Show).
func (r *Reader) Show(ctx context.Context, url, contentType string, body []byte) (
	extract.Shown, error) {
	content, err := r.Read(ctx, fetch.Reading{URL: url, ContentType: contentType, Body: body,
		Forms: extract.AllForms, Shown: true})
	if err != nil || content.Document == nil {
		return extract.Shown{Page: body, Type: contentType}, err
	}
	return extract.Shown{Page: content.Document.HTML(), Type: extract.ShownType,
		Document: content.Document, Unread: content.Unread}, nil
}

// answer is the result of a reading process.
type answer struct {
	Content fetch.Content
	Failed  string // error of the reading
}

// apart reads in a separate process. The error says why that died.
func (r *Reader) apart(ctx context.Context, reading fetch.Reading) (a answer, err error) {
	limited, cancel := context.WithTimeout(ctx, r.Time)
	defer cancel()
	var in, out bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(reading); err != nil {
		return a, fmt.Errorf("send the body to the reading process: %w", err)
	}
	noise := bounded{most: maxNoise}
	child := exec.CommandContext(limited, r.Command[0], r.Command[1:]...)
	child.Env = append(os.Environ(), fmt.Sprintf("GOMEMLIMIT=%d", maxMemory*3/4),
		"GOTRACEBACK=none")
	child.Stdin, child.Stdout, child.Stderr = &in, &bounded{Buffer: &out, most: maxAnswer}, &noise
	child.WaitDelay = time.Second
	noise.Buffer = new(bytes.Buffer)
	if err := child.Start(); err != nil {
		return a, &fetch.LocalError{Err: fmt.Errorf("start a reading process: %w", err)}
	}
	err = child.Wait()
	switch {
	case err == nil:
		if err := gob.NewDecoder(&out).Decode(&a); err != nil {
			return a, fmt.Errorf("receive the result of the reading process: %w", err)
		}
		return a, nil
	case ctx.Err() != nil:
		return a, ctx.Err()
	case limited.Err() != nil:
		return a, fmt.Errorf("reading the body takes longer than %v", r.Time)
	case diedOfMemory(noise.String()):
		return a, fmt.Errorf("reading the body takes more than %d MB of memory", maxMemory>>20)
	}
	return a, fmt.Errorf("the reading process died: %w", err)
}

// diedOfMemory reports whether a dying process ran out of memory. The Go runtime writes so for its
// heap, the C library for a thread, whose stack counts as private data.
func diedOfMemory(noise string) bool {
	for _, phrase := range []string{
		"out of memory",
		"cannot allocate memory",
		"pthread_create failed",
		"failed to create new OS thread",
	} {
		if strings.Contains(noise, phrase) {
			return true
		}
	}
	return false
}

// bounded keeps the start of what is written.
type bounded struct {
	*bytes.Buffer
	most int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), b.most-b.Len())])
	return len(p), nil
}

// Serve is the main function of a reading process: it limits itself, reads one body, and writes the
// result.
func Serve(
	in io.Reader,
	out io.Writer,
	read func(context.Context, fetch.Reading) (fetch.Content, error),
) error {
	// the calling process also gets the signal, and ends this one
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if err := limitMemory(maxMemory); err != nil {
		return fmt.Errorf("limit the memory: %w", err)
	}
	time.AfterFunc(2*maxTime, func() { os.Exit(1) }) // the calling process died
	var reading fetch.Reading
	if err := gob.NewDecoder(in).Decode(&reading); err != nil {
		return fmt.Errorf("receive the body to read: %w", err)
	}
	var a answer
	content, err := read(context.Background(), reading)
	if err != nil {
		a.Failed = err.Error()
	} else {
		a.Content = content
	}
	return gob.NewEncoder(out).Encode(a)
}

package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
)

// ErrNobody is the error if no process serves a dashboard of a data directory.
var ErrNobody = errors.New("no running process answers for this directory")

// RefusedError is the error if the process that has a store open refused a question.
type RefusedError struct {
	Status int
	Why    string
}

func (e *RefusedError) Error() string { return "the running process answers: " + e.Why }

// found reads the address of the server of a data directory.
func found(data string) (w where, err error) {
	text, err := os.ReadFile(announced(data))
	if err != nil {
		return w, err
	}
	if err = json.Unmarshal(text, &w); err == nil && (w.Address == "" || w.Secret == "") {
		err = errors.New("the file has no address or no secret")
	}
	return w, err
}

// mostAnswer bounds an answer to a command.
const mostAnswer = 256 << 20

// Ask asks the process that has the store of a directory open, by its API: path is one below
// /api/v1/, with its query, and accept the wanted media type. The error is ErrNobody without such a
// process, and a *RefusedError if the process has no answer.
func Ask(ctx context.Context, data, path string, query url.Values, accept string) ([]byte, error) {
	w, err := found(data)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNobody, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	scheme, transport := "http", &http.Transport{} // no proxy: it is this machine
	if w.Certificate != "" {
		scheme, transport.TLSClientConfig = "https", access.PinnedTLS(w.Certificate)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		scheme+"://"+reachable(w.Address)+"/api/v1/"+path+"?"+query.Encode(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNobody, err)
	}
	r.Header.Set("Authorization", "Bearer "+w.Secret)
	r.Header.Set("Accept", accept)
	client := http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNobody, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return nil, fmt.Errorf("answer of the running process: %w", err)
	}
	if answer.StatusCode >= 300 {
		why := apiError{strings.TrimSpace(string(body))}
		_ = json.Unmarshal(body, &why) // else it is text
		return nil, &RefusedError{answer.StatusCode, why.Error}
	}
	return body, nil
}

// Command is a command whose store another process has open. It asks that process and prints the
// answer.
type Command struct {
	Data string // the directory
	JSON bool   // as JSON, not as text
	Out  io.Writer
	// Note shows people a note beside the result.
	Note func(format string, args ...any)
}

// Print prints the answer of the process on a resource. The error is ErrNobody without such a
// process, and a *RefusedError if the process has no answer.
func (c Command) Print(ctx context.Context, path string, query url.Values) error {
	accept := "text/plain"
	if c.JSON {
		accept = "application/json"
	}
	text, err := Ask(ctx, c.Data, path, query, accept)
	if err != nil {
		return err
	}
	return c.print(text)
}

func (c Command) print(text []byte) error {
	c.Note("the answer is of the process that works on %s", c.Data)
	if c.JSON {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", " "); err != nil {
			return fmt.Errorf("answer of the running process: %w", err)
		}
		text = append(bytes.TrimRight(indented.Bytes(), "\n"), '\n')
	}
	_, err := c.Out.Write(text)
	return err
}

// Hint says what to do after a refusal.
func (e *RefusedError) Hint() string {
	if e.Status >= 500 {
		return "ask again in a moment"
	}
	return "that process has the store open: stop it, or make a copy with recrawl checkpoint " +
		"and read the copy"
}

// reachable returns an address to connect to. A server that is bound to all addresses is reached by
// loopback.
func reachable(address string) string {
	for _, all := range []string{"[::]", "0.0.0.0"} {
		if port, ok := strings.CutPrefix(address, all+":"); ok {
			return "127.0.0.1:" + port
		}
	}
	return address
}

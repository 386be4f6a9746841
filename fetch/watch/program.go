package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
)

// command runs a program for each message.
type command struct {
	args []string
	text bool // the program gets text for people, else JSON
}

const (
	mostText  = 64 << 10
	mostSaid  = 2 << 10 // octets of a program's output in an error
	endWithin = time.Second
)

func newCommand(args []string, text bool) (Sender, error) {
	if _, err := exec.LookPath(args[0]); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	return command{args, text}, nil
}

// Send runs the program with the message on standard input: as JSON, or as its subject, an empty
// line and its text. The program must end with status 0.
func (c command) Send(ctx context.Context, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if c.text {
		body = []byte(m.Subject + "\n\n" + m.Text(mostText))
	}
	said := &tail{}
	p := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	p.Stdin = bytes.NewReader(body)
	p.Stdout, p.Stderr = said, said
	p.Env = access.EnvironmentWithoutSecrets()
	p.WaitDelay = endWithin
	p.Cancel = func() error { return killGroup(p) }
	ownGroup(p)
	err = p.Run()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s did not end in time and was killed", c.args[0])
	case err != nil && said.String() != "":
		return fmt.Errorf("%s: %w; it says: %s", c.args[0], err, said)
	case err != nil:
		return fmt.Errorf("%s: %w", c.args[0], err)
	}
	return nil
}

// tail keeps the end of what is written. One goroutine writes: exec uses one for outputs that are
// the same.
type tail struct{ end []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.end = append(t.end, p[max(len(p)-mostSaid, 0):]...)
	t.end = t.end[max(len(t.end)-mostSaid, 0):]
	return len(p), nil
}

func (t *tail) String() string { return shown(string(t.end)) }

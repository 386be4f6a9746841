package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// order is the first line that a process reads.
type order struct {
	Server *serverSpec `json:"server,omitempty"`
	Client *clientSpec `json:"client,omitempty"`
}

// Serve is the main function of a process that Run starts with Options.Again. It reads an order
// from in: to be the server, or a client other than this program.
func Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	switch {
	case o.Server != nil:
		return serve(*o.Server, lines, out)
	case o.Client == nil:
	case o.Client.Kind == Raw, o.Client.Kind == RawNew:
		return fetchRaw(*o.Client)
	case o.Client.Kind == Colly:
		return fetchColly(*o.Client)
	}
	return fmt.Errorf("nothing that could be done: %s", line)
}

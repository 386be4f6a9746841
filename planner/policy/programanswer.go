package policy

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/recrawl/recrawl/sitegraph"
)

const formatJSON, formatBinary = "json", "binary"

var formats = [...]string{formatJSON, formatBinary}

// parseHello reads the first answer of a process.
func (s *programSession) parseHello(line []byte) error {
	answer := struct {
		Protocol  int    `json:"protocol"`
		Format    string `json:"format"`
		Addresses bool   `json:"addresses"`
	}{Format: formatJSON, Addresses: true}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Protocol != ProgramVersion ||
		answer.Format != formatJSON && answer.Format != formatBinary {
		return fmt.Errorf(`its first answer is %.80q: want a line as {"protocol": %d, `+
			`"format": "json"}, or "binary"`, bytes.TrimSpace(line), ProgramVersion)
	}
	s.binary, s.addresses = answer.Format == formatBinary, answer.Addresses
	return nil
}

// parse applies an answer to a message that asked for up to want pages. After an error its effects
// do not count, since the process is started again.
func (s *programSession) parse(answer []byte, want int) error {
	s.chosen = s.chosen[:0]
	var err error
	if s.binary {
		err = s.readColumns(answer)
	} else {
		err = s.readLine(answer)
	}
	if err != nil {
		return err
	}
	if len(s.chosen) > want {
		return fmt.Errorf("it names %d pages where %d were asked for", len(s.chosen), want)
	}
	for _, c := range s.chosen {
		if c.page < 0 || int(c.page) >= len(s.standing) || s.standing[c.page] == unknown {
			return fmt.Errorf("it names page %d, which was not offered, or was named before and "+
				"not offered again", c.page)
		}
		if !(c.probability >= 0 && c.probability <= 1 || math.IsNaN(c.probability)) ||
			math.IsInf(c.value, 0) {
			return fmt.Errorf("it gives page %d the probability %g and the value %g: want 0 to 1 "+
				"and a number", c.page, c.probability, c.value)
		}
		s.standing[c.page] = unknown // until it is offered again
	}
	return nil
}

func (s *programSession) readLine(line []byte) error {
	var answer struct {
		Visit       []sitegraph.PageID `json:"visit"`
		Probability []*float64         `json:"probability"`
		Value       []*float64         `json:"value"`
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Visit == nil {
		return fmt.Errorf(`it answers %.80q: want a line as {"visit": [3, 1]}`,
			bytes.TrimSpace(line))
	}
	n := len(answer.Visit)
	for name, given := range map[string]int{"probability": len(answer.Probability),
		"value": len(answer.Value)} {
		if given != 0 && given != n {
			return fmt.Errorf("it names %d pages and gives %d of %q: want one for each page, or "+
				"none", n, given, name)
		}
	}
	for i, page := range answer.Visit {
		s.chosen = append(s.chosen, programChoice{page, valueAt(answer.Probability, i),
			valueAt(answer.Value, i)})
	}
	return nil
}

// readColumns reads a number of pages, the pages, and with more bytes their probabilities and
// values.
func (s *programSession) readColumns(b []byte) error {
	n := -1
	if len(b) >= 4 {
		n = int(int32(binary.LittleEndian.Uint32(b)))
	}
	if n < 0 || n > mostAsked || len(b) != 4+4*n && len(b) != 4+20*n {
		return fmt.Errorf("it answers %d bytes: want the number n of pages and n pages of 4 bytes "+
			"each, and perhaps n probabilities and n values of 8", len(b))
	}
	valued := len(b) > 4+4*n
	float := func(at int) float64 {
		if !valued {
			return math.NaN()
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(b[at:]))
	}
	for i := range n {
		page := sitegraph.PageID(binary.LittleEndian.Uint32(b[4+4*i:]))
		s.chosen = append(s.chosen, programChoice{page, float(4 + 4*n + 8*i),
			float(4 + 12*n + 8*i)})
	}
	return nil
}

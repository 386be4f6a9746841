package policy

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

// ProgramVersion is the version of the protocol.
const ProgramVersion = 1

// programMessage is the content of one message.
type programMessage struct {
	pages, out []sitegraph.PageID
	outcomes   []programOutcome
	want       int // bound on pages in the answer; 0: more messages precede the question
}

var modeNames = map[planner.Mode]string{planner.Sweep: "sweep", planner.Stream: "stream"}

// hello returns the first line to each process.
func (s *programSession) hello() []byte {
	first := struct {
		Protocol int      `json:"protocol"`
		Mode     string   `json:"mode"`
		Seed     uint64   `json:"seed"`
		PerDay   *float64 `json:"per_day"` // null: unknown
		Formats  []string `json:"formats"`
		Verdicts []string `json:"verdicts"` // by their number in the binary form
	}{Protocol: ProgramVersion, Mode: modeNames[s.Mode], Seed: s.Seed, Formats: formats[:]}
	if s.PerDay > 0 && !math.IsInf(s.PerDay, 1) {
		first.PerDay = &s.PerDay
	}
	for v := sitegraph.VerdictUnknown; v <= sitegraph.VerdictBaseline; v++ {
		first.Verdicts = append(first.Verdicts, v.String())
	}
	line, _ := json.Marshal(first) // finite numbers and texts always encode
	return line
}

// encode returns a message in the form that the process chose, valid until the next call.
func (s *programSession) encode(m *programMessage) []byte {
	if s.binary {
		s.buffer = s.columns(s.buffer[:0], m)
	} else {
		s.buffer = s.line(s.buffer[:0], m)
	}
	return s.buffer
}

// line appends a message as a line of JSON, made by hand: a page takes a third of the time that the
// standard library takes.
func (s *programSession) line(b []byte, m *programMessage) []byte {
	integer := func(name string, value int64) {
		b = strconv.AppendInt(append(b, name...), value, 10)
	}
	integer(`{"round":{"number":`, int64(s.round.Number))
	integer(`,"start":`, s.round.Start.Unix())
	integer(`,"end":`, s.round.End.Unix())
	if s.round.Budget == planner.Unlimited {
		b = append(b, `,"budget":null`...)
	} else {
		integer(`,"budget":`, int64(s.round.Budget))
	}
	integer(`},"want":`, int64(m.want))
	b = append(b, `,"pages":[`...)
	for i, p := range m.pages {
		b = comma(b, i)
		c := s.candidate(p)
		integer(`{"page":`, int64(p))
		if s.addresses {
			b = quoted(append(b, `,"url":`...), s.Pages.URL(p))
		}
		for k, value := range c.integers() {
			integer(integerNames[k], int64(value))
		}
		for k, value := range c.numbers() {
			b = strconv.AppendFloat(append(b, numberNames[k]...), value, 'f', -1, 64)
		}
		b = append(b, '}')
	}
	b = append(b, `],"out":[`...)
	for i, p := range m.out {
		b = strconv.AppendInt(comma(b, i), int64(p), 10)
	}
	b = append(b, `],"outcomes":[`...)
	for i := range m.outcomes {
		o := &m.outcomes[i]
		b = comma(b, i)
		integer(`{"page":`, int64(o.page))
		b = append(append(append(b, `,"verdict":"`...), o.verdict.String()...), '"')
		integer(`,"at":`, int64(o.at))
		b = append(b, '}')
	}
	return append(b, `]}`...)
}

func comma(b []byte, i int) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return b
}

// quoted appends an address as a text of JSON. Most addresses need no escape.
func quoted(b []byte, url string) []byte {
	for i := range len(url) {
		if c := url[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			text, _ := json.Marshal(url) // a string always encodes
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), url...), '"')
}

// candidate has the values of a page that the program receives.
type candidate struct {
	page           sitegraph.PageID
	memory         *planner.Memory
	server         sitegraph.ServerID
	site           int32
	depth, claimed int
	weight         float64
	tie            float32
}

func (s *programSession) candidate(p sitegraph.PageID) candidate {
	g := s.Pages.Graph
	c := candidate{page: p, memory: s.Pages.Memory(p), server: g.Server(p), site: g.Directory(p),
		depth: g.Depth(p), weight: s.Pages.Weight(p), tie: s.ties.Of(p)}
	if signal, ok := s.Pages.Hints.Signal(p); ok && signal.Changed {
		c.claimed = 1
	}
	return c
}

// integerNames and numberNames begin the fields of a page after its address, in the order of
// integers and numbers, and of the columns of the binary form.
var (
	integerNames = [...]string{`,"server":`, `,"site":`, `,"depth":`, `,"visits":`, `,"changes":`,
		`,"errors":`, `,"claimed":`}
	numberNames = [...]string{`,"first":`, `,"last":`, `,"last_change":`, `,"stable":`,
		`,"shortest":`, `,"weight":`, `,"tie":`}
)

func (c *candidate) integers() [len(integerNames)]int32 {
	h := &c.memory.History
	return [...]int32{int32(c.server), c.site, int32(c.depth), int32(h.Visits), int32(h.Changes),
		int32(c.memory.Errors), int32(c.claimed)}
}

func (c *candidate) numbers() [len(numberNames)]float64 {
	h := &c.memory.History
	return [...]float64{float64(h.Epoch), float64(h.Last), float64(h.LastChange),
		float64(h.Stable), float64(h.MinInterval), c.weight, float64(c.tie)}
}

// columns appends a message as columns of little-endian numbers, one after the other.
func (s *programSession) columns(b []byte, m *programMessage) []byte {
	integer := func(value int) { b = binary.LittleEndian.AppendUint32(b, uint32(value)) }
	float := func(value float64) {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(value))
	}
	text := 0
	if s.addresses {
		for _, p := range m.pages {
			text += len(s.Pages.URL(p)) + 1
		}
	}
	for _, value := range []int{s.round.Number, s.round.Budget, m.want, len(m.pages), len(m.out),
		len(m.outcomes), text, 0} {
		integer(value)
	}
	float(float64(s.round.Start.Unix()))
	float(float64(s.round.End.Unix()))
	candidates := make([]candidate, len(m.pages))
	for i, p := range m.pages {
		candidates[i] = s.candidate(p)
		integer(int(p))
	}
	for k := range integerNames {
		for i := range candidates {
			integer(int(candidates[i].integers()[k]))
		}
	}
	for k := range numberNames {
		for i := range candidates {
			float(candidates[i].numbers()[k])
		}
	}
	for _, p := range m.out {
		integer(int(p))
	}
	for _, o := range m.outcomes {
		integer(int(o.page))
	}
	for _, o := range m.outcomes {
		integer(int(o.verdict))
	}
	for _, o := range m.outcomes {
		float(float64(o.at))
	}
	if s.addresses {
		for _, p := range m.pages {
			b = append(append(b, s.Pages.URL(p)...), '\n')
		}
	}
	return b
}

package papers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Source is a set of servers, from any input.
type Source struct {
	Name      string
	Demands   []schedule.Demand
	web       *schedule.Web // nil: made from the demands
	generated int           // servers
	assumed   int           // servers without an observed download
	warnings  []string      // doubts about them
}

// Generated returns a generated web; see schedule.Generate.
func Generated(servers int, seed uint64, least schedule.Tick) (*Source, error) {
	web, err := schedule.Generate(servers, seed)
	if err != nil {
		return nil, err
	}
	return &Source{Name: "the generator", Demands: web.Demands(least), web: web,
		generated: servers}, nil
}

// Demanded returns a source for demands on servers. Servers without an observed download get an
// assumed one.
func Demanded(name string, demands []schedule.Demand, assumed schedule.Tick) *Source {
	s := &Source{Name: name, Demands: demands}
	for i := range demands {
		if d := &demands[i]; d.Times.Count == 0 && d.Number() > 0 {
			d.Times.Mean, d.Times.Max = assumed, assumed
			s.assumed++
		}
	}
	if s.assumed > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("of %s no download was observed; --download "+
			"says how long one takes", words.Plural(s.assumed, "server")))
	}
	return s
}

// OfHistories returns the demands for servers with recorded histories: each page at the time
// between its changes, with half a change more than seen, in the window of a history.
func OfHistories(servers []*history.Server, least schedule.Tick) (all []schedule.Demand) {
	window := eval.WindowWeeks * 7 * float64(schedule.Day)
	for _, s := range servers {
		d := schedule.Demand{Name: s.Name, Least: least}
		for _, p := range s.Pages {
			d.Pages = append(d.Pages,
				schedule.Pages{Interval: schedule.Tick(window / (float64(len(p.Versions)-1) +
					0.5))})
		}
		all = append(all, d)
	}
	return all
}

// Webs returns webs to simulate: the source, and similar ones: generated with the next seeds, or
// resamples of its servers.
func (s *Source) Webs(number int, seed uint64, least schedule.Tick) ([]*schedule.Web, error) {
	first := s.web
	if first == nil {
		first = &schedule.Web{PageBytes: schedule.PageBytes}
		for i := range s.Demands {
			if d := &s.Demands[i]; d.Number() > 0 {
				first.Add(d.Name, d.Load().Interval(), logOf(d.Times))
			}
		}
	}
	if len(first.Servers) == 0 {
		return nil, fmt.Errorf("simulate %s: no server of it wants a visit", s.Name)
	}
	webs := []*schedule.Web{first}
	for i := 1; i < number; i++ {
		if s.generated > 0 {
			web, err := schedule.Generate(s.generated, seed+uint64(i))
			if err != nil {
				return nil, err
			}
			webs = append(webs, web)
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		web := &schedule.Web{PageBytes: first.PageBytes, Took: first.Took}
		for range first.Servers {
			web.Servers = append(web.Servers, first.Servers[rng.IntN(len(first.Servers))])
		}
		webs = append(webs, web)
	}
	return webs, nil
}

// LogError is a fault in a log of downloads.
type LogError struct {
	File string
	Line int
	What string
	Want string // what to do
}

// Hint returns what to do.
func (e *LogError) Hint() string { return e.Want }

// ExitCode returns the exit status of failures.
func (e *LogError) ExitCode() int { return words.ExitFailed }

func (e *LogError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("read %s: %s", e.File, e.What)
	}
	return fmt.Sprintf("read %s, line %d: %s", e.File, e.Line, e.What)
}

const (
	logForm = "a line for each download: server, duration in s, interval in s, as " +
		"a.example,0.8,3600"
	// longestTook limits a download, and longestWait an interval: longer ones are probably not in
	// seconds.
	longestTook = 86_400
	longestWait = 100 * 365 * 86_400
)

// ReadLog reads a log of downloads as CSV: server, duration and interval in seconds, a line for
// each download, in the order of the downloads of each server. The interval is that of the server
// (1/L), equal in all its lines. A first line of names is skipped. Errors are of type LogError.
// Servers are asked again after least at the earliest.
func ReadLog(r io.Reader, name string, least schedule.Tick) (*Source, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l := &logReader{file: name, at: map[string]int{}}
	if err := l.read(content); err != nil {
		return nil, err
	}
	web := &schedule.Web{PageBytes: schedule.PageBytes}
	for _, s := range l.servers {
		web.Add(s.name, s.interval, s.took)
	}
	source := &Source{Name: name, Demands: web.Demands(least), web: web}
	if !bytes.HasSuffix(content, []byte("\n")) {
		source.warnings = append(source.warnings,
			fmt.Sprintf("%s does not end with the end of a line: if it was cut, its last "+
				"number may be", name))
	}
	return source, nil
}

type logReader struct {
	file    string
	at      map[string]int
	servers []logged
}

// logged is a server of a log.
type logged struct {
	name     string
	interval schedule.Tick
	line     int // of the interval
	took     []uint32
}

func (l *logReader) refuse(line int, hint, format string, args ...any) error {
	return &LogError{l.file, line, fmt.Sprintf(format, args...), hint}
}

func (l *logReader) read(content []byte) error {
	rows := csv.NewReader(bytes.NewReader(content))
	rows.FieldsPerRecord, rows.ReuseRecord, rows.Comment = -1, true, '#'
	whole := len(content) == 0 || content[len(content)-1] == '\n'
	for first := true; ; first = false {
		row, err := rows.Read()
		var bad *csv.ParseError
		switch {
		case errors.Is(err, io.EOF):
			if len(l.servers) == 0 {
				return l.refuse(0, logForm, "there is no download in it")
			}
			return nil
		case errors.As(err, &bad):
			return l.refuse(bad.Line, logForm, "%v", bad.Err)
		case err != nil:
			return fmt.Errorf("read %s: %w", l.file, err)
		}
		line, _ := rows.FieldPos(0)
		if len(row) != 3 {
			what := fmt.Sprintf("%d of 3 fields: %q", len(row), strings.Join(row, ","))
			if !whole && rows.InputOffset() == int64(len(content)) {
				return l.refuse(line, "the log is cut in the middle; copy it again, or remove "+
					"its last line", "the file ends in the middle of a line, with %s", what)
			}
			return l.refuse(line, logForm, "%s", what)
		}
		if first && isHeader(row) {
			continue
		}
		if err := l.add(line, row); err != nil {
			return err
		}
	}
}

// isHeader reports whether a first line has names instead of numbers.
func isHeader(row []string) bool {
	return strings.EqualFold(strings.TrimSpace(row[0]), "server")
}

func (l *logReader) add(line int, row []string) error {
	name := strings.TrimSpace(row[0])
	if name == "" {
		return l.refuse(line, logForm, "no server is named")
	}
	took, err := l.seconds(line, "duration", row[1], 0, longestTook)
	if err != nil {
		return err
	}
	interval, err := l.seconds(line, "interval", row[2], 0.001, longestWait)
	if err != nil {
		return err
	}
	i, known := l.at[name]
	if !known {
		i = len(l.servers)
		name = strings.Clone(name)
		l.at[name] = i
		l.servers = append(l.servers, logged{name: name, interval: interval, line: line})
	}
	s := &l.servers[i]
	if s.interval != interval {
		return l.refuse(line,
			"give all lines of a server its one interval: 1 / the sum of 1/interval over its pages",
			"%s has an interval of %v s here and %v s in line %d",
			name, interval.Seconds(), s.interval.Seconds(), s.line)
	}
	s.took = append(s.took, uint32(took))
	return nil
}

// seconds reads a time within a range, and returns milliseconds.
func (l *logReader) seconds(line int, what, text string, least, most float64) (
	schedule.Tick, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, l.refuse(line, "times are numbers of seconds, such as 0.8; "+logForm,
			"%s %q is no number", what, text)
	}
	if math.IsNaN(v) || v < least || v > most {
		return 0, l.refuse(line, "times are in seconds", "%s %s: want %v to %v seconds",
			what, text, least, most)
	}
	return schedule.Tick(math.Round(v * 1000)), nil
}

// Range is a value with its spread.
type Range struct {
	Value eval.Number `json:"value"`
	Low   eval.Number `json:"low"`
	High  eval.Number `json:"high"`
}

func (r Range) String() string {
	if r.Low == r.High {
		return Short(float64(r.Value))
	}
	return fmt.Sprintf("%s (%s to %s)", Short(float64(r.Value)), Short(float64(r.Low)),
		Short(float64(r.High)))
}

// Short returns a number with at most four digits, and without a fraction from 1000 on.
func Short(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case math.Abs(v) >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// spreadOf returns the mean, the least and the largest value.
func spreadOf(all []float64) Range {
	if len(all) == 0 {
		nan := eval.Number(math.NaN())
		return Range{nan, nan, nan}
	}
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return Range{eval.Number(sum / float64(len(all))), eval.Number(slices.Min(all)),
		eval.Number(slices.Max(all))}
}

// percentiles returns a value with the 5th and 95th percentile of its resamples.
func percentiles(value float64, all []float64) Range {
	slices.Sort(all)
	at := func(share float64) eval.Number {
		return eval.Number(all[int(math.Round(share*float64(len(all)-1)))])
	}
	return Range{eval.Number(value), at(0.05), at(0.95)}
}

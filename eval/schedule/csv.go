package schedule

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/planner/schedule/simulate"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// LogError is what is wrong with a log of downloads.
type LogError struct {
	File string
	Line int
	What string
	Want string // what to do
}

// Hint says what to do.
func (e *LogError) Hint() string { return e.Want }

// ExitCode is that of failures.
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
	// longestTook bounds a download, and longestWait an interval: beyond them a number is in
	// another unit than seconds.
	longestTook = 86_400
	longestWait = 100 * 365 * 86_400
)

// ReadLog reads a log of downloads as CSV: server, duration and interval in seconds, a line for
// each download, in the order of the downloads of each server. The interval is that of the server
// (1/L); lines of one server must agree. A first line of names is passed over. Errors are of type
// LogError. Servers are asked again after least at the soonest.
func ReadLog(r io.Reader, name string, least schedule.Tick) (*Source, error) {
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	l := &logReader{file: name, at: map[string]int{}}
	if err := l.read(content); err != nil {
		return nil, err
	}
	web := &simulate.Web{PageBytes: simulate.PageBytes}
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
	line     int // that named the interval
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

// isHeader reports whether a first line has names where numbers belong.
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

// seconds reads a time span that must lie in a range, as milliseconds.
func (l *logReader) seconds(line int, what, text string, least, most float64) (
	schedule.Tick, error) {
	text = strings.TrimSpace(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, l.refuse(line, "times are numbers of seconds, as 0.8; "+logForm,
			"%s %q is no number", what, text)
	}
	if math.IsNaN(v) || v < least || v > most {
		return 0, l.refuse(line, "times are in seconds", "%s %s: want %v to %v seconds",
			what, text, least, most)
	}
	return schedule.Tick(math.Round(v * 1000)), nil
}

package journal

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

var midday = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

func visit() crawl.Event {
	return crawl.Event{
		Round: planner.Round{Number: 7},
		Visit: planner.Visit{Due: midday, Probability: 0.25,
			Reason: planner.Because("due for %.0f h", 3)},
		Verdict: sitegraph.VerdictChanged,
		Record:  sitegraph.Record{URL: "http://a.example/", Due: midday.Add(time.Hour)},
		Observation: sitegraph.Observation{
			Time:        midday,
			Outcome:     sitegraph.OutcomeFetched,
			Status:      200,
			Size:        10,
			Transferred: 20,
			Elapsed:     1500 * time.Millisecond,
		},
	}
}

// TestEntry writes the lines of a visit with all fields, and of one with few.
func TestEntry(t *testing.T) {
	e := visit()
	entry := entryOf(&e)
	if entry.URL != "http://a.example/" || entry.Round != 7 || entry.Reason != "due for 3 h" ||
		entry.Outcome != "fetched" ||
		entry.Verdict != "changed" || entry.Bytes != 10 || entry.Moved != 20 ||
		entry.ElapsedMillis != 1500 || !entry.Next.Equal(midday.Add(time.Hour)) {
		t.Errorf("entry %+v", entry)
	}
	if entry.Due == nil || !entry.Due.Equal(midday) || entry.Probability == nil ||
		*entry.Probability != 0.25 || entry.Digest == "" || entry.Main != "" {
		t.Errorf("entry %+v", entry)
	}
	e.Visit = planner.Unranked(0, planner.Because("a new page"))
	e.Observation.Outcome = sitegraph.OutcomeFailed
	line, err := json.Marshal(entryOf(&e))
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"due", "p", "digest", "text", "main", "trouble"} {
		if strings.Contains(string(line), `"`+field+`":`) {
			t.Errorf("%q is in %s", field, line)
		}
	}
}

// All that Append gets can be read, including a visit without a probability.
func TestAppend(t *testing.T) {
	dir := t.TempDir()
	log, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	events := []crawl.Event{visit(), visit()}
	events[1].Visit.Probability = math.NaN()
	if err := AppendVisits(log, events); err != nil {
		t.Fatal(err)
	}
	read := 0
	torn, err := Read(dir, nil, func(e *Entry) {
		if (e.Probability == nil) != (read == 1) {
			t.Errorf("line %d: probability %v", read, e.Probability)
		}
		read++
	})
	if err != nil || torn != 0 || read != len(events) {
		t.Errorf("%d lines read, %d torn, error %v", read, torn, err)
	}
}

package tidy

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	Name  string     `parquet:"name,dict" doc:"a name"`
	At    time.Time  `parquet:"at,timestamp(millisecond),delta" doc:"when"`
	Days  float64    `parquet:"days" unit:"days" doc:"how long"`
	Share *float32   `parquet:"share,split" doc:"a share; null: unknown"`
	Last  *time.Time `parquet:"last,timestamp(millisecond)" doc:"when it ended; null: it did not"`
	Count int64      `parquet:"count" doc:"how many"`
	Good  bool       `parquet:"good" doc:"whether it is"`
}

var rows = NewKind[row]("rows", "a row of a test")

// written writes a set of tables in new directories.
func written(t *testing.T, write func(*Tables, *Table[row])) (parquetFile, csvFile string) {
	t.Helper()
	dir := t.TempDir()
	s, err := CreateTables(filepath.Join(dir, "p", "q"), filepath.Join(dir, "c"), rows)
	if err != nil {
		t.Fatal(err)
	}
	table, err := rows.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	write(s, table)
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "p", "q", "rows.parquet"), filepath.Join(dir, "c", "rows.csv")
}

// TestRoundTrip checks that both formats return the written values, with unknown values and odd
// texts.
func TestRoundTrip(t *testing.T) {
	at := time.Date(2024, time.May, 1, 12, 0, 0, 250e6, time.UTC)
	share := float32(0.1)
	want := []row{
		{Name: "http://h.example/?a=1,2", At: at, Days: 1.0 / 3, Share: &share, Last: &at,
			Count: -7, Good: true},
		{Name: "a \"quoted\"\nline", At: at.Add(time.Hour)},
		{Name: "", At: at, Days: math.MaxFloat64, Count: math.MaxInt64},
	}
	parquetFile, csvFile := written(t, func(_ *Tables, table *Table[row]) {
		if err := table.Write(want...); err != nil {
			t.Fatal(err)
		}
	})
	got, err := parquet.ReadFile[row](parquetFile)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].At = got[i].At.UTC()
		if got[i].Last != nil {
			*got[i].Last = got[i].Last.UTC()
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Parquet returns\n%+v, not\n%+v", got, want)
	}
	text, err := os.ReadFile(csvFile)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if wanted := [][]string{
		{"name", "at", "days", "share", "last", "count", "good"},
		{"http://h.example/?a=1,2", "2024-05-01T12:00:00.25Z", "0.3333333333333333", "0.1",
			"2024-05-01T12:00:00.25Z", "-7", "TRUE"},
		{"a \"quoted\"\nline", "2024-05-01T13:00:00.25Z", "0", "", "", "0", "FALSE"},
		{"", "2024-05-01T12:00:00.25Z", "1.7976931348623157e+308", "", "", "9223372036854775807",
			"FALSE"},
	}; !reflect.DeepEqual(lines, wanted) {
		t.Errorf("CSV returns\n%q, not\n%q", lines, wanted)
	}
	if !strings.Contains(string(text), "\n\"\",") {
		t.Errorf("an empty text cannot be told from what is not known:\n%s", text)
	}
}

// TestParquetFile checks that a Parquet file describes its columns, and that groups of rows limit
// its memory.
func TestParquetFile(t *testing.T) {
	const count = groupRows + 1
	file, _ := written(t, func(_ *Tables, table *Table[row]) {
		batch := table.Batch()
		for i := range count {
			batch.Add(row{Name: "a", Count: int64(i)})
		}
		batch.End()
	})
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := p.Lookup("days"); got != "how long (days)" {
		t.Errorf("column days says %q", got)
	}
	if groups := p.RowGroups(); p.NumRows() != count || len(groups) != 2 ||
		groups[0].NumRows() != groupRows {
		t.Errorf("%d rows in %d groups", p.NumRows(), len(groups))
	}
}

// TestBatches checks that rows of a batch keep their order beside other writers, and that none is
// lost.
func TestBatches(t *testing.T) {
	const writers, each = 5, 3*batchRows + 7
	file, _ := written(t, func(_ *Tables, table *Table[row]) {
		var wait sync.WaitGroup
		for k := range writers {
			wait.Go(func() {
				batch := table.Batch()
				for i := range each {
					batch.Add(row{Name: fmt.Sprint(k), Count: int64(i)})
				}
				batch.End()
			})
		}
		wait.Wait()
	})
	got, err := parquet.ReadFile[row](file)
	if err != nil {
		t.Fatal(err)
	}
	next := map[string]int64{}
	for _, r := range got {
		if r.Count != next[r.Name] {
			t.Fatalf("row %d of batch %s came when %d was next", r.Count, r.Name, next[r.Name])
		}
		next[r.Name]++
	}
	if len(got) != writers*each {
		t.Errorf("%d rows, want %d", len(got), writers*each)
	}
}

// TestWhole checks that tables exist once all is written: not earlier, not after an error, and
// without replacing others.
func TestWhole(t *testing.T) {
	dir := t.TempDir()
	files := func(want ...string) {
		t.Helper()
		found, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range found {
			if !strings.HasPrefix(f.Name(), ".") {
				names = append(names, f.Name())
			}
		}
		if !reflect.DeepEqual(names, want) {
			t.Errorf("there are %q, want %q", names, want)
		}
	}
	begin := func() (*Tables, *Table[row]) {
		t.Helper()
		s, err := CreateTables(dir, dir, rows)
		if err != nil {
			t.Fatal(err)
		}
		table, err := rows.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		return s, table
	}
	s, table := begin()
	if err := table.Write(row{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	files()
	s.Discard()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	s, table = begin()
	broken := errors.New("the disk is full")
	table.outputs = append(table.outputs, failing{broken})
	batch := table.Batch()
	batch.Add(row{Name: "a"})
	batch.End() // Commit returns the error
	if err := s.Commit(); !errors.Is(err, broken) {
		t.Errorf("an error of writing ends as %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("after an error there are %v, %v", left, err)
	}
	s, _ = begin()
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	files("rows.csv", "rows.parquet") // without rows there is a header
	if text, err := os.ReadFile(filepath.Join(dir, "rows.csv")); err != nil ||
		string(text) != "name,at,days,share,last,count,good\n" {
		t.Errorf("no row is written as %q, %v", text, err)
	}
	if _, err := CreateTables("", dir, rows); !errors.Is(err, os.ErrExist) {
		t.Errorf("where a table is: %v", err)
	}
	if _, err := CreateTables(dir, "", NewKind[row]("others", "a row")); err != nil {
		t.Errorf("beside another table: %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]row) (int, error) { return 0, f.error }
func (f failing) Close() error             { return nil }

// TestNowhere checks that tables without a set accept and drop rows.
func TestNowhere(t *testing.T) {
	s, err := CreateTables("", "", rows)
	if err != nil || !s.Empty() {
		t.Fatal(err)
	}
	table, err := rows.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	batch := table.Batch()
	batch.Add(row{})
	batch.End()
	if err := errors.Join(table.Write(row{}), s.Commit()); err != nil {
		t.Error(err)
	}
}

func TestKind(t *testing.T) {
	d := rows.Describe()
	if d.Name != "rows" || d.Row != "a row of a test" || len(d.Columns) != 7 ||
		d.Columns[1] != (Column{Name: "at", Type: "time", Doc: "when"}) ||
		d.Columns[3] != (Column{Name: "share", Type: "number", Doc: "a share; null: unknown",
			Null: true}) || d.Columns[5].Type != "integer" {
		t.Errorf("described as %+v", d)
	}
	refused := func(what string, make func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("a column %s is taken", what)
			}
		}()
		make()
	}
	refused("that is not described", func() {
		NewKind[struct {
			A string `parquet:"a"`
		}]("t", "a row")
	})
	refused("of an unknown type", func() {
		NewKind[struct {
			A []string `parquet:"a" doc:"many"`
		}]("t", "a row")
	})
}

package tidy

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestDocumented checks that docs/reference/tables.md describes the rows of each table, and
// columns.csv beside it all columns, as described by their types. RECRAWL_GOLDEN=1 writes both.
func TestDocumented(t *testing.T) {
	const file, heading = "../../docs/reference/tables.md", "## All tables\n\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	compare(t, file, before+heading+tableRows())
	compare(t, "../../docs/reference/columns.csv", columnsCSV(t))
}

// compare compares a file with its wanted content, or writes that.
func compare(t *testing.T, file, want string) {
	t.Helper()
	if os.Getenv("RECRAWL_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != want {
		t.Errorf("%s does not say what the tables are: RECRAWL_GOLDEN=1 go test ./eval/tidy; %v",
			file, err)
	}
}

// tableRows documents the rows of all tables.
func tableRows() string {
	var b strings.Builder
	b.WriteString("| table | a row is |\n|---|---|\n")
	for _, k := range All {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k.Describe().Name, k.Describe().Row)
	}
	return b.String()
}

// columnsCSV documents the columns of all tables as CSV.
func columnsCSV(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	all := [][]string{{"table", "column", "type", "unit", "null", "meaning"}}
	for _, k := range All {
		d := k.Describe()
		for _, c := range d.Columns {
			all = append(all, []string{d.Name, c.Name, c.Type, c.Unit, strconv.FormatBool(c.Null),
				c.Doc})
		}
	}
	if err := w.WriteAll(all); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAll checks that each table belongs to a command, and is documented.
func TestAll(t *testing.T) {
	known := map[string]bool{}
	for _, k := range All {
		if known[k.Describe().Name] {
			t.Errorf("two tables are called %s", k.Describe().Name)
		}
		known[k.Describe().Name] = true
	}
	written := map[string]bool{}
	for _, kinds := range [][]Described{ForStream, ForSnapshot, ForWarm, ForFigures, ForTune,
		ForSurvey, ForSimulate, ForJournal, ForHistories} {
		for _, k := range kinds {
			written[k.Describe().Name] = true
			if !known[k.Describe().Name] {
				t.Errorf("table %s is in no documentation", k.Describe().Name)
			}
		}
	}
	if len(written) != len(known) {
		t.Errorf("%d tables are written, %d documented", len(written), len(known))
	}
}

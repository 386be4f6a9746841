package tidy

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// docs/reference/tables.md has all tables as their types describe them. RECRAWL_GOLDEN=1 writes
// them there.
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
	want := before + heading + strings.TrimSuffix(markdown(), "\n")
	if os.Getenv("RECRAWL_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s does not say what the tables are: RECRAWL_GOLDEN=1 go test ./eval/tidy", file)
	}
}

// markdown documents all tables: a heading and a list of columns each.
func markdown() string {
	var b strings.Builder
	for _, k := range All {
		d := k.Describe()
		fmt.Fprintf(&b, "### %s\n\nA row is %s.\n\n| column | type | unit | says |\n|---|---|---|---|\n",
			d.Name, d.Row)
		for _, c := range d.Columns {
			if c.Null {
				c.Type += ", or null"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.Name, c.Type, c.Unit, c.Doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Each table is one of some command, and documented.
func TestAll(t *testing.T) {
	documented := map[string]bool{}
	for _, k := range All {
		if documented[k.Describe().Name] {
			t.Errorf("two tables are called %s", k.Describe().Name)
		}
		documented[k.Describe().Name] = true
	}
	written := map[string]bool{}
	for _, kinds := range [][]Described{ForStream, ForSnapshot, ForWarm, ForFigures, ForTune,
		ForSurvey, ForSimulate, ForJournal, ForHistories} {
		for _, k := range kinds {
			written[k.Describe().Name] = true
			if !documented[k.Describe().Name] {
				t.Errorf("table %s is in no documentation", k.Describe().Name)
			}
		}
	}
	if len(written) != len(documented) {
		t.Errorf("%d tables are written, %d documented", len(written), len(documented))
	}
}

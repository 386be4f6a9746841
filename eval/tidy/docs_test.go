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
	want := before + heading + markdown()
	if os.Getenv("RECRAWL_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s does not say what the tables are: RECRAWL_GOLDEN=1 go test ./eval/tidy", file)
	}
}

// documented is a column as the documentation has it.
type documented struct {
	Column
	interval bool // _low and _high columns follow it
}

func (d documented) row() string {
	name := "`" + d.Name + "`"
	if d.interval {
		name += " (*)"
	}
	if d.Null {
		d.Type += ", or null"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", name, d.Type, d.Unit, d.Doc)
}

// columnsOf returns the columns of a table, those of an interval with their value.
func columnsOf(d *Description) (all []documented) {
	for _, c := range d.Columns {
		if n := len(all); n > 0 && (c.Name == all[n-1].Name+"_low" ||
			c.Name == all[n-1].Name+"_high") {
			all[n-1].interval = true
		} else {
			all = append(all, documented{Column: c})
		}
	}
	return all
}

// markdown documents all tables: columns that three tables or more have once, and of each table
// the others.
func markdown() string {
	count := map[documented]int{}
	for _, k := range All {
		for _, c := range columnsOf(k.Describe()) {
			count[c]++
		}
	}
	var shared, tables strings.Builder
	written := map[documented]bool{}
	for _, k := range All {
		d := k.Describe()
		var common []string
		var own strings.Builder
		for _, c := range columnsOf(d) {
			if count[c] < 3 {
				own.WriteString(c.row())
				continue
			}
			if !written[c] {
				shared.WriteString(c.row())
				written[c] = true
			}
			name := "`" + c.Name + "`"
			if c.Unit == "weekly snapshots" {
				name += " (weekly snapshots)"
			}
			common = append(common, name)
		}
		fmt.Fprintf(&tables, "| **%s** | | | A row is %s.", d.Name, d.Row)
		if len(common) > 0 {
			tables.WriteString(" Shared: " + strings.Join(common, ", ") + ".")
		}
		tables.WriteString(" |\n" + own.String())
	}
	return "Below each name stand the columns of that table, and shared columns stand first. (*): " +
		"`NAME_low` and `NAME_high`\nfollow `NAME`. They are the 5th and 95th percentile over resamples of the " +
		"servers. `tune` also draws futures.\n\n" +
		"| table or column | type | unit | meaning |\n|---|---|---|---|\n" +
		"| **shared columns** | | | |\n" + shared.String() + tables.String()
}

// Each table is one of some command, and documented.
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

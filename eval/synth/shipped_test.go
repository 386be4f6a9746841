package synth

import (
	"context"
	"flag"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/timetravel"
)

var saveShipped = flag.Bool("save-shipped", false, "write histories/*.example.jsonl.gz anew")

// TestShipped generates the histories in the repository again, and compares them with its files.
// After a change of the generator write new ones:
//
//	go test ./eval/synth -run '^TestShipped$' -save-shipped
func TestShipped(t *testing.T) {
	const dir = "../../histories"
	made, err := timetravel.Histories(context.Background(),
		New(Options{Seed: 54, Servers: 3, Pages: 240}), timetravel.HistoryOptions{Agent: "recrawl"})
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := filepath.Glob(filepath.Join(dir, "*.example.jsonl.gz"))
	if err != nil || len(shipped) != len(made) && !*saveShipped {
		t.Fatalf("%d generated files, want %d: %v", len(shipped), len(made), err)
	}
	for _, s := range made {
		if *saveShipped {
			if _, err := history.Save(dir, s); err != nil {
				t.Fatal(err)
			}
		}
		of, err := history.ReadFiles(context.Background(),
			[]string{filepath.Join(dir, s.Name+".jsonl.gz")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(of[0], s) {
			t.Errorf("the file of %s is not what the generator makes", s.Name)
		}
	}
}

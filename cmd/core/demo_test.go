package core

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/eval/demo"
)

// A demo keeps its stores in a new place only.
func TestDemoKeeps(t *testing.T) {
	keep := t.TempDir()
	if err := os.Mkdir(filepath.Join(keep, demo.KeptData), 0o755); err != nil {
		t.Fatal(err)
	}
	var out, err strings.Builder
	if code := Run(t.Context(), []string{"demo", "--keep", keep, "--html", ""}, &out,
		&err); code != failure.Misuse || out.Len() > 0 ||
		!strings.Contains(err.String(), filepath.Join(keep, demo.KeptData)+" is there already") ||
		!strings.Contains(err.String(), "recrawl: hint: ") {
		t.Errorf("exit code %d: %s%s", code, &out, &err)
	}
}

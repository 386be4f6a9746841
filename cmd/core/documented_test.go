package core_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

var updateDocuments = flag.Bool("update-documents", false,
	"write what evaluations print into the documents, and the figures they draw")

// evaluation is a call in a document that evaluates the histories of the repository, and the lines
// of its output in the document.
type evaluation struct {
	call       string
	shows      bool // in a "console" block
	begin, end int  // lines of its output
}

// evaluationsOf reads the calls of a document.
func evaluationsOf(lines []string) (all []evaluation) {
	inside := ""
	var last *evaluation
	for i, line := range lines {
		bare, shows := strings.CutPrefix(line, "$ ")
		fence, isFence := strings.CutPrefix(line, "```")
		switch call, isCall := strings.CutPrefix(bare, "recrawl "); {
		case isFence && inside == "":
			inside = fence + " "
		case isFence:
			inside, last = "", nil
		case inside != "" && isCall:
			last = nil
			call, _, _ = strings.Cut(call, "   #")
			if evaluates(splitLine(call)) {
				all = append(all, evaluation{call: call, shows: shows, begin: i + 1, end: i + 1})
				last = &all[len(all)-1]
			}
		case last != nil && last.shows:
			last.end = i + 1
		}
	}
	return all
}

func evaluates(args []string) bool {
	return slices.Contains([]string{"eval", "tune", "survey", "sites", "schedule"}, args[0]) &&
		slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "histories") })
}

// TestDocumentedEvaluations makes every evaluation in README and docs, on the histories of the
// repository. Output in a document must be equal to the last character, because equal files give
// equal figures at any time and on any machine. "..." as the last line replaces the rest. Drawings
// in docs are also compared. Calls without output are made with few weeks. After a change of
// figures look at its effect on the documents:
//
//	go test ./cmd/core -run '^TestDocumentedEvaluations$' -update-documents && git diff
func TestDocumentedEvaluations(t *testing.T) {
	t.Parallel()
	shipped, err := filepath.Abs("../../histories")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, document := range append(documents, "../../README.md", "../../histories/README.md") {
		lines := strings.Split(readFile(t, document), "\n")
		for _, e := range slices.Backward(evaluationsOf(lines)) { // old ones keep their numbers
			t.Run(filepath.Base(document)+" "+e.call, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.Symlink(shipped, filepath.Join(dir, "histories")); err != nil {
					t.Skip(err)
				}
				if err := os.Symlink(docs, filepath.Join(dir, "docs")); err != nil {
					t.Skip(err)
				}
				_, err := exec.LookPath("python3")
				if err != nil && strings.Contains(e.call, ".py") {
					t.Skip("this call needs python3")
				}
				if !e.shows {
					recrawlIn(t, dir, []string{"RECRAWL_EVAL_WEEKS=2", "RECRAWL_TUNE_WEEKS=1"},
						splitLine(e.call)...).ok(t)
					return
				}
				shown++
				got := strings.Split(strings.TrimSuffix(
					recrawlIn(t, dir, nil, splitLine(e.call)...).ok(t).stdout, "\n"), "\n")
				want := lines[e.begin:e.end]
				if n := len(want) - 1; n >= 0 && want[n] == "..." && n <= len(got) {
					got = append(got[:n:n], "...")
				}
				if *updateDocuments {
					lines = slices.Concat(lines[:e.begin], got, lines[e.end:])
				} else if !slices.Equal(got, want) {
					t.Errorf("it prints\n%s\nand the document has\n%s", strings.Join(got, "\n"),
						strings.Join(want, "\n"))
				}
				compareDrawings(t, dir)
			})
		}
		if *updateDocuments {
			writeFile(t, document, strings.Join(lines, "\n"))
		}
	}
	if shown < 8 {
		t.Errorf("only %d outputs are shown", shown)
	}
}

// compareDrawings compares the drawings in a directory with those of the same names in docs.
func compareDrawings(t *testing.T, dir string) {
	t.Helper()
	drawn, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range drawn {
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inDocs := filepath.Join("../../docs/design", filepath.Base(file))
		if *updateDocuments {
			writeFile(t, inDocs, string(got))
		} else if want, err := os.ReadFile(inDocs); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what is drawn: %v", inDocs, err)
		}
	}
}

// TestShippedHistories checks that the histories of the repository are small and of several kinds,
// and that their README names each with its number of pages.
func TestShippedHistories(t *testing.T) {
	readme := readFile(t, "../../histories/README.md")
	size, generated := int64(0), 0
	for dir, least := range map[string]int{"": 12, "21-weeks": 3} {
		servers, err := history.ReadFiles(t.Context(),
			[]string{filepath.Join("../../histories", dir)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(servers) < least {
			t.Errorf("%d servers in %q, want %d", len(servers), dir, least)
		}
		for _, s := range servers {
			file := filepath.Join("../../histories", dir, s.Name+".jsonl.gz")
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			size += info.Size()
			if strings.HasSuffix(s.Name, ".example") {
				generated += len(s.Pages)
				continue
			}
			row := "| `" + filepath.ToSlash(filepath.Join(dir, s.Name)) + "` |"
			if _, after, ok := strings.Cut(readme, row); !ok || !strings.Contains(
				strings.SplitN(after, "\n", 2)[0], "| "+fmt.Sprint(len(s.Pages))+" |") {
				t.Errorf("README.md has no row of %s with %d pages", s.Name, len(s.Pages))
			}
		}
	}
	if row := "| `*.example` (3) | small business and organisation | " + fmt.Sprint(generated) +
		" |"; !strings.Contains(readme, row) {
		t.Errorf("README.md has no row %s", row)
	}
	if size > 2e6 {
		t.Errorf("the files have %d bytes", size)
	}
}

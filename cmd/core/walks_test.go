package core_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// walked is a step in a document: a file to write, or a call with its output.
type walked struct {
	file, call string
	text       string
}

var named = regexp.MustCompile("`([a-z.-]+)`:$")

// walkOf reads the steps of a document. A block after a line that ends with a file name is that
// file. In a "console" block lines that begin with "$ recrawl " are calls.
func walkOf(t *testing.T, document string) (steps []walked) {
	t.Helper()
	last, inside, file := "", "", ""
	for line := range strings.Lines(readFile(t, document)) {
		bare := strings.TrimSuffix(line, "\n")
		fence, isFence := strings.CutPrefix(bare, "```")
		call, isCall := strings.CutPrefix(bare, "$ recrawl ")
		switch {
		case isFence && inside == "":
			inside, file = "other", ""
			if m := named.FindStringSubmatch(last); m != nil {
				file = m[1]
				steps = append(steps, walked{file: file})
			} else if fence == "console" {
				inside = fence
			}
		case isFence:
			inside = ""
		case inside == "console" && isCall:
			steps = append(steps, walked{call: call})
		case inside == "console" || inside != "" && file != "":
			steps[len(steps)-1].text += line
		case bare != "":
			last = bare
		}
	}
	return steps
}

// TestWalks follows the guides for each kind of user from start to end. Output must have the words
// of the page in order, except for numbers, times and widths; "..." in a page means any lines.
// Servers are on loopback, rounds and pauses are short, and there is no budget.
func TestWalks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"search-teams", "archives"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps := walkOf(t, "../../docs/guide/"+name+".md")
			if len(steps) < 4 {
				t.Fatalf("only %d steps", len(steps))
			}
			web := library(shelves{servers: 1, sections: 2, pages: 3, every: still})
			for i := range 4000 { // of more than six minutes
				web.Put("shelf0.example", "/news/index.html",
					webEpoch.Add(time.Duration(i)*24*time.Hour), text, page("/news/", i))
			}
			w := serve(t, web)
			dir := t.TempDir()
			for _, s := range steps {
				if s.file != "" {
					writeFile(t, filepath.Join(dir, s.file),
						strings.ReplaceAll(s.text, "https://example.org", w.bases[0]))
					continue
				}
				w.walk(dir, s)
			}
		})
	}
}

// walk makes a call and compares its output. It repeats a run whose three rounds were too short for
// a new edition of the news on a busy machine, like its user would.
func (l *lab) walk(dir string, s walked) {
	l.t.Helper()
	args := splitLine(strings.ReplaceAll(s.call, "https://example.org", l.bases[0]))
	runs := args[0] == "run"
	if runs {
		args = append(args, "--allow-private", "--delay", "1ms", "--round", "1s", "--rounds", "3",
			"--unlimited", "--quiet")
	}
	if args[0] == "plan" { // it would take the second from the run
		args = append(args, "--round", "1h")
	}
	news := l.bases[0] + "/news/"
	before := max(len(l.editions(news)), 1)
	changed := func() bool {
		seen := l.editions(news)
		return len(seen) > before && len(slices.Compact(seen[before-1:])) > 1
	}
	r := recrawlIn(l.t, dir, nil, args...)
	for again := 0; runs && again < 10 && !changed(); again++ {
		r = recrawlIn(l.t, dir, nil, args...)
	}
	if r.code != 0 && !(runs && r.code == 3) {
		l.t.Fatalf("recrawl %s: exit code %d\n%s\n%s", s.call, r.code, r.stdout, r.stderr)
	}
	got := strings.ReplaceAll(r.stdout, l.bases[0], "https://example.org")
	got = strings.ReplaceAll(got, strings.TrimPrefix(l.bases[0], "http://"), "example.org")
	l.t.Logf("$ recrawl %s\n%s", s.call, got)
	if !matchesPage(got, s.text) {
		l.t.Errorf("recrawl %s prints\n%s\nand the page has\n%s", s.call, got, s.text)
	}
}

var (
	anyNumber = regexp.MustCompile(`[-+]?[0-9][0-9,.:TZ-]*`)
	anyBlanks = regexp.MustCompile(`[ \t]+|-{2,}`)
)

// masked returns a text without its numbers and widths.
func masked(text string) string {
	text = anyNumber.ReplaceAllString(text, "#")
	return strings.TrimSpace(anyBlanks.ReplaceAllString(text, " "))
}

// matchesPage reports whether an output has the lines of a page; "..." matches any lines.
func matchesPage(output, page string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(page) {
		if strings.TrimSpace(line) == "..." {
			pattern.WriteString(`(.*\n)*?`)
			continue
		}
		pattern.WriteString(regexp.QuoteMeta(masked(line)) + `\n`)
	}
	var lines bytes.Buffer
	for line := range strings.Lines(output) {
		lines.WriteString(masked(line) + "\n")
	}
	return regexp.MustCompile("^(?:" + pattern.String() + `)\n*$`).Match(lines.Bytes())
}

// TestMatchesPage checks that a page which differs in a word, a line or their order does not match.
func TestMatchesPage(t *testing.T) {
	const output = "3 visits found 2 new pages.\n\nserver       pages\n-----------  " +
		"-----\nexample.org      3\nb.example        1\n"
	for page, want := range map[string]bool{
		output: true,
		"17 visits found 1 new pages.\n\nserver pages\n--- ---\nexample.org 1\nb.example 12\n": true,
		"17 visits found 1 new pages.\n...\n":                                                  true,
		"17 visits found 1 new page.\n...\n":                                                   false,
		"...\nb.example 1\nexample.org 3\n":                                                    false,
		"3 visits found 2 new pages.\n":                                                        false,
	} {
		if matchesPage(output, page) != want {
			t.Errorf("%v for\n%s", !want, page)
		}
	}
}

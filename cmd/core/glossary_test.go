package core_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGlossary checks that the glossary has its groups in reading order, each term once, and no
// unused term: README.md uses those of the group README, a document or a source file the others.
func TestGlossary(t *testing.T) {
	t.Parallel()
	const glossary = "docs/reference/glossary.md"
	groups := []string{"README", "Guide", "Run", "Planner", "Store", "Nodes", "Evaluation"}
	terms := map[string][]string{}
	var found []string
	group := ""
	for line := range strings.Lines(readFile(t, filepath.Join(moduleRoot, glossary))) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			group = name
			found = append(found, name)
		}
		cells := strings.Split(line, "|")
		if len(cells) != 5 || cells[1] == " term " || strings.HasPrefix(cells[1], "-") {
			continue
		}
		terms[group] = append(terms[group], strings.TrimSpace(cells[1]))
	}
	if !slices.Equal(found, groups) {
		t.Errorf("groups %q, want %q", found, groups)
	}
	readme := spaced(readFile(t, filepath.Join(moduleRoot, "README.md")))
	everything := []string{readme}
	err := filepath.WalkDir(moduleRoot, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == ".git" || name == "testdata") {
			return filepath.SkipDir
		}
		if path == filepath.Join(moduleRoot, glossary) ||
			!strings.HasSuffix(path, ".md") && (!strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go")) {
			return nil
		}
		text, err := os.ReadFile(path)
		everything = append(everything, spaced(string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, group := range groups {
		if len(terms[group]) == 0 {
			t.Errorf("group %s has no terms", group)
		}
		for _, term := range terms[group] {
			if seen[term] {
				t.Errorf("%s stands twice", term)
			}
			seen[term] = true
			where := everything
			if group == "README" {
				where = everything[:1]
			}
			if !slices.ContainsFunc(where, func(text string) bool { return uses(text, term) }) {
				t.Errorf("nobody uses %s, of the group %s", term, group)
			}
		}
	}
}

var (
	hump    = regexp.MustCompile(`([a-z])([A-Z])`)
	between = regexp.MustCompile(`[^\pL\pN-]+`)
)

// spaced returns the words of a text in lower case, also those of a name in Go, with one blank
// around each.
func spaced(text string) string {
	text = between.ReplaceAllString(hump.ReplaceAllString(text, "$1 $2"), " ")
	return " " + strings.ToLower(text) + " "
}

// uses reports whether a text has a term, or one of several separated by commas.
func uses(text, term string) bool {
	term, _, _ = strings.Cut(term, " (")
	for one := range strings.SplitSeq(term, ", ") {
		one = strings.TrimSpace(spaced(one))
		for _, ending := range []string{" ", "s ", "es ", "ed "} {
			if strings.Contains(text, " "+one+ending) {
				return true
			}
		}
	}
	return false
}

func TestGlossaryFindsUses(t *testing.T) {
	text := spaced("// type serverQueue has *hubs*;\n//\ta page is promoted")
	for term, want := range map[string]bool{"server queue": true, "hub": true, "promote": false,
		"promoted": true, "hub (of a feed)": true, "warm, page": true, "queue has": true,
		"age": false} {
		if uses(text, term) != want {
			t.Errorf("%s is used: %v, want %v", term, !want, want)
		}
	}
}

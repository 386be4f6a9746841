package core

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// mostWords is how many words a sentence may have.
const mostWords = 30

// hardToRead are patterns of sentences that people read twice, with what to write in their place.
// docs/STYLE.md has the rules. The patterns are sought in sentences whose code is replaced by CODE.
var hardToRead = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`^(What|Which|Whose) [^?]*$`), "a person or thing as the subject"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were) told\b`), "report, send, announce"},
	{regexp.MustCompile(`(?i)\b(tells?|told) of\b`), "report"},
	{regexp.MustCompile(`(?i)\bso (many|much later|long after)\b`), "a number, or its name"},
	{regexp.MustCompile(`(?i)\b(that|those) of (which|those|that)\b`), "the noun"},
	{regexp.MustCompile(`(?i)\bof which (it|they|there)\b`), "two sentences"},
	{regexp.MustCompile(`(?i)\bfrom which on\b|\bon which more\b`), "two sentences"},
	{regexp.MustCompile(`, too([.;:)]|$)`), "also"},
	{regexp.MustCompile(`, as (CODE|[0-9*]|https?:|for example)`), "for example, such as"},
	{regexp.MustCompile(`(?i), as (with|where) `), "for example"},
	{regexp.MustCompile(`(?i)\bin the place of\b`), "instead of"},
	{regexp.MustCompile(`(?i)\ball the same\b`), "still"},
	{regexp.MustCompile(`(?i)\bone behind the other\b`), "in a row"},
	{regexp.MustCompile(`(?i)\bbut for\b`), "except"},
}

var (
	itemOf     = regexp.MustCompile(`^([-*]|\d+\.)\s+`)
	linkOf     = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	codeOf     = regexp.MustCompile("`[^`]*`")
	sentenceOf = regexp.MustCompile(`([.!?])["')*]*\s+(["'(*\[]*([A-Z]|--))`)
	columnsOf  = regexp.MustCompile(`\S {2,}\S`)
	sourceOf   = regexp.MustCompile(` ?(\[[A-Z][^]]*\]|\([^()]*(19|20)\d\d[^()]*\))`)
	nameAfter  = regexp.MustCompile(`((?:\d|[\w)\]"]{2,})[.]) ([a-z]\w*:?|\d+:?) `)
)

// sentencesOf returns the sentences of a text in Markdown: of paragraphs, items of lists, headings
// and cells of tables. Blocks of code and of outputs are left out.
func sentencesOf(text string) (all []string) {
	var paragraph []string
	inside := false
	end := func() {
		whole := codeOf.ReplaceAllString(strings.Join(paragraph, " "), "CODE")
		whole = linkOf.ReplaceAllString(whole, "$1")
		whole = sentenceOf.ReplaceAllString(whole, "$1\n$2")
		for sentence := range strings.SplitSeq(whole, "\n") {
			if sentence = strings.Trim(sentence, " "); sentence != "" {
				all = append(all, sentence)
			}
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, "```"):
			end()
			inside = !inside
		case inside:
		case strings.HasPrefix(bare, "|"):
			end()
			for cell := range strings.SplitSeq(strings.Trim(bare, "|"), "|") {
				paragraph = append(paragraph, strings.TrimSpace(cell))
				end()
			}
		case bare == "", strings.HasPrefix(bare, "#"), strings.HasPrefix(line, "    ") &&
			len(paragraph) == 0:
			end()
		default:
			if itemOf.MatchString(bare) {
				end()
			}
			paragraph = append(paragraph, itemOf.ReplaceAllString(bare, ""))
		}
	}
	end()
	return all
}

// sentencesOfComment returns the sentences of a comment of Go, without preformatted lines and
// citations. A sentence may begin with a name in small letters.
func sentencesOfComment(text string) (all []string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "\t") {
			lines[i] = ""
		}
	}
	for _, s := range sentencesOf(strings.Join(lines, "\n")) {
		s = nameAfter.ReplaceAllString(sourceOf.ReplaceAllString(s, ""), "$1\n$2 ")
		all = append(all, strings.Split(s, "\n")...)
	}
	return all
}

// checkPlain reports sentences that are long or hard to read.
func checkPlain(t *testing.T, where string, sentences []string) {
	t.Helper()
	for _, s := range sentences {
		if n := len(strings.Fields(s)); n > mostWords {
			t.Errorf("%s: a sentence of %d words: %s", where, n, s)
		}
		for _, h := range hardToRead {
			if found := h.pattern.FindString(s); found != "" {
				t.Errorf("%s: %q: write with %s: %s", where, found, h.instead, s)
			}
		}
	}
}

// TestPlainWordsOfDocuments checks that sentences of README and docs are short and plain.
// docs/STYLE.md shows bad sentences and is left out.
func TestPlainWordsOfDocuments(t *testing.T) {
	t.Parallel()
	n := 0
	for _, document := range documents(t) {
		if filepath.Base(document) == "STYLE.md" {
			continue
		}
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		sentences := sentencesOf(string(text))
		n += len(sentences)
		checkPlain(t, document, sentences)
	}
	if n < 2000 {
		t.Errorf("only %d sentences were read", n)
	}
}

// TestPlainWordsOfHelp checks the page of every command, and the help of every flag.
func TestPlainWordsOfHelp(t *testing.T) {
	t.Parallel()
	n := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		var sentences []string
		for _, f := range flagsOf(c.NonInheritedFlags()) {
			sentences = append(sentences, sentencesOf(f.Usage)...)
		}
		n += len(sentences)
		checkPlain(t, c.CommandPath(), sentences)
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit((&Program{stdout: io.Discard, stderr: io.Discard}).rootCommand())
	pages, err := filepath.Glob("pages/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		sentences := sentencesOf(withoutColumns(string(text)))
		n += len(sentences)
		checkPlain(t, page, sentences)
	}
	checkPlain(t, "the settings of init", sentencesOf(initText))
	if n < 300 {
		t.Errorf("only %d sentences were read", n)
	}
}

// withoutColumns leaves out the lines of a help that are indented or stand in columns.
func withoutColumns(help string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(help, "\n") {
		if strings.HasPrefix(line, "  ") || columnsOf.MatchString(line) {
			line = ""
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// TestPlainWordsOfComments checks that sentences of doc comments of exported names are short and
// plain.
func TestPlainWordsOfComments(t *testing.T) {
	t.Parallel()
	n := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		check := func(doc *ast.CommentGroup, name *ast.Ident) {
			if doc != nil && name.IsExported() {
				n++
				checkPlain(t, fset.Position(doc.Pos()).String(), sentencesOfComment(doc.Text()))
			}
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				check(d.Doc, d.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						check(d.Doc, s.Name)
					case *ast.ValueSpec:
						check(s.Doc, s.Names[0])
					}
				}
			}
		}
		return nil
	})
	if err != nil || n < 1000 {
		t.Errorf("only %d comments were read: %v", n, err)
	}
}

// TestSentencesOf checks that a sentence ends before a capital, that code counts as one word, and
// that blocks are no sentences.
func TestSentencesOf(t *testing.T) {
	t.Parallel()
	got := strings.Join(sentencesOf("# A heading\n\nOne `a b. C` two. Three\nfour, e.g. five.\n"+
		"- six\n  seven\n- [eight](x.md)\n\n```\nno. Sentence\n```\n| a | b. C |\n"), "|")
	if want := "One CODE two.|Three four, e.g. five.|six seven|eight|a|b.|C"; got != want {
		t.Errorf("sentences %q, want %q", got, want)
	}
}

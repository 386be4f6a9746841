package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The direction of imports is part of the design: docs/architecture.md, heading "Imports", says for
// each folder what it may import and what it must not know. These tests hold the code
// to that table, tests of packages excepted.

const (
	modulePath = "github.com/recrawl/recrawl"
	moduleRoot = "../.."
)

// rule is a row of the table. Names are folders of this module, "folder/..." for all
// below it too, or parts of library paths behind the host ("cockroachdb/pebble").
type rule struct {
	folders   []string
	allowed   []string
	std       bool     // the standard library is allowed
	mustNot   []string // words of forbidden, or names
	tableLine int
}

// forbidden gives the meaning of a word in the last column, as parts of the standard
// library. "clock" is looked for in the source instead: time is also a unit.
var forbidden = map[string][]string{
	"network": {"net", "net/..."},
	"HTTP":    {"net/http", "net/http/..."},
	"disk":    {"os", "os/...", "io/ioutil", "syscall"},
	"clock":   nil,
}

var clockNames = []string{"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer",
	"Since", "Until"}

var errNoTable = errors.New(`no table under a heading "Imports"`)

var quoted = regexp.MustCompile("`[^`]*`")

// parseRules reads the first table below the heading "Imports".
func parseRules(markdown string) ([]rule, error) {
	var rules []rule
	inside, rows := false, 0
	for i, line := range strings.Split(markdown, "\n") {
		line = strings.TrimSpace(line)
		if title := strings.TrimLeft(line, "#"); title != line {
			if rows > 0 {
				break
			}
			inside = strings.TrimSpace(title) == "Imports"
			continue
		}
		if !inside || !strings.HasPrefix(line, "|") {
			if rows > 0 {
				break
			}
			continue
		}
		if rows++; rows <= 2 { // header and rule
			continue
		}
		r, err := parseRule(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		r.tableLine = i + 1
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, errNoTable
	}
	return rules, nil
}

func parseRule(line string) (rule, error) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	if len(cells) != 3 {
		return rule{}, fmt.Errorf("row has %d columns, want 3: folder, may import, must not know",
			len(cells))
	}
	var r rule
	for i, into := range []*[]string{&r.folders, &r.allowed, &r.mustNot} {
		for _, q := range quoted.FindAllString(cells[i], -1) {
			*into = append(*into, strings.Trim(q, "`"))
		}
		for word := range strings.SplitSeq(quoted.ReplaceAllString(cells[i], ""), ",") {
			switch word = strings.TrimSpace(word); {
			case strings.Trim(word, "-–— ") == "" || word == "nothing":
			case i == 1 && word == "standard library":
				r.std = true
			case i == 2 && isForbiddenWord(word):
				r.mustNot = append(r.mustNot, word)
			default:
				return rule{}, fmt.Errorf("word %q in column %d means nothing to the test of "+
					"imports", word, i+1)
			}
		}
	}
	if len(r.folders) == 0 {
		return rule{}, fmt.Errorf("row names no `folder`: %s", line)
	}
	return r, nil
}

func isForbiddenWord(word string) bool {
	_, ok := forbidden[word]
	return ok
}

// matches reports whether a path is meant by a name: itself, or with "/..." all below.
func matches(name, path string) bool {
	if base, ok := strings.CutSuffix(name, "/..."); ok {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == name
}

// names reports whether a name of the table means an imported package.
func names(name, path string) bool {
	if folder, ok := inModule(path); ok {
		return matches(name, folder)
	}
	name = strings.TrimSuffix(name, "/...")
	_, behindHost, _ := strings.Cut(path, "/")
	return matches(name+"/...", path) || matches(name+"/...", behindHost)
}

func inModule(path string) (folder string, ok bool) {
	if path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

func isStd(path string) bool {
	host, _, _ := strings.Cut(path, "/")
	return !strings.Contains(host, ".")
}

// ruleFor returns the rule of a folder: the one that names it most exactly.
func ruleFor(rules []rule, folder string) *rule {
	best, length := -1, -1
	for i, r := range rules {
		for _, name := range r.folders {
			if n := len(strings.TrimSuffix(name, "/...")); matches(name, folder) &&
				(n > length || name == folder) {
				best, length = i, n
			}
		}
	}
	if best < 0 {
		return nil
	}
	return &rules[best]
}

// objection says why an import is against the rule; "" if it is not. What a row names as
// its own folders may import each other.
func (r rule) objection(path string) string {
	for _, word := range r.mustNot {
		for _, name := range forbidden[word] {
			if isStd(path) && matches(name, path) {
				return "must not know " + word
			}
		}
		if !isForbiddenWord(word) && names(word, path) {
			return "must not know " + word
		}
	}
	if isStd(path) {
		if r.std {
			return ""
		}
		return "may not import the standard library"
	}
	for _, name := range append(slices.Clone(r.allowed), r.folders...) {
		if names(name, path) {
			return ""
		}
	}
	return "may not import it"
}

// objections checks one source file.
func (r rule) objections(fset *token.FileSet, file *ast.File) []string {
	var all []string
	object := func(pos token.Pos, format string, args ...any) {
		all = append(all, fmt.Sprintf("%v: %s (docs/architecture.md:%d)",
			fset.Position(pos), fmt.Sprintf(format, args...), r.tableLine))
	}
	timeName := ""
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			object(spec.Pos(), "import %s: %v", spec.Path.Value, err)
			continue
		}
		if why := r.objection(path); why != "" {
			object(spec.Pos(), "import %q: %s", path, why)
		}
		if path == "time" {
			timeName = "time"
			if spec.Name != nil {
				timeName = spec.Name.Name
			}
		}
	}
	if timeName == "" || !slices.Contains(r.mustNot, "clock") {
		return all
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == timeName &&
				slices.Contains(clockNames, s.Sel.Name) {
				object(s.Pos(), "time.%s: must not know clock", s.Sel.Name)
			}
		}
		return true
	})
	return all
}

type goPackage struct {
	ImportPath, Dir                   string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	TestGoFiles, XTestGoFiles         []string
	Error                             *struct{ Err string }
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Error",
		"./...")
	cmd.Dir, cmd.Stderr = moduleRoot, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
}

// TestImports checks all source files but tests, also those for other systems.
func TestImports(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(moduleRoot, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := parseRules(string(readme))
	if err != nil {
		t.Fatalf("docs/architecture.md: %v", err)
	}
	used := map[int]bool{}
	for _, p := range listPackages(t) {
		folder, _ := inModule(p.ImportPath)
		files := slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles)
		if len(files) == 0 && p.Error == nil {
			continue // tests only
		}
		r := ruleFor(rules, folder)
		if r == nil {
			t.Errorf("package %s has no row in the table of docs/architecture.md", folder)
			continue
		}
		used[r.tableLine] = true
		if p.Error != nil {
			t.Errorf("package %s: %s", folder, p.Error.Err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, o := range r.objections(fset, file) {
				t.Error(o)
			}
		}
	}
	for _, r := range rules {
		if !used[r.tableLine] {
			t.Errorf("docs/architecture.md:%d: no package in %v", r.tableLine, r.folders)
		}
	}
}

const sampleTable = "# recrawl\n\n## Imports\n\nWhat may import what:\n\n" +
	"| folder | may import | must not know |\n|---|---|---|\n" +
	"| `sitegraph` | standard library, `nlnwa/whatwg-url` | network, disk, clock |\n" +
	"| `eval/...` | standard library, `sitegraph`, `planner/...`, `x/net`, `gonum.org/v1/plot` | " +
	"— |\n" +
	"| `eval/report` | standard library | network, `planner/...` |\n" +
	"| `satstore` | standard library, `sitegraph`, `cockroachdb/pebble` | HTTP |\n" +
	"\n## Next\n\n| `other` | table | here |\n"

func TestParseRules(t *testing.T) {
	rules, err := parseRules(sampleTable)
	if err != nil {
		t.Fatal(err)
	}
	if len(rules) != 4 || rules[0].tableLine != 9 || !rules[0].std ||
		!slices.Equal(rules[0].mustNot, []string{"network", "disk", "clock"}) {
		t.Errorf("rules %+v", rules)
	}
	for _, bad := range []string{"", "# Imports\n",
		"# Imported\n|a|b|c|\n|-|-|-|\n|`a`|`b`|disk|\n", "# Imports\n|a|b|c|\n|-|-|-|\n"} {
		if _, err := parseRules(bad); !errors.Is(err, errNoTable) {
			t.Errorf("table %q: error %v", bad, err)
		}
	}
	for _, bad := range []string{"|`a`|`b`|", "|a|`b`|disk|", "|`a`|anything|disk|",
		"|`a`|`b`|politics|", "||`b`|disk|"} {
		if _, err := parseRules("# Imports\n|a|b|c|\n|-|-|-|\n" + bad); err == nil ||
			errors.Is(err, errNoTable) {
			t.Errorf("row %q: error %v", bad, err)
		}
	}
}

func TestRules(t *testing.T) {
	rules, err := parseRules(sampleTable)
	if err != nil {
		t.Fatal(err)
	}
	const in = modulePath + "/"
	for _, c := range []struct {
		folder, path string
		ok           bool
	}{
		{"sitegraph", "strings", true}, {"sitegraph", "time", true},
		{"sitegraph", "github.com/nlnwa/whatwg-url/url", true},
		{"sitegraph", "net", false}, {"sitegraph", "net/url", false}, {"sitegraph", "os", false},
		{"sitegraph", "io/ioutil", false},
		{"sitegraph", in + "planner", false}, {"sitegraph", "github.com/nlnwa/whatwg-urls", false},
		{"sitegraph", "netx.org/os", false},
		{"eval", "os", true}, {"eval/replay", in + "planner/cycle", true},
		{"eval/replay", in + "eval/history", true},
		{"eval", "golang.org/x/net/html", true}, {"eval", "gonum.org/v1/plot/vg", true},
		{"eval", "gonum.org/v1/gonum/stat", false},
		{"eval", in + "sitegraph/other", false}, {"eval/report", in + "planner", false},
		{"eval/report", in + "sitegraph", false},
		{"satstore", "github.com/cockroachdb/pebble/v2/vfs", true},
		{"satstore", "github.com/cockroachdb/errors", false},
		{"satstore", "net", true}, {"satstore", "net/http", false},
		{"satstore", "net/http/httptest", false},
	} {
		r := ruleFor(rules, c.folder)
		if r == nil {
			t.Fatalf("no rule for %s", c.folder)
		}
		if why := r.objection(c.path); (why == "") != c.ok {
			t.Errorf("%s imports %s: objection %q", c.folder, c.path, why)
		}
	}
	for _, folder := range []string{"fetch", "evaluation", "sitegraph/other", "other"} {
		if r := ruleFor(rules, folder); r != nil {
			t.Errorf("%s has the rule of line %d", folder, r.tableLine)
		}
	}
}

func TestClockInSource(t *testing.T) {
	rules, err := parseRules(sampleTable)
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]int{
		`import "time"; var t = time.Now()`:                         1,
		`import "time"; var now = time.Now`:                         1,
		`import clock "time"; func f() { clock.Sleep(clock.Hour) }`: 1,
		`import "time"; var c, d = time.After(1), time.Tick(2)`:     2,
		`import "time"; var t = time.Unix(0, 0).Add(time.Second)`:   0,
		`var time struct{ Now int }; var n = time.Now`:              0,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "a.go", "package a; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := ruleFor(rules, "sitegraph").objections(fset, file); len(got) != want {
			t.Errorf("%s: objections %q, want %d", source, got, want)
		}
		if got := ruleFor(rules, "satstore").objections(fset, file); len(got) != 0 {
			t.Errorf("%s: objections %q where the clock may be known", source, got)
		}
	}
}

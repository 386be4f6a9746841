package core_test

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
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	modulePath = "github.com/recrawl/recrawl"
	moduleRoot = "../.."
)

// floors are the folders of the module, the lowest first. A folder imports only folders to its
// left, and those in itself. README.md and docs/design/architecture.md have the same line.
const floors = "sitegraph < estimator < planner < satstore < fetch < eval < cmd"

// homes are the folders that may import a part of the standard library or another module. "clock"
// means the functions of package time that read or wait for the wall clock.
var homes = []struct{ what, folders, why string }{
	{"net", "fetch eval cmd",
		"what chooses pages and what remembers them must work without a network"},
	{"os syscall", "sitegraph/arena satstore fetch eval cmd",
		"what chooses pages keeps nothing by itself: the store decides what survives a crash"},
	{"clock", "sitegraph/arena planner/crawl satstore fetch eval/bench eval/demo eval/scale cmd",
		"the loop hands out the time, so that recorded histories repeat to the byte"},
	{"html/template", "fetch/archive/replay cmd", "pages for people are made at the edge"},
	{"github.com/cockroachdb/pebble/v2", "satstore fetch/archive fetch/corpus eval/bench",
		"databases, and the file system that tests can break, have one writer each"},
	{"github.com/PuerkitoBio/goquery", "fetch/extract", "one reader of HTML"},
	{"github.com/temoto/robotstxt", "fetch/robots", "one reader of robots.txt"},
	{"github.com/ledongthuc/pdf", "fetch/document", "one reader of PDF"},
	{"github.com/blevesearch github.com/ikawaha", "fetch/corpus/index", "one search engine"},
	{"github.com/nats-io", "cmd/cluster/bus", "nodes know a bus, not who carries it"},
	{"google.golang.org", "cmd/cluster/urlfrontier", "gRPC is the transport of one command"},
	{"github.com/parquet-go", "eval/tidy", "one writer of tables"},
	{"gonum.org", "estimator eval/tune eval/bench", "one library of distributions"},
	{"github.com/prometheus", "cmd", "metrics are shown, not measured"},
	{"github.com/spf13 github.com/go-viper", "cmd", "packages get options, never settings"},
	{"github.com/gocolly go.etcd.io", "fetch/bench eval/bench", "rivals serve comparisons alone"},
}

var clockNames = []string{"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer",
	"Since", "Until"}

// TestImports checks all source files except tests against floors and homes, also those for other
// systems.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "docs/design/architecture.md"} {
		if text := readFile(t, filepath.Join(moduleRoot, name)); !strings.Contains(text, floors) {
			t.Errorf("%s has no line %q", name, floors)
		}
	}
	for _, p := range listPackages(t) {
		if p.Error != nil {
			t.Errorf("package %s: %s", p.ImportPath, p.Error.Err)
		}
		folder := strings.TrimPrefix(p.ImportPath, modulePath+"/")
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, path := range known(file) {
				if why := objection(folder, path); why != "" {
					t.Errorf("%s/%s must not import %s: %s", folder, name, path, why)
				}
			}
		}
	}
}

// known returns the imports of a file, and "clock" if it reads the clock.
func known(file *ast.File) (paths []string) {
	clock := ""
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value) // the parser has checked it
		paths = append(paths, path)
		if path == "time" {
			clock = "time"
			if spec.Name != nil {
				clock = spec.Name.Name
			}
		}
	}
	read := false
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && clock != "" {
			x, ok := s.X.(*ast.Ident)
			read = read || ok && x.Name == clock && slices.Contains(clockNames, s.Sel.Name)
		}
		return true
	})
	if read {
		paths = append(paths, "clock")
	}
	return paths
}

// objection returns why a folder must not import a path, or "".
func objection(folder, path string) string {
	order := strings.Split(floors, " < ")
	floorOf := func(folder string) int {
		first, _, _ := strings.Cut(folder, "/")
		return slices.Index(order, first)
	}
	if floorOf(folder) < 0 && !strings.HasPrefix(folder, ".") {
		return "the folder has no place in " + floors
	}
	if of, ok := strings.CutPrefix(path, modulePath+"/"); ok {
		if floorOf(folder) >= 0 && floorOf(of) > floorOf(folder) {
			return floors
		}
		return ""
	}
	for _, home := range homes {
		isOf := func(list, path string) bool {
			return slices.ContainsFunc(strings.Fields(list), func(of string) bool {
				return path == of || strings.HasPrefix(path, of+"/")
			})
		}
		if isOf(home.what, path) && !isOf(home.folders+" .ci", folder) {
			return fmt.Sprintf("%s (its homes are %s)", home.why, home.folders)
		}
	}
	return ""
}

func TestObjections(t *testing.T) {
	for _, c := range []struct {
		folder, path string
		ok           bool
	}{
		{"sitegraph", "strings", true}, {"sitegraph", "time", true}, {"sitegraph", "clock", false},
		{"sitegraph/arena", "clock", true}, {"sitegraph", "os", false},
		{"planner", modulePath + "/sitegraph", true}, {"planner", modulePath + "/fetch", false},
		{"planner/policy", modulePath + "/planner", true}, {"planner", "net/http/httptest", false},
		{"satstore/engine", "github.com/cockroachdb/pebble/v2/vfs", true},
		{"satstore", "github.com/cockroachdb/errors", true},
		{"eval", "github.com/cockroachdb/pebble/v2", false},
		{"sitegraph", modulePath + "/sitegraph/words", true}, {"fetches", "strings", false},
	} {
		if why := objection(c.folder, c.path); (why == "") != c.ok {
			t.Errorf("%s imports %s: objection %q", c.folder, c.path, why)
		}
	}
	for source, want := range map[string]bool{
		`import "time"; var t = time.Now()`:                  true,
		`import clock "time"; func f() { clock.Sleep(1) }`:   true,
		`import "time"; var t = time.Unix(0, 0).Add(1)`:      false,
		`var time struct{ Now int }; var n = time.Now`:       false,
		`import "time"; var c = []any{time.After, time.Now}`: true,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a; "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(known(file), "clock"); got != want {
			t.Errorf("%s: reads the clock %v, want %v", source, got, want)
		}
	}
}

type goPackage struct {
	ImportPath, Dir                   string
	GoFiles, CgoFiles, IgnoredGoFiles []string
	Error                             *struct{ Err string }
}

func listPackages(t *testing.T) (all []goPackage) {
	t.Helper()
	cmd := exec.Command("go", "list", "-e",
		"-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles,Error", "./...")
	cmd.Dir, cmd.Stderr = moduleRoot, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
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

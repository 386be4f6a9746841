package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// camel matches a word that can only be the name of a declaration.
var camel = regexp.MustCompile(`^[A-Za-z][a-z0-9]+[A-Z]\w*$`)

// TestDocNames checks that a doc comment which begins with a name begins with that of its
// declaration: renaming leaves others behind.
func TestDocNames(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, name := range slices.Concat(p.GoFiles, p.IgnoredGoFiles) {
			path := filepath.Join(p.Dir, name)
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
			if err != nil {
				t.Error(err)
				continue
			}
			check := func(doc *ast.CommentGroup, names ...*ast.Ident) {
				first, _, _ := strings.Cut(strings.TrimSpace(doc.Text()), " ")
				if camel.MatchString(first) && !slices.ContainsFunc(names, func(n *ast.Ident) bool {
					return n.Name == first
				}) {
					t.Errorf("%s: %s documents %v", fset.Position(doc.Pos()), first, names)
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
							check(s.Doc, s.Name)
						case *ast.ValueSpec:
							check(s.Doc, s.Names...)
						}
					}
				}
			}
		}
	}
}

package core_test

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy are prefixes of libraries that recrawl does not need. Other programs need them: see
// docs/guide/install.md.
var heavy = []string{"github.com/nats-io/", "google.golang.org/grpc", "github.com/blevesearch/",
	"github.com/ikawaha/", "github.com/RoaringBitmap/", "go.opentelemetry.io/", "go.etcd.io/bbolt",
	"github.com/gocolly/",
	"gonum.org/v1/gonum/lapack", "gonum.org/v1/gonum/stat"}

// TestCoreIsLight checks that recrawl needs no library of the other programs, and that these do.
func TestCoreIsLight(t *testing.T) {
	t.Parallel()
	needs := func(program string) []string {
		out, err := exec.Command("go", "list", "-deps", "../"+program).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	for _, path := range needs("recrawl") {
		for _, name := range heavy {
			if strings.HasPrefix(path, name) {
				t.Errorf("recrawl needs %s", path)
			}
		}
	}
	for program, name := range map[string]string{"recrawl-cluster": "github.com/nats-io/",
		"recrawl-search": "github.com/ikawaha/", "recrawl-lab": "github.com/gocolly/"} {
		found := false
		for _, path := range needs(program) {
			found = found || strings.HasPrefix(path, name)
		}
		if !found {
			t.Errorf("%s does not need %s: the names above are out of date", program, name)
		}
	}
}

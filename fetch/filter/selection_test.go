package filter

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestIsBlog checks the rates of docs/design/results.md.
func TestIsBlog(t *testing.T) {
	f, err := os.Open("testdata/blogs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	right, found, blogs, all := 0, 0, 0, 0
	for in := bufio.NewScanner(f); in.Scan(); all++ {
		var p struct {
			URL, Text string
			Links     []string
			Blog      bool
		}
		if err := json.Unmarshal(in.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		got := IsBlog(p.URL, p.Text, p.Links)
		if got != p.Blog {
			t.Logf("%s is taken for a blog: %v", p.URL, got)
		}
		if got {
			found++
		}
		if p.Blog {
			blogs++
		}
		if got && p.Blog {
			right++
		}
	}
	precision, recall := float64(right)/float64(found), float64(right)/float64(blogs)
	t.Logf("%d pages, %d of blogs: precision %.3f, recall %.3f", all, blogs, precision, recall)
	if precision < 0.95 || recall < 0.90 {
		t.Errorf("precision %.3f, recall %.3f", precision, recall)
	}
}

func TestOrder(t *testing.T) {
	pages := []*SelectionFacts{
		{URL: "http://a.example/"}, {URL: "http://a.example/b"}, {URL: "http://a.example/c"},
		{URL: "http://a.example/d/"},
		{URL: "http://a.example/long"}, {URL: "http://a.example/d/e"},
		{URL: "http://a.example/d/e/f"}, {URL: "http://a.example/", Other: true},
	}
	if !slices.IsSortedFunc(pages, func(a, b *SelectionFacts) int {
		return strings.Compare(SelectionOrder(a), SelectionOrder(b))
	}) {
		t.Error("not in order")
	}
	for _, p := range pages {
		if URLOf(SelectionOrder(p)) != p.URL {
			t.Errorf("%q is of %q", SelectionOrder(p), URLOf(SelectionOrder(p)))
		}
	}
	for url, want := range map[string]int{"http://a.example/": 0, "http://a.example/x": 0,
		"http://a.example/d/": 0, "http://a.example/d/x": 1, "http://a.example/d/e/x?y=/": 2} {
		if Levels(url) != want {
			t.Errorf("%s is below %d directories", url, Levels(url))
		}
	}
}

// TestBlocks checks that two SimHashes which differ in three bits have an equal block.
func TestBlocks(t *testing.T) {
	o := SelectionOptions{Near: 3}
	const hash = 0x0123456789abcdef
	for a := range 64 {
		for b := range a {
			other := uint64(hash) ^ 1<<a ^ 1<<b ^ 1<<((a+b)%64)
			mine, theirs := NearBlocks(hash), NearBlocks(other)
			if !o.IsNear(hash, other) || !slices.ContainsFunc([]int{0, 1, 2, 3}, func(i int) bool {
				return mine[i] == theirs[i]
			}) {
				t.Fatalf("%x and %x", hash, other)
			}
		}
	}
	if o.IsNear(hash, hash^15) {
		t.Error("four bits are near")
	}
}

// TestNoBounds checks that a rule with limit zero leaves nothing out.
func TestNoBounds(t *testing.T) {
	f := &SelectionFacts{URL: "http://a.example/" + strings.Repeat("d/", 100), Text: 1}
	if v := new(SelectionOptions).Alone(f, false); v != (SelectionVerdict{}) {
		t.Errorf("%+v", v)
	}
}

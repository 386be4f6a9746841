package extract

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func mainOf(t *testing.T, page string) string {
	t.Helper()
	var s scanner
	text, ok := s.mainText([]byte(page))
	if !ok {
		t.Fatalf("no tree of %.60q", page)
	}
	return string(text)
}

// TestMainText compares the main text with what readers see, on pages with missing, misnested or
// additional tags. Text in a <nav> is "n".
func TestMainText(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"nothing but text", "a", "a"},
		{"no body tag", "<title>t</title><p>a<nav>n</nav>b", "a b"},
		{"head that does not end", "<head><title>t</title><meta name=x><div>a</div>", "a"},
		{"text after the head", "<head><title>t</title></head>a<body>b", "ab"},
		{"what comes after the end", "<body>a</body></html>b", "ab"},
		{"second body", "<body>a<body class=nav>b", "ab"},
		{"self-closing means nothing", "<nav/>n<p>n</nav>b", "b"},
		{"but in pictures it does", "<svg><title/><path/><style/></svg>a<nav>n</nav>", "a"},
		{"paragraphs end by themselves", "<p id=nav>n<p>a", "a"},
		{"but not around a table", "<p id=nav>n<span><table><tr><td><p>x</table>a", "x a"},
		{"items", "<ul><li class=nav>n<ul><li>n</ul>n<li>a</ul>", "a"},
		{"end of an item that is not open", "<ul><li class=nav>n<ul></li>n</ul><li>a</ul>", "a"},
		{"terms", "<dl><dt class=nav>n<dd>a<dt>b</dl>", "a b"},
		{"cells", "<table><tr><td class=nav>n<td>a<tr class=nav><td>n<tbody><td>b</table>c",
			"a b c"},
		{"cells of a table within",
			"<table><tr><td class=nav><table><tr><td>n</table>n<td>a</table>", "a"},
		{"end of what is around the table", "<div class=nav><table><tr><td></div>n</table>n</div>a",
			"a"},
		{"cells without table", "<div class=nav><td>n</div>a", "a"},
		{"options", "<select><option class=nav>n<option>a</select>", "a"},
		{"formatting ends no block", "<b><div class=nav></b>n</div>a", "a"},
		{"blocks end formatting", "<div><b class=nav>n</div>a", "a"},
		{"link around blocks", "<a><div class=nav><p>n</a>n</div>a", "a"},
		{"headings end each other", "<h2 class=nav>n</h3>a", "a"},
		{"end that nothing began", "a</div></td></b>b</p>c</br>d", "ab c d"},
		{"first class counts", `<p class="x nav" class=y>n<p class=y class=nav>a`, "a"},
		{"raw text is not read", "<script><nav></script>a<textarea><nav></textarea>b", "a <nav> b"},
		{"main in main", "x<main>a<main>b</main>c</main>x<main>d</main>", "a b c d"},
		{"template", "<template>n<table></template>a", "a"},
		{"entities", "a&amp;b&nbsp;c", "a&b c"},
	} {
		if got := mainOf(t, c.page); got != c.want {
			t.Errorf("%s: %q has %q, want %q", c.name, c.page, got, c.want)
		}
	}
}

// TestTreeDeep checks that too deep content loses its element and not its text.
func TestTreeDeep(t *testing.T) {
	page := strings.Repeat("<div>", 3*maxDepth) + "a<nav>n</nav>" + strings.Repeat("</div>",
		3*maxDepth) + "<nav>n</nav>b"
	if got := mainOf(t, page); !strings.HasPrefix(got, "a") || !strings.HasSuffix(got, "b") {
		t.Errorf("text of a deep page is %q", got)
	}
}

// TestTreeBound checks that Main is Text for a page with too many nodes.
func TestTreeBound(t *testing.T) {
	small, large := "<nav>n</nav>"+strings.Repeat("<i>x", maxNodes/2-10),
		"<nav>n</nav>"+strings.Repeat("<i>x", maxNodes/2+10)
	if p := read(small); p.Digests.Main == p.Digests.Text {
		t.Error("no tree of a page within the bound")
	}
	if p := read(large); p.Digests.Main != p.Digests.Text {
		t.Error("a tree of a page beyond the bound")
	}
}

// TestTreeBomb reads a page for which html.Parse takes gigabytes: each <p> reopens 480 elements.
func TestTreeBomb(t *testing.T) {
	root, ok := parse(bomb(40_000), false)
	if !ok {
		t.Fatal("no tree")
	}
	n := 0
	for range root.Descendants() {
		n++
	}
	if n > 90_000 {
		t.Errorf("%d nodes", n)
	}
}

// bomb returns a page with 480 open formatting elements, which html.Parse reopens in each of n
// paragraphs.
func bomb(n int) []byte {
	var b bytes.Buffer
	b.WriteString("<p>")
	for i := range 480 {
		fmt.Fprintf(&b, "<b x=%d>", i)
	}
	b.WriteString(strings.Repeat("<p>x", n))
	return b.Bytes()
}

// FuzzTree checks the bounds: at most a node for each token, plus html, head and body, and the
// depth.
func FuzzTree(f *testing.F) {
	f.Add([]byte("<table><td><p>a<li></div><svg><p/></table></p>"))
	f.Add(bomb(3))
	f.Fuzz(func(t *testing.T, page []byte) {
		if len(page) > 1<<14 {
			return
		}
		root, ok := parse(page, false)
		if !ok {
			t.Fatal("no tree of a small page")
		}
		tokens := 0
		for z := html.NewTokenizer(bytes.NewReader(page)); z.Next() != html.ErrorToken; {
			tokens++
		}
		nodes := 0
		for n := range root.Descendants() {
			nodes++
			depth := 0
			for p := n.Parent; p != nil; p = p.Parent {
				depth++
			}
			if depth > maxDepth+3 {
				t.Fatalf("a node is %d deep", depth)
			}
		}
		// A tag that closes itself in a picture changes how the next text is read.
		if nodes > tokens+3 && !bytes.Contains(bytes.ToLower(page), []byte("<svg")) &&
			!bytes.Contains(bytes.ToLower(page), []byte("<math")) {
			t.Fatalf("%d nodes of %d tokens", nodes, tokens)
		}
	})
}

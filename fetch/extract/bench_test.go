package extract

import (
	"fmt"
	"strings"
	"testing"
)

// benchPage is a page of 23 KB with 40 links, inline style and script, similar to published
// throughput benchmarks.
var benchPage = func() []byte {
	var b strings.Builder
	b.WriteString(`<!DOCTYPE html><html><head><meta charset="utf-8"><title>A page</title><style>`)
	b.WriteString(strings.Repeat(".c { margin: 0 auto; }\n", 80) + "</style></head><body><nav><ul>")
	for i := range 40 {
		fmt.Fprintf(&b, "<li class=\"item\"><a href=\"../section-%d/page-%d.html#part\" "+
			"title=\"t\">Page %d</a></li>\n", i%7, i, i)
	}
	b.WriteString("</ul></nav><main>")
	for i := 0; b.Len() < 21_000; i++ {
		fmt.Fprintf(&b, "<p id=\"p%d\">Some <b>words</b> of text &amp; more, with an "+
			"<i>image</i> <img src=\"i%d.png\" alt=\"\"> and so on until the line is long "+
			"enough.</p>\n", i, i)
	}
	b.WriteString("</main><script>" + strings.Repeat("function f(x) { return x + 1; }\n", 50) +
		"</script></body></html>")
	return []byte(b.String())
}()

// BenchmarkLinks measures extraction without a tree: links, charset, digests of bytes and text.
func BenchmarkLinks(b *testing.B) {
	b.SetBytes(int64(len(benchPage)))
	b.ReportAllocs()
	for b.Loop() {
		HTML(benchPage, "text/html", self, Options{})
	}
}

// BenchmarkHTML measures all of it, main text included.
func BenchmarkHTML(b *testing.B) {
	b.SetBytes(int64(len(benchPage)))
	b.ReportAllocs()
	for b.Loop() {
		HTML(benchPage, "text/html", self, Options{Main: true})
	}
}

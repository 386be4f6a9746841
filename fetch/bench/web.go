package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"

	"github.com/klauspost/compress/gzip"
)

const (
	pageBytes    = 22_000 // size of a page, about
	linksPerPage = 40
	elsewhere    = 8 // one in this many links leads to another server
)

// addressOf returns the address of a server.
func addressOf(server int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, byte(1 + server/40_000), byte(server / 200 % 200),
		byte(1 + server%200)})
}

// serverAt returns the server at an address, or -1.
func serverAt(a netip.Addr) int {
	b := a.Unmap().As4()
	if b[0] != 127 || b[1] < 1 || b[2] >= 200 || b[3] < 1 || b[3] > 200 {
		return -1
	}
	return int(b[1]-1)*40_000 + int(b[2])*200 + int(b[3]-1)
}

// pathOf returns the path of a page. The first is the start page.
func pathOf(page int) string {
	if page == 0 {
		return "/"
	}
	return fmt.Sprintf("/section-%d/page-%d.html", page%7, page)
}

// urlOf returns the URL of a page.
func urlOf(server, page int, port uint16) string {
	return "http://" + netip.AddrPortFrom(addressOf(server), port).String() + pathOf(page)
}

// document is a page as it is sent.
type document struct {
	plain, packed []byte
	etag          string
}

// documents makes the pages. All servers have the same ones, with different URLs.
func documents(servers, pages int, port uint16) (map[string]int, []document, error) {
	numbers, all := make(map[string]int, pages), make([]document, pages)
	for i := range all {
		d := document{plain: writePage(i, servers, pages, port), etag: fmt.Sprintf(`"%d-1"`, i)}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(d.plain)
		if err := z.Close(); err != nil {
			return nil, nil, fmt.Errorf("compress a page: %w", err)
		}
		d.packed = packed.Bytes()
		numbers[pathOf(i)], all[i] = i, d
	}
	return numbers, all, nil
}

// pageWriter writes a page.
type pageWriter struct {
	strings.Builder
	random *rand.Rand
	words  []string
	said   []string // phrases so far
}

// writePage returns a page. It links to the next pages, so that all are found from the first.
func writePage(page, servers, pages int, port uint16) []byte {
	w := pageWriter{random: rand.New(rand.NewPCG(uint64(page), 22)), words: vocabulary()}
	title := w.sentence(4)
	fmt.Fprintf(w.out(), "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "+
		"charset=\"utf-8\">\n<title>%s</title>\n", title)
	fmt.Fprintf(w.out(), "<meta name=\"description\" content=\"%s\">\n<style>\n", w.sentence(12))
	for i := range 20 {
		fmt.Fprintf(w.out(), ".%s-%d { margin: %dpx; color: #%06x }\n",
			w.word(), i, w.random.IntN(40), w.random.IntN(1<<24))
	}
	fmt.Fprintf(w.out(), "</style>\n<script>\nvar page = {number: %d, words: [", page)
	for range 40 {
		fmt.Fprintf(w.out(), "%q, ", w.word())
	}
	w.WriteString("]};\nif (page.number < 0 && page.words.length > 0) { " +
		"document.write('<b>none</b>') }\n</script>\n</head>\n<body class=\"plain wide\">\n")
	fmt.Fprintf(w.out(), "<header id=\"top\"><h1>%s</h1></header>\n<nav class=\"menu\"><ul>\n",
		title)
	const inMenu = 10
	for i := range inMenu {
		fmt.Fprintf(w.out(), "<li>%s</li>\n", w.link(i, page, servers, pages, port))
	}
	w.WriteString("</ul></nav>\n<main>\n")
	for i := inMenu; i < linksPerPage; i++ {
		if i == linksPerPage/2 {
			w.table()
		}
		fmt.Fprintf(w.out(), "<p class=\"text\">%s&nbsp;&ndash; %s %s <em>%s</em> &amp; "+
			"%s</p>\n<!-- part %d -->\n",
			w.sentence(12), w.sentence(18), w.link(i, page, servers, pages, port), w.sentence(5),
			w.sentence(18), i)
		if i%6 == 0 {
			fmt.Fprintf(w.out(), "<img src=\"/pictures/%d.png\" alt=\"%s\" width=\"%d\" "+
				"height=\"200\">\n", i, w.sentence(3), 100+i)
		}
	}
	for w.Len() < pageBytes {
		fmt.Fprintf(w.out(), "<p>%s</p>\n", w.sentence(30))
	}
	w.WriteString("</main>\n<footer>&copy; nobody</footer>\n</body>\n</html>\n")
	return []byte(w.String())
}

func (w *pageWriter) out() *strings.Builder { return &w.Builder }

// link returns the i-th link of a page.
func (w *pageWriter) link(i, page, servers, pages int, port uint16) string {
	to := (page + 1 + i) % pages
	href := pathOf(to)
	switch {
	case i%elsewhere == elsewhere-1:
		href = urlOf((page*31+i*7)%servers, 0, port)
	case i%4 == 1:
		href += fmt.Sprintf("#part-%d", i)
	case i%4 == 2 && to > 0 && page > 0:
		href = ".." + href
	}
	return fmt.Sprintf(`<a class="%s" href="%s" title="%s">%s</a>`,
		w.word(), href, w.sentence(3), w.sentence(3))
}

func (w *pageWriter) table() {
	w.WriteString("<table>\n")
	for range 8 {
		fmt.Fprintf(w.out(), "<tr><td>%s</td><td>%d</td><td>%s</td></tr>\n",
			w.word(), w.random.IntN(10_000), w.word())
	}
	w.WriteString("</table>\n")
}

// word returns a word; frequent words come more often, as in language.
func (w *pageWriter) word() string {
	return w.words[min(w.random.IntN(len(w.words)), w.random.IntN(len(w.words)))]
}

// phraseWords is the length of repeated phrases. With it gzip makes a page as small as real ones:
// the fastest level shrinks those of four published sites to 0.29 to 0.35 of their size.
const phraseWords = 4

// sentence returns phrases; three in five occurred in the page before.
func (w *pageWriter) sentence(words int) string {
	var all []string
	for words > 0 {
		phrase := strings.Join(w.phrase(min(words, phraseWords)), " ")
		if n := len(w.said); words >= phraseWords && n > 0 && w.random.IntN(5) < 3 {
			phrase = w.said[w.random.IntN(n)]
		} else if words >= phraseWords {
			w.said = append(w.said, phrase)
		}
		all = append(all, phrase)
		words -= phraseWords
	}
	return strings.Join(all, " ")
}

func (w *pageWriter) phrase(words int) []string {
	all := make([]string, words)
	for i := range all {
		all[i] = w.word()
	}
	return all
}

// vocabulary returns the words of all pages.
func vocabulary() []string {
	random := rand.New(rand.NewPCG(1, 22))
	words := make([]string, 1500)
	for i := range words {
		var b strings.Builder
		for range 1 + random.IntN(4) {
			b.WriteByte("bcdfghjklmnprstvw"[random.IntN(17)])
			b.WriteByte("aeiou"[random.IntN(5)])
		}
		words[i] = b.String()
	}
	return words
}

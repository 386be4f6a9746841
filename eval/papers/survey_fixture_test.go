package papers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/evaltest"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// SurveyPageOf is lab.SurveyPage; that package imports this one.
var SurveyPageOf func(*Survey) report.Page

var (
	gone, page, serverOf = evaltest.Gone, evaltest.Page, evaltest.Server
)

// shows returns a version; content is "bytes" or "bytes|text".
func shows(t int64, content string, links ...string) history.Version {
	bytes, text, _ := strings.Cut(content, "|")
	v := history.Version{T: t, Links: links, LinksKnown: true, FramesKnown: true}
	v.Digests.Bytes = sitegraph.DigestOf([]byte(bytes))
	if text != "" {
		v.Digests.Text = sitegraph.DigestOf([]byte("text " + text))
	}
	return v
}

func framed(v history.Version, frames ...string) history.Version {
	v.Frames = frames
	return v
}

func datasetOf(t testing.TB, base int, by sitegraph.ChangeBy,
	servers ...*history.Server) *eval.Dataset {
	t.Helper()
	c, err := eval.NewDataset(context.Background(), servers,
		eval.Options{Base: time.Duration(base) * week, Change: by})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func surveyOf(t testing.TB, c *eval.Dataset, o SurveyOptions) *Survey {
	t.Helper()
	s, err := NewSurvey(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// surveyedByHand returns two servers with windows at different times, seen from week 1 on. Pages of
// a:
//
//	week        0    1    2    3    4    pages
//	/           A    B    B    B    B    frameset of /menu; links /b /c /d
//	/menu       M    M    M    N    N
//	/b          B    B    C    B    B    twice updated in 4 weeks, no difference
//	/c          C    C    C    -    -    vanishes
//	/d          D    D    -    D'   D'   comes back otherwise: no update, but a difference
//	/e          -    -    E    E    E    new, linked from /b in week 2 only
//	/x          X    X    X    X    X    not linked
//	/f          -    -    -    F    F    new, linked from /menu from week 3
//
// Of b, in another group: / alone, which changes every day.
func surveyedByHand() []*history.Server {
	const a, b = "http://a.co.jp/", "http://b.example:8080/"
	const t0, t1 = 1_000_000_000, 1_100_000_050
	at := func(weeks int64) int64 { return t0 + weeks*weekSeconds }
	top := []string{a + "menu", a + "b", a + "c", a + "d"}
	first := serverOf("a.co.jp", t0, page(a, framed(shows(at(0), "A", top...), a+"menu"),
		framed(shows(at(1), "B", top...), a+"menu")), page(a+"menu", shows(at(0), "M"),
		shows(at(3)-1, "N", a+"f")), page(a+"b", shows(at(0), "B"), shows(at(2), "C", a+"e"),
		shows(at(3)-5, "B")), page(a+"c", shows(at(0), "C"), gone(at(3))),
		page(a+"d", shows(at(0), "D"), gone(at(2)-1), shows(at(2)+1, "D'")),
		page(a+"e", shows(at(2), "E")),
		page(a+"x", shows(at(0), "X")),
		page(a+"f", shows(at(3), "F")))
	var daily []history.Version
	for d := range int64(60 * 7) {
		daily = append(daily, shows(t1+d*daySeconds, fmt.Sprint(d)))
	}
	return []*history.Server{first, serverOf("b.example:8080", t1, page(b, daily...))}
}

// surveyedAtRandom returns trees of pages with cross links, frames, births, deaths, redirects and
// old versions that return, and texts that change less often than bytes.
func surveyedAtRandom(rng *rand.Rand) []*history.Server {
	var all []*history.Server
	for s := range 1 + rng.IntN(4) {
		name := fmt.Sprintf("s%d.%s", s, []string{"org", "co.jp", "com"}[rng.IntN(3)])
		t0 := int64(1_000_000_000 + rng.IntN(1e8))
		var urls []string
		for i := range 2 + rng.IntN(20) {
			urls = append(urls, fmt.Sprintf("http://%s/%s",
				name, []string{"", fmt.Sprint("p", i)}[min(i, 1)]))
		}
		var pages []*history.Page
		for i, url := range urls {
			p := &history.Page{URL: url}
			t := t0
			if i > 0 && rng.IntN(4) == 0 {
				t += rng.Int64N(10 * weekSeconds)
			}
			pace := []float64{0.3, 3, 20, 200}[rng.IntN(4)] // days
			if i == 0 {
				pace *= 10
			}
			for k := 0; t < t0+12*weekSeconds && k < 60; k++ {
				p.Versions = append(p.Versions, randomVersion(rng, t, urls, i, k))
				t += 1 + int64(rng.ExpFloat64()*pace*daySeconds)
			}
			pages = append(pages, p)
		}
		all = append(all, serverOf(name, t0, pages...))
	}
	return all
}

func randomVersion(rng *rand.Rand, t int64, urls []string, i, k int) history.Version {
	if k > 0 && rng.IntN(9) == 0 {
		return gone(t)
	}
	if k > 0 && rng.IntN(15) == 0 {
		return history.Version{T: t, Redirect: urls[rng.IntN(len(urls))]}
	}
	var links []string
	for range rng.IntN(4) {
		if to := urls[rng.IntN(len(urls))]; to != urls[i] && !slices.Contains(links, to) {
			links = append(links, to)
		}
	}
	if i+1 < len(urls) && rng.IntN(8) > 0 && !slices.Contains(links, urls[i+1]) {
		links = append(links, urls[i+1])
	}
	text := []string{"", fmt.Sprint(rng.IntN(2))}[min(rng.IntN(5), 1)]
	v := shows(t, fmt.Sprint(rng.IntN(3), "|", text), links...)
	if text != "" {
		v.Digests.Bytes = sitegraph.DigestOf(fmt.Append(nil, rng.IntN(9), text))
	}
	if len(links) > 0 && rng.IntN(4) == 0 {
		v = framed(v, links[0])
	}
	return v
}

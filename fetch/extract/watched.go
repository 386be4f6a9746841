package extract

import (
	"strings"

	"github.com/recrawl/recrawl/fetch/extract/rules"
	"github.com/recrawl/recrawl/sitegraph"
)

// MostWatched bounds each text of Watched, in octets: what is behind that is not watched.
const MostWatched = 256 << 10

// Watched is what rules leave of a page.
type Watched struct {
	Title string
	Texts []string // by rule of the options, a line for each block of text; valid UTF-8
}

func (s *scanner) watched(page []byte, of []*rules.Rule) *Watched {
	w := &Watched{Title: cut(s.title.in(s.text))}
	for _, r := range of {
		w.add(s.counted(page, r, nil))
	}
	return w
}

func (w *Watched) add(text []byte) {
	text = text[:min(len(text), MostWatched)]
	w.Texts = append(w.Texts, strings.ToValidUTF8(strings.TrimSpace(string(text)), ""))
}

// Observed is what an observation has of it; nil: nothing was watched.
func (w *Watched) Observed() *sitegraph.Watched {
	if w == nil {
		return nil
	}
	return &sitegraph.Watched{Title: w.Title, Texts: w.Texts}
}

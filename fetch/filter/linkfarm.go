package filter

import (
	"context"
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/sitegraph"
)

// linkFarm rejects pages that consist of links to other servers. In YAML it is the value of the key
// links.
type linkFarm struct {
	Others  int     `yaml:"others"`   // number of linked servers, without the page's own
	PerWord float64 `yaml:"per-word"` // links to other servers for each word of the text
}

func (l *linkFarm) compile() (Filter, error) {
	if l.Others < 1 || l.PerWord <= 0 {
		return nil, errors.New("links: want others, a number of other servers, and per-word, " +
			"links for each word, both above 0")
	}
	return l, nil
}

// Judge rejects a page with both many linked servers and many links for its words.
func (l *linkFarm) Judge(_ context.Context, p *Page) (Verdict, error) {
	_, words := fold(p.Title + "\n" + p.Text)
	own := sitegraph.ServerName(p.URL)
	servers, links := map[string]bool{}, 0
	for _, url := range p.Links {
		if server := sitegraph.ServerName(url); server != own {
			servers[server] = true
			links++
		}
	}
	v := Verdict{Score: float64(links) / float64(max(words, 1))}
	v.Reject = len(servers) >= l.Others && v.Score >= l.PerWord
	v.Why = fmt.Sprintf("%d links to %d other servers, %.2g for each of %d words",
		links, len(servers), v.Score, words)
	return v, nil
}

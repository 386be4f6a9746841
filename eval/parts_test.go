package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/recrawl/recrawl/eval/history"
)

// templates is a web of pages made by templates, some for each server. Sometimes a template
// changes, and nine of ten of its pages change with it. URLs are random ids; if named they contain
// the template as their directory.
type templates struct {
	servers, pages, templates, weeks int
	named                            bool
}

func (o templates) histories(seed uint64) (all []*history.Server) {
	const perDay, spread, taken = 0.02, 0.7, 0.9 // changes of a template: the median, and sigma
	rng := rand.New(rand.NewPCG(seed, 3))
	for s := range o.servers {
		top := fmt.Sprintf("http://s%d.example/", s)
		pages := make([]*history.Page, o.pages)
		links := make([]string, o.pages)
		of := make([]int, o.pages)
		for i := range pages {
			of[i] = rng.IntN(o.templates)
			id, directory := rng.Uint32(), "p"
			if o.named {
				directory = fmt.Sprint("of", of[i])
			}
			links[i] = fmt.Sprintf("%s%s/%08x", top, directory, id)
			pages[i] = page(links[i], shows(0, "0"))
		}
		for template := range o.templates {
			every := daySeconds / (perDay * math.Exp(spread*rng.NormFloat64()))
			end := float64(o.weeks * 7 * daySeconds)
			for t := every * rng.ExpFloat64(); t < end; t += every * rng.ExpFloat64() {
				for i, p := range pages {
					if of[i] == template && rng.Float64() < taken {
						p.Versions = append(p.Versions, shows(int64(t)+1, fmt.Sprint(t)))
					}
				}
			}
		}
		pages = append(pages, page(top, shows(0, "top", links...)))
		all = append(all, server(fmt.Sprintf("s%d.example", s), 0, pages...))
	}
	return all
}

// TestPartsOfHiddenTemplates checks that pages which change together are found by the times of
// their changes if URLs show nothing. Visits then find nearly as many changes as with templates in
// the directories. RECRAWL_LONG uses a larger web.
func TestPartsOfHiddenTemplates(t *testing.T) {
	web := templates{servers: 2, pages: 200, templates: 4, weeks: 30}
	runs, budgets := 1, []float64{0.1}
	if os.Getenv("RECRAWL_LONG") != "" {
		web = templates{servers: 10, pages: 400, templates: 8, weeks: 41}
		runs, budgets = 4, []float64{0.01, 0.02, 0.05, 0.1}
	}
	for _, budget := range budgets {
		o := StreamOptions{Weeks: web.weeks - 1, Budget: budget, Seed: 1, Runs: runs}
		coverage := func(named bool, policy string) float64 {
			web.named = named
			r, err := newCorpus(t, web.histories(1), Options{Base: week}).Stream(t.Context(), o,
				[]string{policy}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%2.0f %% a day, templates named by directories: %-5v  %-11s  coverage %.3f, "+
				"freshness %.3f", 100*budget, named, policy, float64(r.Results[0].Coverage),
				float64(r.Results[0].Freshness))
			return float64(r.Results[0].Coverage)
		}
		published, with, known := coverage(false, "hier"), coverage(false, "sites"),
			coverage(true, "sites")
		coverage(false, "clairvoyant")
		if budget >= 0.05 && with < published+(known-published)/2 {
			t.Errorf("coverage %.3f where templates are to be found, %.3f by hier, which does not "+
				"look for them, %.3f where they are known", with, published, known)
		}
	}
}

package schedule

import (
	"fmt"
	"math/rand/v2"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner/schedule"
	"github.com/recrawl/recrawl/planner/schedule/simulate"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Source is servers, from wherever they come.
type Source struct {
	Name      string
	Demands   []schedule.Demand
	web       *simulate.Web // nil: made of the demands
	generated int           // servers
	assumed   int           // servers of which no download was observed
	warnings  []string      // what is doubtful of them
}

// Generated is a generated web; see simulate.Generate.
func Generated(servers int, seed uint64, least schedule.Tick) (*Source, error) {
	web, err := simulate.Generate(servers, seed)
	if err != nil {
		return nil, err
	}
	return &Source{Name: "the generator", Demands: web.Demands(least), web: web,
		generated: servers}, nil
}

// Demanded is what is wanted of servers. Where no download was observed, one is taken to take a
// given time.
func Demanded(name string, demands []schedule.Demand, assumed schedule.Tick) *Source {
	s := &Source{Name: name, Demands: demands}
	for i := range demands {
		if d := &demands[i]; d.Times.Count == 0 && d.Number() > 0 {
			d.Times.Mean, d.Times.Max = assumed, assumed
			s.assumed++
		}
	}
	if s.assumed > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("of %s no download was observed; --download "+
			"says how long one takes", words.Plural(s.assumed, "server")))
	}
	return s
}

// OfHistories is what servers with recorded histories want: each page at the time between its
// changes, half a change more than were seen, in the window of a history.
func OfHistories(servers []*history.Server, least schedule.Tick) (all []schedule.Demand) {
	window := eval.WindowWeeks * 7 * float64(schedule.Day)
	for _, s := range servers {
		d := schedule.Demand{Name: s.Name, Least: least}
		for _, p := range s.Pages {
			d.Pages = append(d.Pages,
				schedule.Pages{Interval: schedule.Tick(window / (float64(len(p.Versions)-1) +
					0.5))})
		}
		all = append(all, d)
	}
	return all
}

// Webs are webs to simulate: the source, and others like it: generated with the next seeds, or
// resamples of its servers.
func (s *Source) Webs(number int, seed uint64, least schedule.Tick) ([]*simulate.Web, error) {
	first := s.web
	if first == nil {
		first = &simulate.Web{PageBytes: simulate.PageBytes}
		for i := range s.Demands {
			if d := &s.Demands[i]; d.Number() > 0 {
				first.Add(d.Name, d.Load().Interval(), logOf(d.Times))
			}
		}
	}
	if len(first.Servers) == 0 {
		return nil, fmt.Errorf("simulate %s: no server of it wants a visit", s.Name)
	}
	webs := []*simulate.Web{first}
	for i := 1; i < number; i++ {
		if s.generated > 0 {
			web, err := simulate.Generate(s.generated, seed+uint64(i))
			if err != nil {
				return nil, err
			}
			webs = append(webs, web)
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		web := &simulate.Web{PageBytes: first.PageBytes, Took: first.Took}
		for range first.Servers {
			web.Servers = append(web.Servers, first.Servers[rng.IntN(len(first.Servers))])
		}
		webs = append(webs, web)
	}
	return webs, nil
}

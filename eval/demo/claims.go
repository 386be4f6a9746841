package demo

import (
	"context"
	"mime"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

// Claims measures the gain by feeds, sitemaps and Last-Modified on a web: the same policy over HTTP
// with and without them. Visits to feeds and sitemaps take part of the budget.
type Claims struct {
	There []SourcesThere `json:"there"`
	Runs  []ClaimsRun    `json:"runs"`
}

// SourcesThere counts the files of a kind at the end of the weeks, linked or not.
type SourcesThere struct {
	Kind    string `json:"kind"`
	Files   int    `json:"files"`
	Servers int    `json:"servers"`
}

// ClaimsRun is one run over HTTP, with its own base crawl.
type ClaimsRun struct {
	Policy       string            `json:"policy"`
	Sources      bool              `json:"sources"`       // visit feeds and sitemaps
	LastModified bool              `json:"last_modified"` // use Last-Modified of answers
	Result       eval.StreamResult `json:"result"`
}

// claimsRuns returns the runs to compare: with everything, without belief in claims of feeds and
// sitemaps, without these, and also without Last-Modified.
func claimsRuns(name string) []ClaimsRun {
	runs := []ClaimsRun{{Policy: name, Sources: true, LastModified: true}}
	if name == policy.Default {
		runs = append(runs, ClaimsRun{Policy: policy.Default + "-without-claims", Sources: true,
			LastModified: true})
	}
	return append(runs, ClaimsRun{Policy: name, LastModified: true}, ClaimsRun{Policy: name})
}

// claims measures the gain of the policy by sources.
func (s *show) claims(ctx context.Context, p plan) (*Claims, error) {
	end := s.corpus.Base.Add(time.Duration(p.stream.Weeks) * 7 * 24 * time.Hour)
	r := &Claims{There: sourcesOf(s.web, end), Runs: claimsRuns(p.policy)}
	bar := s.progress("days over HTTP, with feeds and sitemaps and without",
		7*p.stream.Weeks*len(r.Runs))
	defer bar.End()
	return r, machine.TryOnCores(len(r.Runs), func(i int) error {
		return s.claimsOf(ctx, &r.Runs[i], p.stream, bar.Step)
	})
}

// claimsOf crawls the web and keeps it fresh over HTTP, with the evidence that a run may use.
func (s *show) claimsOf(ctx context.Context, r *ClaimsRun, o eval.StreamOptions,
	tick func()) error {
	clock := crawl.NewVirtualClock(s.corpus.Base.Add(-24 * time.Hour))
	world, err := timetravel.NewWorld(s.web, clock, timetravel.Visitor{UserAgent: agent})
	if err != nil {
		return err
	}
	defer world.Close()
	stage := eval.Stage{Graph: sitegraph.NewGraph(), Store: history.NewMemoryStore(),
		Fetcher: world,
		Clock:   clock}
	if r.Sources {
		stage.Sources = planner.LiveOptions().SourceShare
	}
	if !r.LastModified {
		stage.Fetcher = undated{world}
	}
	if err := s.corpus.Crawl(ctx, stage); err != nil {
		return err
	}
	if err := stage.Remember(); err != nil {
		return err
	}
	r.Result, err = s.corpus.StreamOn(ctx, stage, o, r.Policy, tick)
	return err
}

// undated is a world without times of versions. Servers are still asked by ETag whether a page has
// changed.
type undated struct{ crawl.Fetcher }

func (u undated) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	o, err := u.Fetcher.Fetch(ctx, r)
	o.LastModified = time.Time{}
	return o, err
}

// sourcesOf counts the feeds and sitemaps of a web at a time.
func sourcesOf(web timetravel.Archive, at time.Time) []SourcesThere {
	there := []SourcesThere{{Kind: planner.Sitemap.String()}, {Kind: planner.Feed.String()}}
	for _, server := range web.Servers() {
		var files [2]int
		for _, path := range web.Paths(server) {
			r := web.Resource(server, path, at)
			kind, _, _ := mime.ParseMediaType(r.Type)
			if r.Status != 200 || !strings.Contains(kind, "xml") || strings.Contains(kind, "html") {
				continue
			}
			switch listing, err := feeds.Read(r.Body, r.Type, "http://"+server+path); {
			case err != nil:
			case listing.Kind == sitegraph.SourceFeed:
				files[1]++
			default:
				files[0]++
			}
		}
		for i, n := range files {
			there[i].Files += n
			if n > 0 {
				there[i].Servers++
			}
		}
	}
	return there
}

package demo

import (
	"context"

	"github.com/recrawl/recrawl/eval/timetravel"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

// Kept counts what a demo left in an archive.
type Kept struct {
	Directory string `json:"directory"`
	Captures  int    `json:"captures"` // robots.txt included
	Revisits  int    `json:"revisits"` // captures with the body of an earlier one
}

// openArchive opens the archive of a directory, with times of the clock; nil for "".
func openArchive(dir string, clock *crawl.VirtualClock) (*archive.Archive, error) {
	if dir == "" {
		return nil, nil
	}
	return archive.Open(dir, archive.Options{Software: "recrawl demo", UserAgent: agent,
		Now: clock.Now})
}

// taking returns a function that stores a world's visits in an archive; nil for none.
func taking(a *archive.Archive) timetravel.Take {
	if a == nil {
		return nil
	}
	return func(
		ctx context.Context, r crawl.Request,
		visit func(context.Context, sitegraph.Record) (sitegraph.Observation, error),
	) (sitegraph.Observation, error) {
		v := archive.Visit{Reason: r.Visit.Reason, Probability: r.Visit.Probability,
			First: r.Visit.First}
		o, err := a.Take(ctx, v, &r.Record,
			func(ctx context.Context, rec *sitegraph.Record) (*sitegraph.Observation, error) {
				o, err := visit(ctx, *rec)
				return &o, err
			})
		return *o, err
	}
}

// archiving is a world with an archive that is durable before each commit.
type archiving struct {
	*timetravel.World
	archive *archive.Archive
}

func (a archiving) Recall(string, func(string) ([]byte, bool, error)) error { return nil }

func (a archiving) Keep(func(string, []byte) error) error { return a.archive.Sync() }

// keptIn counts the content of an archive; nil for none.
func keptIn(dir string, a *archive.Archive) (*Kept, error) {
	if a == nil {
		return nil, nil
	}
	if err := a.Sync(); err != nil {
		return nil, err
	}
	r, err := archive.OpenReader(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	k := &Kept{Directory: dir}
	return k, r.Each(func(c *archive.Capture) error {
		k.Captures++
		if c.MIME == archive.Revisit {
			k.Revisits++
		}
		return nil
	})
}

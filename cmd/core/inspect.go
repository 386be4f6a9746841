package core

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *Program) inspectCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "inspect --data DIRECTORY",
		Args: noArguments,
	}, p.inspect)
}

func (p *Program) inspect(ctx context.Context, _ []string) error {
	store, err := p.openStore()
	if err != nil {
		return p.instead(err, func(c dashboard.Command) error {
			return c.Print(ctx, "inspect", nil)
		})
	}
	defer store.Close() // nothing was written
	r, err := present.Inspect(store)
	if err != nil {
		return err
	}
	lessons, err := p.lessons(store)
	if err != nil {
		return err
	}
	traffic, err := crawl.TrafficOf(store)
	if err != nil {
		return err
	}
	page := r.Page()
	if traffic.Visits > 0 {
		sizes := &page.Sections[0].Tables[0]
		sizes.Rows = append(sizes.Rows, []string{"read and written", traffic.String()})
	}
	page.Sections[0].Tables = append(page.Sections[0].Tables, present.Lessons(lessons)...)
	return p.Publish(struct {
		*present.Inspected
		Learnt  []planner.Lesson `json:"learnt"` // learnt by the policy from its visits
		Traffic crawl.Traffic    `json:"traffic"`
	}{r, lessons, traffic}, page, "")
}

// lessons returns what the policy has learnt from the visits in a store.
func (p *Program) lessons(store *satstore.Store) ([]planner.Lesson, error) {
	ranking, err := policy.New(policy.Default,
		policy.Settings{Pages: planner.NewPages(sitegraph.NewGraph()), Mode: planner.Stream})
	if err != nil {
		return nil, err
	}
	learner, ok := ranking.(planner.Learner)
	if !ok {
		return []planner.Lesson{}, nil
	}
	if err := crawl.RecallLearnt(store, ranking); err != nil {
		p.Warn(err.Error() + "; it begins anew")
	}
	return learner.Lessons(), nil
}

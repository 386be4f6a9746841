package lab

import (
	"context"
	"errors"

	"github.com/recrawl/recrawl/cmd/core"
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/papers"
	"github.com/recrawl/recrawl/eval/tidy"
)

func surveyServers(ctx context.Context, p *core.Program, paths []string) error {
	c := p.Config()
	if err := p.Outputs(c.Survey.HTML); err != nil {
		return err
	}
	groups, err := core.ReadGroups(c.Survey.Group) // first, because histories take longer
	if err != nil {
		return err
	}
	tables, err := p.Tables(tidy.ForSurvey...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	servers, err := p.ReadHistories(ctx, paths)
	if err != nil {
		return err
	}
	corpus, err := p.CorpusAt(ctx, "survey", servers, c.Survey.Base, eval.Options{})
	if err != nil {
		return err
	}
	groupOf, warnings := groups.ByFile(c.Survey.Group, c.Survey.GroupBy, servers)
	if c.Survey.Unfit != "" {
		warnings = append(warnings, c.Survey.Unfit)
	}
	bar := p.Progress("surveying", len(servers))
	s, err := papers.NewSurvey(ctx, corpus, papers.SurveyOptions{Weeks: c.Survey.Weeks,
		GroupOf: groupOf, Tick: bar.Step})
	bar.End()
	if errors.Is(err, eval.ErrNoLinks) {
		return core.NoLinks(c.Survey.Base)
	}
	if err != nil {
		return err
	}
	s.Warnings = append(warnings, s.Warnings...)
	p.Warn(s.Warnings...)
	if err := p.Commit(tables, tidy.WriteSurvey(tables, s)); err != nil {
		return err
	}
	return p.Publish(s, show.SurveyPage(s), c.Survey.HTML)
}

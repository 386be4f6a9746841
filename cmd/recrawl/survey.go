package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/survey"
	"github.com/recrawl/recrawl/eval/tidy"
)

func (p *program) surveyCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:  "survey FILE|DIRECTORY...",
		Args: someHistories,
	}, p.survey)
}

func (p *program) survey(ctx context.Context, paths []string) error {
	c := &p.config
	if err := p.outputs(c.Survey.HTML); err != nil {
		return err
	}
	groups, err := readGroups(c.Survey.Group) // before the histories: they take longer
	if err != nil {
		return err
	}
	tables, err := p.tables(tidy.ForSurvey...)
	if err != nil {
		return err
	}
	defer tables.Discard()
	servers, err := p.readHistories(ctx, paths)
	if err != nil {
		return err
	}
	corpus, err := p.corpusAt(ctx, "survey", servers, c.Survey.Base, eval.Options{})
	if err != nil {
		return err
	}
	groupOf, warnings := groups.ByFile(c.Survey.Group, c.Survey.GroupBy, servers)
	if c.Survey.Unfit != "" {
		warnings = append(warnings, c.Survey.Unfit)
	}
	bar := p.progress("surveying", len(servers))
	s, err := survey.New(ctx, corpus, survey.Options{Weeks: c.Survey.Weeks, GroupOf: groupOf,
		Tick: bar.Step})
	bar.End()
	if errors.Is(err, eval.ErrNoLinks) {
		return noLinks(c.Survey.Base)
	}
	if err != nil {
		return err
	}
	s.Warnings = append(warnings, s.Warnings...)
	p.warn(s.Warnings...)
	if err := p.commit(tables, tidy.WriteSurvey(tables, s)); err != nil {
		return err
	}
	return p.publish(s, papers.SurveyPage(s), c.Survey.HTML)
}

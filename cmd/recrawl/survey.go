package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/survey"
)

func (p *program) surveyCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:   "survey FILE|DIRECTORY...",
		Short: "How servers and their pages change",
		Long: `survey describes how recorded servers and their pages change, in the form of two papers: servers,
pages and the share of pages updated, by period and group [LINK tables 1, 2]; whether updated top
pages indicate updated servers [LINK table 3, fig. 1]; how often pages are updated [LINK fig. 10,
11]; and at which intervals they would be visited [SAT fig. 2].

A period of N weeks is N weekly snapshots from the base on. Its pages are those alive at the base
and within 11 links of the start page. Pages not alive at the last snapshot (vanished) are counted
separately, and so are new ones. A page is updated if two successive snapshots differ; the total of
"first against last" is shown, too. Top pages are the start page and its frames.

Groups are the suffixes of the servers' names (org, co.jp), or come from a file with lines
"server group", separated by blanks or tabs.

` + survey.JSON,
		Example: `  recrawl survey histories/ --html survey.html
  recrawl survey histories/ --weeks 2,4,12,24 --change main --group kinds.tsv
  recrawl survey histories/ --json | jq '.total.periods[] | [.weeks, .updated_share]'`,
		Args: someHistories,
	}, p.survey)
}

func (p *program) survey(ctx context.Context, paths []string) error {
	c := &p.config
	if err := writable(c.Survey.HTML); err != nil {
		return err
	}
	groups, err := readGroups(c.Survey.Group) // before the histories: they take longer
	if err != nil {
		return err
	}
	servers, err := p.readHistories(ctx, paths)
	if err != nil {
		return err
	}
	corpus, err := p.corpusAt(ctx, "survey", servers, c.Survey.Base, eval.Options{})
	if err != nil {
		return err
	}
	groupOf, warnings := groups.ByFile(c.Survey.Group, c.Survey.GroupBy, servers)
	if c.Survey.unfit != "" {
		warnings = append(warnings, c.Survey.unfit)
	}
	bar := p.progress("surveying", len(servers))
	s, err := survey.New(ctx, corpus, survey.Options{Weeks: c.Survey.Weeks, GroupOf: groupOf, Tick: bar.Step})
	bar.End()
	if errors.Is(err, eval.ErrNoLinks) {
		return noLinks(c.Survey.Base)
	}
	if err != nil {
		return err
	}
	s.Warnings = append(warnings, s.Warnings...)
	p.warn(s.Warnings...)
	return p.publish(s, s.Page(), c.Survey.HTML)
}

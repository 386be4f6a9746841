package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/survey"
)

// SurveyConfig are the settings of survey.
type SurveyConfig struct {
	Weeks   []int
	Base    int    // weeks after the window's start
	Group   string // file
	GroupBy string `mapstructure:"group-by"` // suffix, server or none
	HTML    string
}

func (c *SurveyConfig) check(bad refuse) {
	if c.Base < 0 || c.Base >= survey.WindowWeeks {
		bad("survey.base", c.Base, fmt.Sprintf("0 to %d", survey.WindowWeeks-1))
		return // what --weeks may be hangs on it
	}
	for _, weeks := range c.Weeks {
		if err := survey.Check(c.Base, weeks); err != nil {
			bad("survey.weeks", weeks, fmt.Sprintf("2 to %d (%v)", survey.WindowWeeks-c.Base+1, err))
		}
	}
	if len(c.Weeks) == 0 {
		bad("survey.weeks", "(none)", "a list as 2,4,12,24")
	}
	if !slices.Contains([]string{"suffix", "server", "none"}, c.GroupBy) {
		bad("survey.group-by", c.GroupBy, "suffix, server or none")
	}
}

func (p *program) surveyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "survey FILE|DIRECTORY...",
		Short: "How servers and their pages change",
		Long: `survey describes recorded page histories in the form of two papers: servers, pages and
the share of pages updated by period and group [LINK tables 1, 2], whether updated top
pages tell of updated servers [LINK table 3, fig. 1], how often pages are updated [LINK
fig. 10, 11], and at which intervals they would be visited [SAT fig. 2].

A period of N weeks is N weekly snapshots from the base on. Pages are those alive at the
base and within 11 links of the start page; of these, pages not alive at the last
snapshot (vanished) are counted apart, and so are new ones. A page is updated if two
successive snapshots differ (the total of "first against last" stands beside it). Top
pages are the start page and its frames.

Groups are the ends of the servers' names (org, co.jp), or come from a file with lines
"server group", blanks or tabs between.

--json prints {"base","change","weeks":[N],"groups":[GROUP],"total":GROUP,"intervals":[],
"warnings":[]}. GROUP: {"group","servers","absent","pages","pages_per_server","tops",
"unlinked","periods":[{"weeks","pages","vanished","new","returned","updated",
"updated_share","differ","differ_share","tops","tops_updated","tops_updated_share",
"by_top":{"servers","pages","updated","of_updated","of_pages","of_servers"},
"updates":[pages with 0, 1, ... N-1 updates]}]}. intervals: {"unit","limit",
"last_modified","days","pages","visited_once","never_changed","points":[{"interval",
"pages","share","weighted"}]}, shares cumulative. Groups are in order of their names,
periods as in --weeks; shares are of 1, those of nothing null.`,
		Example: `  recrawl survey histories/ --html survey.html
  recrawl survey histories/ --weeks 2,4,12,24 --change main --group kinds.tsv
  recrawl survey histories/ --json | jq '.total.periods[] | [.weeks, .updated_share]'`,
		Args: someHistories,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.survey(cmd.Context(), args)
		},
	}
	addSettings(cmd)
	return cmd
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
	corpus, err := eval.NewCorpus(ctx, servers, eval.Options{Base: time.Duration(c.Survey.Base) * week, Change: c.changeBy()})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return usageError{err, "a history must have its start page, and hold it at the base; recrawl survey --help explains the base"}
	}
	groupOf, warnings := c.Survey.grouping(groups, servers)
	bar := p.progress("surveying", len(servers))
	s, err := survey.New(ctx, corpus, survey.Options{Weeks: c.Survey.Weeks, GroupOf: groupOf, Tick: bar.step})
	bar.end()
	if errors.Is(err, survey.ErrNoLinks) {
		return usageError{err, `pages are those within 11 links of the start page: take histories whose lines have "links", or another --base`}
	}
	if err != nil {
		return err
	}
	s.Warnings = append(warnings, s.Warnings...)
	for _, w := range s.Warnings {
		fmt.Fprintf(p.stderr, "recrawl: warning: %s\n", w)
	}
	return p.publish(s, s.Page(), c.Survey.HTML)
}

// readGroups reads a group file; nil if none is asked for.
func readGroups(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read groups: %w", err)
	}
	defer f.Close()
	groups, err := survey.ReadGroups(f, path)
	if err != nil {
		return nil, usageError{fmt.Errorf("read groups: %w", err), "one server and its group a line, blanks or tabs between: www.example.org OR"}
	}
	return groups, nil
}

// grouping says which group a server is in, and what of a group file does not fit.
func (c *SurveyConfig) grouping(groups map[string]string, servers []*history.Server) (groupOf func(string) string, warnings []string) {
	warnings = []string{}
	switch {
	case groups != nil:
	case c.GroupBy == "server":
		return func(server string) string { return server }, warnings
	case c.GroupBy == "none":
		return func(string) string { return "all" }, warnings
	default:
		return survey.BySuffix, warnings
	}
	var names []string
	missing := 0
	for _, s := range servers {
		names = append(names, s.Name)
		if groups[s.Name] == "" {
			missing++
		}
	}
	for _, server := range slices.Sorted(maps.Keys(groups)) {
		if !slices.Contains(names, server) {
			warnings = append(warnings, fmt.Sprintf("%s: no history is of server %s", c.Group, server))
		}
	}
	if missing > 0 {
		warnings = append(warnings, fmt.Sprintf("%s names no group for %d of %d servers; they are group %q", c.Group, missing, len(servers), survey.Ungrouped))
	}
	return func(server string) string {
		if g, ok := groups[server]; ok {
			return g
		}
		return survey.Ungrouped
	}, warnings
}

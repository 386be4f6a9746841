package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/sites"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
)

func (p *program) explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "explain --data DIRECTORY URL",
		Short:   "Everything known of a page, and when it is next and why",
		Example: "  recrawl explain --data crawl https://example.org/news/",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("explain takes one address, not %d", len(args)), "recrawl explain --data DIRECTORY URL"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.explain(args[0])
		},
	}
	addSettings(cmd)
	return cmd
}

// explanation is everything known of a page.
type explanation struct {
	URL          string           `json:"url"`
	State        string           `json:"state"`
	Status       int              `json:"status"`
	Server       string           `json:"server"`
	Depth        int              `json:"depth"` // 0: not reached from a start page
	Links        int              `json:"links"` // in-server, of the last snapshot
	Site         siteOf           `json:"site"`
	Referer      string           `json:"referer"`
	FirstCopy    *time.Time       `json:"first_copy"`
	LastVisit    *time.Time       `json:"last_visit"`
	LastChange   *time.Time       `json:"last_change"`
	Visits       uint32           `json:"visits"`
	Changes      uint32           `json:"changes"`
	Errors       uint8            `json:"errors"`
	Misses       uint8            `json:"misses"` // answers in a row that it is not to be had; of a page that left: since then
	NoIndex      bool             `json:"noindex"`
	ETag         string           `json:"etag"`
	LastModified *time.Time       `json:"last_modified"`
	Digest       *string          `json:"digest"` // null: no copy yet
	Estimates    []estimateResult `json:"estimates"`
	Evidence     *evidenceResult  `json:"evidence"` // null: the policy has none, or there is no copy
	Due          *time.Time       `json:"due"`
	Reason       string           `json:"reason"`
	Turn         int              `json:"turn"`    // its place in what plan shows; 0: not in that round
	WhyNot       string           `json:"why_not"` // what budget or weight keeps it out of that round; "": none
	Weight       float64          `json:"weight"`  // what a change is worth to the user
	Hint         *hintResult      `json:"hint"`    // null: no feed or sitemap names it

	round planner.Round // the one of Turn
}

// webAddress is the page that an argument names.
func webAddress(raw string) (string, error) {
	address, err := sitegraph.Canonical(raw)
	if err == nil {
		return address, nil
	}
	var parsing *url.Error // in words of a parser, about parts of the address
	if errors.As(err, &parsing) || !strings.Contains(raw, "://") {
		err = fmt.Errorf("%.120q is not a whole web address", raw)
	}
	return "", usageError{err, "give whole addresses, with http:// or https://"}
}

// siteOf is a page's place in the partition by directories.
type siteOf struct {
	Tops  []string `json:"tops"`
	IsTop bool     `json:"is_top"`
	Pages int      `json:"pages"`
}

func (p *program) explain(raw string) error {
	address, err := webAddress(raw)
	if err != nil {
		return err
	}
	o, err := p.open(true)
	if err != nil {
		return err
	}
	defer o.store.Close() // nothing was written
	page, ok := o.corpus.Graph.Lookup(address)
	if !ok {
		return usageError{fmt.Errorf("%s is not known in %s", address, p.config.Data), p.nearMiss(o, address)}
	}
	var record sitegraph.Record
	if err := o.store.Load(page, &record); err != nil {
		return err
	}
	e, err := o.explanation(&p.config, &record)
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(e)
	}
	return p.printExplanation(e)
}

// nearMiss helps with an address that is not known.
func (p *program) nearMiss(o *opened, address string) string {
	server, ok := o.corpus.Graph.LookupServer(sitegraph.ServerName(address))
	if !ok {
		return "no page of that server is known; recrawl run --data " + p.config.Data + " URL adds it"
	}
	return fmt.Sprintf("known of that server: %s; recrawl sites --data %s %s lists them", report.Plural(len(o.corpus.Graph.ServerPages(server)), "page"), p.config.Data, sitegraph.ServerName(address))
}

func (o *opened) explanation(c *Config, r *sitegraph.Record) (explanation, error) {
	g := o.corpus.Graph
	visits, round, err := o.upcoming(c, o.corpus.Pages())
	if err != nil {
		return explanation{}, err
	}
	h := r.History
	e := explanation{URL: r.URL, State: r.State.String(), Status: r.Status, Server: g.ServerName(g.Server(r.Page)), Depth: g.Depth(r.Page),
		Links: len(g.Links(r.Page)), Referer: r.Referer, Visits: h.Visits, Changes: h.Changes, Errors: r.Errors, Misses: r.Misses, NoIndex: r.NoIndex, ETag: r.ETag,
		LastModified: moment(r.LastModified), Due: moment(r.Due), Reason: r.Reason, Site: o.siteOf(r.Page), round: round}
	if !r.Digests.Bytes.IsZero() {
		digest := r.Digests.Bytes.String()
		e.Digest = &digest
	}
	if h.Visits > 0 {
		first := time.Unix(int64(h.Epoch), 0).UTC()
		last := h.LastVisit()
		e.FirstCopy, e.LastVisit = &first, &last
		if h.LastChange > 0 {
			change := time.Unix(int64(h.LastChange), 0).UTC()
			e.LastChange = &change
		}
		age := h.Age(time.Now())
		e.Estimates = o.estimates(r, age)
		e.Evidence = o.evidence(c.Policy, r.Page, round.End)
	}
	e.Turn = 1 + slices.IndexFunc(visits, func(v planner.Visit) bool { return v.Page == r.Page })
	e.Weight, e.Hint = o.corpus.Weight(r.Page), o.hint(r.Page)
	if e.Turn == 0 {
		e.WhyNot = o.plan.WhyNot(r.Page)
	}
	return e, nil
}

func (o *opened) siteOf(page sitegraph.PageID) siteOf {
	g := o.corpus.Graph
	partition := g.PartitionA(g.Server(page), nil)
	for _, site := range partition.Sites {
		if !g.SameDirectory(site.Tops[0], page) {
			continue
		}
		s := siteOf{Pages: len(site.Tops) + len(site.Members)}
		for _, top := range site.Tops {
			s.Tops = append(s.Tops, g.URL(top))
			s.IsTop = s.IsTop || top == page
		}
		return s
	}
	return siteOf{}
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (p *program) printExplanation(e explanation) error {
	show := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.UTC().Format(time.RFC3339)
	}
	orDash := func(s string) string { return cmp.Or(s, "-") }
	planned := "not in the round that ends " + inUTC(e.round.End)
	if e.WhyNot != "" {
		planned += ": " + e.WhyNot
	}
	if e.Turn > 0 {
		planned = fmt.Sprintf("in the round that ends %s: visit %d", inUTC(e.round.End), e.Turn)
	}
	digest := "-"
	if e.Digest != nil {
		digest = *e.Digest
	}
	role := "member"
	if e.Site.IsTop {
		role = "top"
	}
	tops := report.Shorten(e.Site.Tops, sites.ShownTops, " ")
	if len(e.Site.Tops) > sites.ShownTops {
		tops += " (--json has all)"
	}
	t := report.Table{Title: e.URL, Header: []string{"what", "is"}, Rows: [][]string{
		{"planned", planned},
		{"due", show(e.Due)},
		{"because", orDash(e.Reason)},
		{"state", e.standing()},
		{"server, depth", fmt.Sprintf("%s, %d", e.Server, e.Depth)},
		{"site", fmt.Sprintf("%s of %s; top %s", role, report.Plural(e.Site.Pages, "page"), tops)},
		{"found on", orDash(e.Referer)},
		{"first copy, last visit", show(e.FirstCopy) + ", " + show(e.LastVisit)},
		{"visits, changes seen", fmt.Sprintf("%d, %d", e.Visits, e.Changes)},
		{"last change seen", show(e.LastChange)},
		{"ETag, Last-Modified", orDash(e.ETag) + ", " + show(e.LastModified)},
		{"digest", digest},
		{"hint", e.Hint.String()},
	}}
	if e.Weight != 1 {
		t.Rows = append(t.Rows, []string{"weight", fmt.Sprint(e.Weight)})
	}
	if err := t.Text(p.stdout); err != nil {
		return err
	}
	if err := p.printEvidence(e.Evidence); err != nil {
		return err
	}
	return p.printEstimates(e.Estimates)
}

// standing says where the page stands, and what speaks against it.
func (e *explanation) standing() string {
	text := fmt.Sprintf("%s (last status %d, %s in a row)", e.State, e.Status, report.Plural(int(e.Errors), "failure"))
	switch {
	case e.Misses > 0 && e.State == sitegraph.StateAlive.String():
		text += fmt.Sprintf("; its last %s it is not to be had, which is no proof yet", report.Plural(int(e.Misses), "answer")+" said that")
	case e.Misses > 1:
		text += fmt.Sprintf("; looked at %s since it left", report.Plural(int(e.Misses)-1, "time"))
	}
	if e.NoIndex {
		text += "; it asks not to be indexed"
	}
	return text
}

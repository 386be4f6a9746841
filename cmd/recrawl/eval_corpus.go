package main

import (
	"context"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/survey"
)

// corpusAt crawls recorded servers as they stood at the base, for a command.
func (p *program) corpusAt(ctx context.Context, command string, servers []*history.Server, base int, o eval.Options) (*eval.Corpus, error) {
	o.Base, o.Change = time.Duration(base)*week, p.config.changeBy()
	corpus, err := eval.NewCorpus(ctx, servers, o)
	switch {
	case err == nil || ctx.Err() != nil:
		return corpus, err
	case len(servers) == 1:
		if better := topPageThere(servers[0], base); better != nil {
			return nil, better
		}
	}
	return nil, usageError{err, "a history must have its top page, and hold it at the base; recrawl " + command + " --help explains the base"}
}

// noLinks refuses histories of which none tells which page links to which.
func noLinks(base int) error {
	return usageError{fmt.Errorf("%w, week %d", survey.ErrNoLinks, base),
		`pages are those within 11 links of the start page: take histories whose lines have "links", or another --base`}
}

// evalCorpus says on standard error which servers tell less than the others, and refuses those of
// which all tell too little.
func (p *program) evalCorpus(ctx context.Context, servers []*history.Server) (*eval.Corpus, error) {
	c := &p.config.Eval
	corpus, err := p.corpusAt(ctx, "eval", servers, c.Base, eval.Options{History: c.History})
	if err != nil {
		return nil, err
	}
	linkless, absent := 0, 0
	var warnings []string
	for _, s := range servers {
		switch base, alive, linked := censusAt(corpus, s, c.Base); {
		case base == 0:
			absent++
			warnings = append(warnings, fmt.Sprintf("%s has no page at week %d that is reached from its top page; it counts for nothing", s.Name, c.Base))
		case base < alive && !linked:
			linkless++
			warnings = append(warnings, fmt.Sprintf("the history of %s tells no links at week %d: only its start page counts, %d other pages are left out", s.Name, c.Base, alive-base))
		}
	}
	if linkless == len(servers)-absent {
		return nil, noLinks(c.Base)
	}
	for _, w := range append(warnings, c.unfit) {
		p.warn(w)
	}
	return corpus, nil
}

// censusAt counts the base pages of a server and those alive at the base, and finds out
// whether any of them tells of links, be it that it has none.
func censusAt(corpus *eval.Corpus, s *history.Server, base int) (reached, alive int, linked bool) {
	for _, page := range s.Pages {
		if v := page.At(atWeek(s, base)); v.Alive() {
			alive++
			linked = linked || v.LinksKnown
		}
	}
	g := corpus.Graph()
	if id, ok := g.LookupServer(s.Name); ok {
		for _, page := range g.ServerPages(id) {
			if corpus.IsBase(page) {
				reached++
			}
		}
	}
	return reached, alive, linked
}

// warn says what is to be doubted; nothing if the text is empty.
func (p *program) warn(text string) {
	if text != "" {
		fmt.Fprintf(p.stderr, "recrawl: warning: %s\n", text)
	}
}

// allVanished says that a horizon has nothing to compare; "" if it has.
func allVanished(weeks, pages, vanished int) string {
	if pages > 0 || vanished == 0 {
		return ""
	}
	return fmt.Sprintf("N = %d weeks: all %d pages have vanished by then, so there is nothing to compare", weeks, vanished)
}

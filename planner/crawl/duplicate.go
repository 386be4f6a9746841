package crawl

import (
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// duplicate treats a page as a redirect to the page that it names as canonical (rel=canonical, RFC
// 6596), if that page has a copy with the same text. An unknown canonical page becomes known like a
// linked one, and later visits compare the two. So a site that names its home page everywhere loses
// nothing.
func (l *Loop) duplicate(r *sitegraph.Record, o *sitegraph.Observation) error {
	if l.Bounds == nil || o.Canonical == "" || o.Outcome != sitegraph.OutcomeFetched ||
		r.State == sitegraph.StateSource {
		return nil
	}
	q, known := l.graph.Lookup(o.Canonical)
	if !known {
		if o.LinksKnown && !slices.Contains(o.Links, o.Canonical) {
			o.Links = append(slices.Clip(o.Links), o.Canonical)
		}
		return nil
	}
	if q == r.Page || l.Planner.Pages.Memory(q).State != sitegraph.StateAlive ||
		slices.Contains(l.graph.StartPages(l.graph.Server(r.Page)), r.Page) {
		return nil
	}
	var other sitegraph.Record
	if err := l.Store.Load(q, &other); err != nil {
		return l.storeError(err, "load record of %s", o.Canonical)
	}
	here, there := o.Digests, other.Digests
	// a rule may leave the same text of two different pages
	here.Main, there.Main = sitegraph.Digest{}, sitegraph.Digest{}
	if o.Digests.Text == sitegraph.DigestOf(nil) || there.Differ(here, sitegraph.ChangeByText) {
		return nil // pages without text, for example filled by scripts, look like any other
	}
	o.Outcome, o.RedirectTo, o.Detail = sitegraph.OutcomeRedirected, o.Canonical,
		"the same as the page that it names as canonical"
	return nil
}

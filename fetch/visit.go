package fetch

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/sitegraph"
)

// once makes a visit if its turn has come.
//
// A thousand visits may wait for their pages in here. So observations and records are passed by
// pointer: each copy would take 800 octets of every stack.
func (c *Client) once(ctx context.Context, rec *sitegraph.Record) (*sitegraph.Observation, error) {
	o := &sitegraph.Observation{URL: rec.URL}
	u, err := url.Parse(rec.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		c.excluded(o, "not an address of a web page")
		return o, nil
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""

	policy, err := c.robotsFor(ctx, u, int(rec.Errors))
	switch {
	case isLocal(err):
		c.unasked(o, err)
		return o, err
	case err != nil:
		return o, err
	}
	switch {
	case policy.refused != nil:
		c.unasked(o, policy.refused)
		return o, nil
	case policy.unreachable != "":
		o.Time, o.Trouble, o.Elapsed = c.clock.Now(), policy.trouble, policy.elapsed
		o.Outcome, o.Detail = sitegraph.OutcomeFailed, "robots.txt: "+policy.unreachable
		if !policy.asked { // no request was sent: the visit that asked reported the failure
			return o, &notYet{until: policy.retry, unreachable: true}
		}
		// Not policy.retry: pages of the server under another scheme need not wait that long.
		o.NotBefore = policy.after
		if policy.wished.After(o.NotBefore) {
			o.NotBefore = policy.wished
		}
		return o, nil
	case !policy.rules.Allowed(u.RequestURI()):
		c.excluded(o, "robots.txt")
		o.ByRobots, o.Robots = true, policy.rules.Fingerprint()
		o.NotBefore = policy.after // the server was asked only for robots.txt
		return o, nil
	}

	o.Sources, o.Robots = policy.sources, policy.rules.Fingerprint()
	delay, _ := policy.rules.Delay()
	rule := c.o.Rules.For(o.URL)
	if rec.State == sitegraph.StateAlive {
		o.CopyMain = c.reread(ctx, rec, rule)
		if o.CopyMain.IsZero() && !rule.Made(rec.Digests.Main) {
			rec = rec.Unconditional() // the digest of the copy is by another rule
		}
	}
	header, conditional := requestHeader(rec, rule.JSON(),
		c.o.Documents != 0 || c.isWatched(o.URL))
	limit := c.o.MaxBody
	if rec.State == sitegraph.StateSource {
		limit = c.o.MaxSource
	}
	if err := c.probe(ctx, u, int(rec.Errors), policy, delay); err != nil {
		if isLocal(err) {
			c.unasked(o, err)
			return o, err
		}
		return o, err
	}
	a, err := c.exchange(ctx, u, header, int(rec.Errors), delay, limit)
	if ctx.Err() != nil {
		return o, ctx.Err()
	}
	var later *notYet
	switch {
	case errors.As(err, &later):
		return o, err
	case isLocal(err):
		c.unasked(o, err)
		return o, err
	}
	wireOf(ctx).hold(a)
	defer a.release()
	if a == nil || isRefused(err) {
		c.unasked(o, err)
		return o, nil
	}
	o.Time, o.Status, o.Elapsed = a.ended, a.status, a.ended.Sub(a.began)
	o.NotBefore = a.ended.Add(max(delay, c.PauseOf(u.Host)))
	o.Address, o.Trouble, o.MediaType = a.addr.String(), troubleOf(a, err), a.mediaType()
	o.NoArchive = extract.NoArchive(c.agent, a.header.Values("X-Robots-Tag"))
	if err != nil {
		failed(o, failure(err))
		return o, nil
	}
	pause := o.NotBefore
	if c.judge(ctx, o, a, rec, conditional); o.NotBefore.After(pause) {
		c.gate.Postpone(u.Host, o.NotBefore) // requisites of the server wait as long
	}
	if mayChallenge(a.status) && c.isWatched(o.URL) {
		c.challenged(ctx, o, a)
	}
	if c.o.Named != nil && len(o.Sources) > 0 {
		o.Sources = slices.DeleteFunc(slices.Clone(o.Sources), c.o.Named)
	}
	if a.local != nil {
		return o, a.local
	}
	if o.Outcome == sitegraph.OutcomeFailed { // perhaps because its reading was given up
		return o, ctx.Err()
	}
	return o, nil
}

func (c *Client) excluded(o *sitegraph.Observation, detail string) {
	o.Time = c.clock.Now()
	o.Outcome, o.Detail = sitegraph.OutcomeExcluded, detail
}

// unasked fills the observation of a visit whose request was never sent: the name was not found, or
// the guard refused its address. The gate knows when the server may be asked next.
func (c *Client) unasked(o *sitegraph.Observation, err error) {
	if isRefused(err) {
		c.excluded(o, failure(err))
		if by := (*deniedBy)(nil); errors.As(err, &by) {
			o.Denied = sitegraph.Denial{By: by.By, What: printable(by.What)}
		}
		return
	}
	o.Time, o.Trouble = c.clock.Now(), sitegraph.TroubleFailing
	failed(o, failure(err))
}

func failed(o *sitegraph.Observation, detail string) {
	o.Outcome, o.Detail = sitegraph.OutcomeFailed, detail
}

// read passes the body of an answer to the reader of the options.
func (c *Client) read(
	ctx context.Context,
	o *sitegraph.Observation,
	a *answer,
	asSource bool,
) (Content, error) {
	var watched []*extract.Rule
	if c.o.Watch != nil && !asSource {
		watched = c.o.Watch(o.URL)
	}
	content, err := c.o.Read(
		ctx,
		Reading{URL: o.URL, ContentType: a.header.Get("Content-Type"), Source: asSource,
			Body: a.body.octets, Forms: c.formsOf(o.URL, a.header.Get("Content-Type")),
			Page: extract.Options{
				Agent:           c.agent,
				RobotsTags:      a.header.Values("X-Robots-Tag"),
				LinkLines:       a.header.Values("Link"),
				Main:            c.o.Main,
				Missing:         c.o.SoftMissing && !asSource,
				Seen:            c.o.Filters != nil && !asSource,
				ContentLanguage: strings.Join(a.header.Values("Content-Language"), ", "),
				Rule:            c.o.Rules.For(o.URL),
				Watched:         watched,
				Documents:       c.o.Documents,
				Requisites:      shownOf(ctx) != nil && !asSource,
			}},
	)
	if isLocal(err) {
		a.local = err
	}
	return content, err
}

// extractPage fills o from the body of an HTML page. judged is false if a filter failed.
func (c *Client) extractPage(
	ctx context.Context,
	o *sitegraph.Observation,
	a *answer,
	rec *sitegraph.Record,
) (judged bool) {
	content, err := c.read(ctx, o, a, false)
	if err != nil {
		failed(o, printable(err.Error()))
		return true
	}
	page := &content.Page
	if shown := shownOf(ctx); shown != nil {
		shown.Requisites = page.Requisites
	}
	if c.isMissing(ctx, o, a, rec, page) {
		o.Outcome, o.Detail = sitegraph.OutcomeGone, softMissing
		return true
	}
	o.Outcome = sitegraph.OutcomeFetched
	if content.Unread != "" {
		o.Detail = printable("its bytes count, since its text cannot be read: " + content.Unread)
	}
	o.Digests, o.Watched = page.Digests, page.Watched.Observed()
	o.Size = int64(len(a.body.octets))
	o.Truncated = a.body.truncated
	o.Links, o.Frames = page.Links, page.Frames
	o.LinksKnown, o.FramesKnown = true, true
	if feeds := page.Sources; c.o.Documents.Has(extract.FormXML) {
		o.Links = appendNew(o.Links, feeds...)
	} else if len(feeds) > 0 {
		o.Sources = slices.Concat(o.Sources, feeds)
	}
	o.NoIndex, o.Canonical = page.NoIndex, page.Canonical
	o.NoArchive = o.NoArchive || page.NoArchive
	return c.filtered(ctx, o, page)
}

// appendNew appends values that are not there yet.
func appendNew(all []string, more ...string) []string {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

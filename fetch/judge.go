package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/sitegraph"
)

func isRefused(err error) bool { return errors.Is(err, errRefused) }

// troubleOf returns the trouble of a server that an answer, or its absence, shows.
func troubleOf(a *answer, err error) sitegraph.Trouble {
	switch {
	case a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable:
		return sitegraph.TroubleBusy
	case a.status >= 500, err != nil && !errors.Is(err, errCoding):
		return sitegraph.TroubleFailing
	}
	return sitegraph.TroubleNone
}

// mediaType returns the type of the content as the server names it.
func (a *answer) mediaType() string {
	said := a.header.Get("Content-Type")
	kind, _, _ := strings.Cut(said, ";")
	return printable(cmp.Or(extract.MediaType(said), strings.ToLower(strings.TrimSpace(kind))))
}

// judge sets the outcome of the page by the status of the answer:
//
//	200, 203                     fetched for HTML, for JSON if a rule of the user allows it, for
//	                             documents that are watched or that --documents makes pages, and
//	                             for a feed or sitemap where one was expected; otherwise excluded
//	304                          not modified if the request was conditional, otherwise failed
//	other 3xx except 305, 306    redirected if Location names another web page, otherwise failed;
//	                             temporary redirects of a page with a copy count as failed at first
//	404 410                      gone
//	408 425 429, 5xx, other 2xx  failed: asked again later; 412 likewise, if we set a condition
//	other 4xx                    excluded: the server will not give it to us
//	anything else                failed
func (c *Client) judge(
	ctx context.Context,
	o *sitegraph.Observation,
	a *answer,
	rec *sitegraph.Record,
	conditional bool,
) {
	switch s := a.status; {
	case s == http.StatusOK || s == http.StatusNonAuthoritativeInfo:
		if rec.State == sitegraph.StateSource {
			c.judgeSource(ctx, o, a)
		} else {
			c.judgeContent(ctx, o, a, rec)
		}
	case s == http.StatusNotModified && conditional:
		o.Outcome = sitegraph.OutcomeNotModified
	case s == http.StatusNotModified:
		failed(o, "not modified, but the page was asked for without condition")
	case s >= 300 && s < 400 && s != 305 && s != 306:
		judgeRedirect(o, a, rec)
	case s == http.StatusNotFound || s == http.StatusGone:
		o.Outcome = sitegraph.OutcomeGone
	case s == http.StatusPreconditionFailed && conditional:
		failed(o, statusText(s)+" to our condition; it is asked for without next time")
	case s >= 400 && s < 500 && !isTemporary(s):
		o.Outcome, o.Detail = sitegraph.OutcomeExcluded, statusText(s)
	default:
		if t, ok := retryAfter(a.header, a.ended); ok && t.After(o.NotBefore) {
			o.NotBefore = t
		}
		failed(o, statusText(a.status))
	}
}

// isTemporary reports whether a 4xx is about the moment: time-out, too early, too many requests.
func isTemporary(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooEarly ||
		status == http.StatusTooManyRequests
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status)))
}

func (c *Client) judgeContent(
	ctx context.Context,
	o *sitegraph.Observation,
	a *answer,
	rec *sitegraph.Record,
) {
	contentType := a.header.Get("Content-Type")
	var listing *feeds.Listing // it is a feed or sitemap
	if strings.Contains(o.MediaType, "xml") && !extract.IsHTML(contentType) {
		if content, err := c.read(ctx, o, a, true); err == nil && !content.None {
			listing = &content.Listing
		}
	}
	forms := c.formsOf(o.URL, contentType)
	isFeed := listing != nil && listing.Kind == sitegraph.SourceFeed &&
		c.o.Documents.Has(extract.FormXML)
	switch {
	case listing != nil && !isFeed && !c.isNamed(o.URL):
		forms = 0
	case listing == nil && !c.isWatched(o.URL):
		forms &^= 1 << extract.FormXML // XML documents other than feeds are no pages
	}
	if !forms.Has(formOf(contentType, a.body.octets)) && !isHTML(contentType, a.body.octets) {
		o.Outcome = sitegraph.OutcomeExcluded
		o.Detail = "not a page: " + cmp.Or(o.MediaType, "its type is not known")
		// A page linked to a feed as if to a page, or it is a start page.
		if listing != nil {
			o.Sources = append(slices.Clip(o.Sources), o.URL)
		}
		return
	}
	judged := c.extractPage(ctx, o, a, rec)
	if listing != nil {
		for _, claim := range listing.Claims {
			if c.o.Documents.IsPage(claim.URL) {
				o.Links = append(o.Links, claim.URL)
			}
		}
	}
	if judged && o.Outcome == sitegraph.OutcomeFetched {
		validate(o, a)
	}
}

// formsOf returns the forms of documents that are pages at a URL, given the type that the server
// names.
func (c *Client) formsOf(url, contentType string) extract.Forms {
	if c.isWatched(url) {
		return extract.AllForms
	}
	forms := c.o.Documents
	if extract.IsPartOfPage(contentType) {
		forms = 0
	}
	if extract.IsJSON(contentType) && c.o.Rules.For(url).JSON() {
		forms |= 1 << extract.FormJSON
	}
	return forms
}

// isNamed reports whether a watch rule names this very page.
func (c *Client) isNamed(url string) bool { return c.o.Named != nil && c.o.Named(url) }

// challenged reports whether a server refused a page to check for a human visitor. Then a watched
// page has failed, and is neither gone nor changed.
func (c *Client) challenged(ctx context.Context, o *sitegraph.Observation, a *answer) {
	if len(a.body.octets) == 0 {
		return
	}
	content, err := c.read(ctx, o, a, false)
	if err != nil || content.Page.Watched == nil || !content.Page.Watched.Challenge {
		return
	}
	failed(o, statusText(a.status)+": the server asks whether a person sees the page")
	o.Watched = &sitegraph.Watched{Challenge: true}
}

// mayChallenge reports whether an answer with this status may be a check for a human visitor.
func mayChallenge(status int) bool {
	return status == http.StatusForbidden || status == http.StatusTooManyRequests ||
		status == http.StatusServiceUnavailable
}

// isWatched reports whether a watch rule holds for a page.
func (c *Client) isWatched(url string) bool { return c.o.Watch != nil && len(c.o.Watch(url)) > 0 }

// validate takes the validators with which the next visit can be conditional.
func validate(o *sitegraph.Observation, a *answer) {
	if tag := a.header.Get("ETag"); validETag(tag) {
		o.ETag = strings.Clone(tag)
	}
	o.LastModified = lastModified(a.header, a.ended)
}

// judgeSource reads a feed or sitemap. It ignores the type: half of all feeds have a wrong one.
func (c *Client) judgeSource(ctx context.Context, o *sitegraph.Observation, a *answer) {
	content, err := c.read(ctx, o, a, true)
	if err != nil {
		failed(o, printable(err.Error()))
		return
	}
	if content.None {
		o.Outcome, o.Detail = sitegraph.OutcomeExcluded, printable(content.Missing)
		return
	}
	listing := &content.Listing
	o.Outcome, o.Detail = sitegraph.OutcomeFetched, printable(content.Missing)
	o.Source, o.Claims = listing.Kind, listing.Claims
	o.Hubs, o.Topic = hubs(o.URL, a.header.Values("Link"), listing)
	if documents := c.o.Documents; o.Source != sitegraph.SourceIndex {
		o.Claims = slices.DeleteFunc(o.Claims, func(c sitegraph.Claim) bool {
			return !documents.IsPage(c.URL)
		})
	}
	o.Digests.Bytes = sitegraph.DigestOf(a.body.octets)
	o.Size = int64(len(a.body.octets))
	o.Truncated = a.body.truncated || content.Missing != ""
	validate(o, a)
}

// hubs returns the hubs that a source names, and its topic there. Link fields of the header come
// before elements of the source (WebSub 4). If the source names hubs and no topic, its URL is the
// topic.
func hubs(address string, lines []string, l *feeds.Listing) (hubs []string, topic string) {
	base, err := sitegraph.NewResolver(address)
	if err != nil {
		return nil, ""
	}
	for _, target := range extract.LinkTargets(lines, "hub", feeds.MaxHubs) {
		if hub, ok := base.Resolve(target); ok && len(hub) <= sitegraph.MaxURLBytes &&
			!slices.Contains(hubs, hub) {
			hubs = append(hubs, hub)
		}
	}
	for _, target := range extract.LinkTargets(lines, "self", 1) {
		topic = feeds.Topic(base, target)
	}
	if len(hubs) == 0 {
		hubs = l.Hubs
	}
	if len(hubs) == 0 {
		return nil, ""
	}
	return hubs, cmp.Or(topic, l.Topic, address)
}

// isHTML reports whether an answer is HTML, by its header. The content decides if the type is
// missing, unreadable or generic (WHATWG MIME Sniffing 7). For XML the first element decides.
func isHTML(contentType string, octets []byte) bool {
	switch extract.MediaType(contentType) {
	case "", "unknown/unknown", "application/unknown":
		contentType = http.DetectContentType(octets)
	case "text/xml", "application/xml", "application/vnd.wap.xhtml+xml":
		return xhtmlRoot.Match(octets[:min(len(octets), mostProlog)])
	}
	return extract.IsHTML(contentType)
}

// mostProlog limits the part of XML before its first element, in octets.
const mostProlog = 4 << 10

// xhtmlRoot matches the first element of XHTML after a declaration, comments and a doctype.
var xhtmlRoot = regexp.MustCompile(
	`^[^<]*(?:<\?[^>]*>\s*|<!--(?s:.*?)-->\s*|<!DOCTYPE\s[^>]*>\s*)*<html[\s>]`)

// judgeRedirect takes the target of a redirect without following it: the target is a page of its
// own, with its own robots.txt, guard and turn.
//
// A temporary redirect does not end a page that has a copy: a login or maintenance page would empty
// the whole corpus. Only after patience such answers in a row does the page count as moved.
func judgeRedirect(o *sitegraph.Observation, a *answer, rec *sitegraph.Record) {
	locations := slices.Compact(a.header.Values("Location"))
	if len(locations) != 1 || locations[0] == "" {
		failed(o, statusText(a.status)+" without one Location")
		return
	}
	target, ok := resolveTarget(o.URL, locations[0])
	self, _ := sitegraph.Canonical(o.URL)
	switch {
	case !ok:
		failed(o, statusText(a.status)+" to no web page: "+printable(locations[0]))
		return
	case target == self:
		failed(o, statusText(a.status)+" to itself")
		return
	}
	permanent := a.status == http.StatusMovedPermanently || a.status == http.StatusPermanentRedirect
	if !permanent && rec.State == sitegraph.StateAlive && rec.Errors < patience {
		failed(o, statusText(a.status)+" to "+printable(target))
		return
	}
	o.Outcome, o.RedirectTo = sitegraph.OutcomeRedirected, strings.Clone(target)
}

// patience is the number of temporary redirects in a row that a page with a copy survives: about a
// day with the back-off of the loop.
const patience = 5

func resolveTarget(base, location string) (string, bool) {
	r, err := sitegraph.NewResolver(base)
	if err != nil {
		return "", false
	}
	target, ok := r.Resolve(escapeOctets(location))
	return target, ok && len(target) <= sitegraph.MaxURLBytes
}

// escapeOctets escapes octets of a URL that are not UTF-8, as browsers do with a Location in
// Latin-1.
func escapeOctets(address string) string {
	if utf8.ValidString(address) {
		return address
	}
	var b strings.Builder
	for len(address) > 0 {
		r, n := utf8.DecodeRuneInString(address)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%%%02X", address[0])
		} else {
			b.WriteString(address[:n])
		}
		address = address[n:]
	}
	return b.String()
}

// maxRetryAfter limits the wait that a server may ask for: one day.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads seconds or a date (RFC 9110 10.2.3). It ignores other values, negative ones and
// past dates.
func retryAfter(h http.Header, now time.Time) (time.Time, bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return time.Time{}, false
	}
	latest := now.Add(maxRetryAfter)
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return latest, true
		}
		return now.Add(time.Duration(seconds) * time.Second), true
	}
	t, err := http.ParseTime(value)
	if err != nil || !t.After(now) {
		return time.Time{}, false
	}
	if t.After(latest) {
		t = latest
	}
	return now.Add(t.Sub(now)), true // the same distance if the clock steps
}

package synth

import (
	"fmt"
	"strings"
	"time"
)

// TopRow is a row of [LINK table 3].
type TopRow int

const (
	// updated pages on servers with an updated top / all updated pages
	CoverageOfUpdatedTops TopRow = iota
	// RateOfUpdatedTops is updated pages on servers with an updated top / all pages of those
	// servers.
	RateOfUpdatedTops
	RateOfAll   // updated pages / all pages
	UpdatedTops // servers with an updated top / all servers
)

var topRowNames = [4]string{
	"updated pages on servers with updated top / updated",
	"updated pages on servers with updated top / their pages",
	"updated pages / all pages",
	"servers with updated top / servers",
}

func (r TopRow) String() string { return topRowNames[r] }

// Comparison compares [LINK tables 1 to 3] of a web with the paper's. Shares are in percent,
// columns are Periods; rows of domains are indexed by Domain, the total is under DomainUnknown.
type Comparison struct {
	Base                 time.Time
	Servers, Pages       [domains]int // table 1, pages alive at the base
	Vanished             [4]int       // pages missing at the last snapshot: in no share
	Updated              [domains][4]float64
	PaperUpdated         [domains][4]float64
	Tops, PaperTops      [4][4]float64 // rows are TopRow
	updated, left        [domains][4]int
	topUpdated, topPages [4]int // pages on servers with an updated top: updated ones, all
	topServers           [4]int
}

// Compare surveys a web like [LINK 3]: N weeks are N weekly snapshots from the base on. A page is
// updated if its bytes differ in at least one of the N-1 comparisons (rebuilds and counters count).
// Pages are those alive at the base; all are within 11 links of the top page. A server's top is
// updated if the start page or one of its frames is. Bodies differ exactly when versions do, so
// none is rendered: about 50 ns a page and period.
func Compare(w *Web, base time.Time) Comparison {
	c := Comparison{Base: base, PaperUpdated: paperUpdated, PaperTops: paperTops}
	for _, s := range w.servers {
		c.add(s, int32(base.Unix()-s.start))
	}
	for d := range domains {
		for i := range Periods {
			c.Updated[d][i] = percent(c.updated[d][i], c.left[d][i])
		}
	}
	for i := range Periods {
		c.Tops[CoverageOfUpdatedTops][i] = percent(c.topUpdated[i], c.updated[0][i])
		c.Tops[RateOfUpdatedTops][i] = percent(c.topUpdated[i], c.topPages[i])
		c.Tops[RateOfAll][i] = percent(c.updated[0][i], c.left[0][i])
		c.Tops[UpdatedTops][i] = percent(c.topServers[i], c.Servers[0])
	}
	return c
}

func (c *Comparison) add(s *server, base int32) {
	d := s.plan.domain
	c.Servers[d]++
	c.Servers[0]++
	for _, p := range s.pages {
		if p.alive(base) {
			c.Pages[d]++
			c.Pages[0]++
		}
	}
	for i, weeks := range Periods {
		var updated, left int
		top := false
		for _, p := range s.pages {
			if !p.alive(base) {
				continue
			}
			if !p.alive(base + int32(weeks-1)*weekSeconds) {
				c.Vanished[i]++
				continue
			}
			left++
			if p.updated(base, weeks-1) {
				updated++
				top = top || p.onStart()
			}
		}
		for _, d := range []Domain{d, DomainUnknown} {
			c.updated[d][i] += updated
			c.left[d][i] += left
		}
		if top {
			c.topServers[i]++
			c.topUpdated[i] += updated
			c.topPages[i] += left
		}
	}
}

// updated reports whether two consecutive weekly snapshots differ. Versions never return, so this
// means that there is a version after the base.
func (p *page) updated(base int32, weeks int) bool {
	return p.at(base) != p.at(base+int32(weeks)*weekSeconds)
}

// onStart reports whether the page is shown when the server is entered: [LINK 3.2] counts frames of
// a start page as tops.
func (p *page) onStart() bool {
	return p.path == "/" || p.kind == kindStart || p.up != nil && p.up.kind == kindFrameset
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// String prints the tables, with the web's value before the paper's in each cell.
func (c Comparison) String() string {
	var b strings.Builder
	order := []Domain{AC, CO, ED, GR, NE, OR, DomainUnknown}
	fmt.Fprintf(
		&b,
		"Pages at %s, and share of them updated, %%, ours / [LINK table 2]\n%-8s %8s %8s",
		c.Base.Format(time.DateOnly),
		"domain",
		"servers",
		"pages",
	)
	for _, weeks := range Periods {
		fmt.Fprintf(&b, "  %11s", fmt.Sprintf("%d weeks", weeks))
	}
	b.WriteByte('\n')
	for _, d := range order {
		name := d.String()
		if d == DomainUnknown {
			name = "total"
		}
		fmt.Fprintf(&b, "%-8s %8d %8d", name, c.Servers[d], c.Pages[d])
		writeCells(&b, c.Updated[d], c.PaperUpdated[d])
	}
	fmt.Fprintf(&b, "\nClassification by top-page update, %%, ours / [LINK table 3]\n")
	for row := range c.Tops {
		fmt.Fprintf(&b, "%-58s", topRowNames[row])
		writeCells(&b, c.Tops[row], c.PaperTops[row])
	}
	fmt.Fprintf(
		&b,
		"vanished pages, in no share: %d, %d, %d, %d\n",
		c.Vanished[0],
		c.Vanished[1],
		c.Vanished[2],
		c.Vanished[3],
	)
	return b.String()
}

func writeCells(b *strings.Builder, ours, paper [4]float64) {
	for i := range ours {
		fmt.Fprintf(b, "  %4.1f / %4.1f", ours[i], paper[i])
	}
	b.WriteByte('\n')
}

package filter

import (
	"fmt"
	"math/bits"
	"net/url"
	"strings"
)

// SelectionRule leaves pages out. The zero value is no rule.
type SelectionRule string

// Rules in the order in which they are asked.
const (
	RuleNoIndex  SelectionRule = "noindex"
	RuleMissing  SelectionRule = "missing"
	RuleFilter   SelectionRule = "filter"
	RuleSmall    SelectionRule = "small"
	RuleLarge    SelectionRule = "large"
	RuleAddress  SelectionRule = "address"
	RuleDepth    SelectionRule = "depth"
	RuleCopy     SelectionRule = "copy"
	RuleNearCopy SelectionRule = "near copy"
	RuleQuota    SelectionRule = "quota"
)

// SelectionRules are all rules.
var SelectionRules = []SelectionRule{RuleNoIndex, RuleMissing, RuleFilter, RuleSmall, RuleLarge,
	RuleAddress, RuleDepth, RuleCopy, RuleNearCopy, RuleQuota}

// SelectionOptions are the bounds of the rules. Zero of each: the rule is off.
//
// They select pages of an archive for a corpus by the rules of [NICT 4.5] and some of our own. They
// judge by facts of pages alone; who gathers them is package fetch/corpus.
//
// # Terms
//
//	facts    what the rules need to know of a page
//	verdict  the first rule that leaves a page out, and why; no rule: it is selected
//	order    which page stays of several alike: a text that sorts the one to stay first
//	links from outside  links from pages of other servers
//
// # Rules, in the order in which they are asked
//
//	noindex    the page or its server asks not to be indexed
//	missing    it says that there is no page (soft 404)
//	filter     a filter of the user rejects it, by language or content
//	small      rule 2: no link from outside, and less than MinText octets of main text
//	large      rule 3: more than MaxText octets of main text
//	address    rule 4: an address of more than MaxAddress octets
//	depth      rule 5: more than MaxDepth directories
//	copy       rule 1: a page before it in order has the same main text
//	near copy  rule 1: a page before it in order has a main text whose SimHash differs in
//	           Near bits or fewer
//	quota      the server has Quota pages before it in order
//
// # Guarantees
//
//  1. Which pages are selected depends on the facts of all pages, and neither on the order in which
//     they come nor on what was selected before.
//  2. A page is a copy of one that no rule above "copy" leaves out. A near copy may be one of a
//     page that is itself a near copy of a third: of a chain the first stays.
//
// Source: Akamine et al. [NICT 4.5]; Charikar 2002 (SimHash); Manku, Jain, Das Sarma 2007 (3 bits
// of 64 for pages of the web).
type SelectionOptions struct {
	MinText    int `key:"min-text" default:"200" range:"[0,)" want:"0 or more bytes" help:"rule 2: leave out pages with less main text, in bytes, that no page of another server links to"`
	MaxText    int `key:"max-text" default:"500000" range:"[0,)" want:"0 or more bytes" help:"rule 3: leave out pages with more main text, in bytes"`
	MaxAddress int `key:"max-address" default:"200" range:"[0,)" want:"0 or more bytes" help:"rule 4: leave out pages with longer addresses, in bytes"`
	MaxDepth   int `key:"max-depth" default:"8" range:"[0,)" want:"0 or more directories" help:"rule 5: leave out pages below more directories"`
	Near       int `default:"3" range:"[-1,3]" want:"-1 to 3 bits" help:"rule 1: bits of 64 in which the SimHash of a near copy may differ, at most 3; -1: near copies stay"`
	Quota      int `default:"0" range:"[0,)" want:"0 or more pages" help:"pages of a server that are selected, those with the shortest addresses; 0: all"`
}

// LeastWords is the least number of words of a main text that has near copies: SimHash says little
// of shorter ones, as of menus.
const LeastWords = 50

// SelectionFacts are what is known of a page.
type SelectionFacts struct {
	URL      string `json:"url"`
	NoIndex  bool   `json:"noindex,omitempty"`
	Missing  bool   `json:"missing,omitempty"`
	Filter   string `json:"filter,omitempty"` // that rejects it
	Why      string `json:"why,omitempty"`    // of the filter
	Text     int    `json:"text"`             // octets of main text
	Words    int    `json:"words"`            // of main text
	Digest   string `json:"digest"`           // of main text
	SimHash  uint64 `json:"simhash"`
	Other    bool   `json:"other,omitempty"` // it names another page as the one to be shown
	Language string `json:"language,omitempty"`
	Blog     bool   `json:"blog,omitempty"`
}

// SelectionVerdict is what is said of a page.
type SelectionVerdict struct {
	Rule SelectionRule `json:"rule,omitempty"`
	Why  string        `json:"why,omitempty"`
}

// Alone judges a page by what is known of it, and whether there are links from outside.
func (o *SelectionOptions) Alone(f *SelectionFacts, outside bool) SelectionVerdict {
	depth := Levels(f.URL)
	switch {
	case f.NoIndex:
		return SelectionVerdict{RuleNoIndex, "the page asks not to be indexed"}
	case f.Missing:
		return SelectionVerdict{RuleMissing, "its title or heading says that there is no page"}
	case f.Filter != "":
		return SelectionVerdict{RuleFilter, "filter " + f.Filter + ": " + f.Why}
	case o.MinText > 0 && !outside && f.Text < o.MinText:
		return SelectionVerdict{RuleSmall, fmt.Sprintf("%d bytes of main text, fewer than %d, and no link "+
			"from another server", f.Text, o.MinText)}
	case o.MaxText > 0 && f.Text > o.MaxText:
		return SelectionVerdict{RuleLarge, fmt.Sprintf("%d bytes of main text, more than %d",
			f.Text, o.MaxText)}
	case o.MaxAddress > 0 && len(f.URL) > o.MaxAddress:
		return SelectionVerdict{RuleAddress, fmt.Sprintf("an address of %d bytes, more than %d",
			len(f.URL), o.MaxAddress)}
	case o.MaxDepth > 0 && depth > o.MaxDepth:
		return SelectionVerdict{RuleDepth, fmt.Sprintf("below %d directories, more than %d", depth,
			o.MaxDepth)}
	}
	return SelectionVerdict{}
}

// HasNearCopies reports whether a page may be a near copy, or have some.
func HasNearCopies(f *SelectionFacts) bool { return f.Words >= LeastWords }

// IsNear reports whether two main texts are near copies.
func (o *SelectionOptions) IsNear(a, b uint64) bool { return bits.OnesCount64(a^b) <= o.Near }

// NearBlocks are the four parts of a SimHash. Of two that differ in 3 bits or fewer one part is
// equal.
func NearBlocks(hash uint64) [4]uint16 {
	return [4]uint16{uint16(hash >> 48), uint16(hash >> 32), uint16(hash >> 16), uint16(hash)}
}

// Levels is how many directories an address lies below.
func Levels(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return strings.Count(address, "/")
	}
	return max(strings.Count(strings.TrimSuffix(u.EscapedPath(), "/"), "/")-1, 0)
}

// orderHead is how many octets of an order stand before the address.
const orderHead = 8

// SelectionOrder sorts pages alike: those that name no other page, below fewer directories, with
// shorter addresses first.
func SelectionOrder(f *SelectionFacts) string {
	other := 0
	if f.Other {
		other = 1
	}
	return fmt.Sprintf("%d%02d%05d%s", other, min(Levels(f.URL), 99), min(len(f.URL), 99_999),
		f.URL)
}

// URLOf is the address of an order.
func URLOf(order string) string { return order[min(orderHead, len(order)):] }

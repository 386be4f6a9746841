package filter

import (
	"fmt"
	"math/bits"
	"net/url"
	"strings"
)

// SelectionRule is a rule that leaves pages out. Its zero value is no rule.
type SelectionRule string

// Rules in the order of their application.
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

// SelectionRules lists all rules.
var SelectionRules = []SelectionRule{RuleNoIndex, RuleMissing, RuleFilter, RuleSmall, RuleLarge,
	RuleAddress, RuleDepth, RuleCopy, RuleNearCopy, RuleQuota}

// SelectionOptions are the limits of rules that select pages of an archive for a corpus. Zero turns
// a rule off.
//
// The rules are those of [NICT 4.5] and some others. They judge by facts of pages alone, which
// package fetch/corpus gathers.
//
// # Terms
//
//	facts    the input of the rules about a page
//	verdict  the first rule that leaves a page out, with a reason; no rule: it is selected
//	order    a text that sorts similar pages; the first one stays
//	links from outside  links from pages of other servers
//
// # Rules, in order
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
//  1. The selection depends on the facts of all pages alone, and not on their order or an earlier
//     selection.
//  2. A page is a copy of another only if no rule above "copy" leaves out that one. Near copies may
//     form a chain, of which the first stays.
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

// LeastWords is the least number of words for near copies: the SimHash of shorter texts, such as
// menus, says little.
const LeastWords = 50

// SelectionFacts are the input of the rules about a page.
type SelectionFacts struct {
	URL      string `json:"url"`
	NoIndex  bool   `json:"noindex,omitempty"`
	Missing  bool   `json:"missing,omitempty"`
	Filter   string `json:"filter,omitempty"` // the filter that rejects it
	Why      string `json:"why,omitempty"`    // reason of the filter
	Text     int    `json:"text"`             // octets of main text
	Words    int    `json:"words"`            // of main text
	Digest   string `json:"digest"`           // of main text
	SimHash  uint64 `json:"simhash"`
	Other    bool   `json:"other,omitempty"` // it names another page as canonical
	Language string `json:"language,omitempty"`
	Blog     bool   `json:"blog,omitempty"`
}

// SelectionVerdict is the result of the rules.
type SelectionVerdict struct {
	Rule SelectionRule `json:"rule,omitempty"`
	Why  string        `json:"why,omitempty"`
}

// Alone judges a page by its own facts, and whether there are links from outside.
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

// NearBlocks returns the four parts of a SimHash. Two hashes that differ in at most 3 bits have an
// equal part.
func NearBlocks(hash uint64) [4]uint16 {
	return [4]uint16{uint16(hash >> 48), uint16(hash >> 32), uint16(hash >> 16), uint16(hash)}
}

// Levels returns the number of directories above a URL.
func Levels(address string) int {
	u, err := url.Parse(address)
	if err != nil {
		return strings.Count(address, "/")
	}
	return max(strings.Count(strings.TrimSuffix(u.EscapedPath(), "/"), "/")-1, 0)
}

// orderHead is the number of octets of an order before the URL.
const orderHead = 8

// SelectionOrder returns a sort key for similar pages: first those that name no other page as
// canonical, then those below fewer directories, then those with shorter URLs.
func SelectionOrder(f *SelectionFacts) string {
	other := 0
	if f.Other {
		other = 1
	}
	return fmt.Sprintf("%d%02d%05d%s", other, min(Levels(f.URL), 99), min(len(f.URL), 99_999),
		f.URL)
}

// URLOf returns the URL of an order.
func URLOf(order string) string { return order[min(orderHead, len(order)):] }

package extract

import (
	"errors"
	"fmt"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// cascadia matches a selector from its end and tries each way up. On a deep page that takes time
// exponential in the combinators. So cascadia matches only compounds, such as div.ad[hidden]. The
// combinators between them are bits on the way down the tree: one for each compound that ends at an
// element.

// selector is a group of selectors with commas between.
type selector struct {
	text  string
	ways  []way
	looks int // compounds that look at siblings or descendants
}

// way is one selector of a group: compounds, with a combinator before each except the first, one of
// ' ', '>', '+', '~'.
type way struct {
	compounds   []cascadia.Sel
	combinators []byte
}

const (
	mostWays      = 32
	mostCompounds = 16 // in a way; they are the bits of a uint16
)

// looking are the supported pseudo-classes, and whether they look at siblings or descendants.
var looking = map[string]bool{
	"not": false, "root": false, "empty": true, "has": true, "contains": true,
	"first-child": true, "last-child": true, "only-child": true, "nth-child": true,
	"nth-last-child": true,
	"first-of-type":  true, "last-of-type": true, "only-of-type": true, "nth-of-type": true,
	"nth-last-of-type": true,
}

func newSelector(text string) (*selector, error) {
	s := &selector{text: text}
	var w way
	rest, combinator := strings.TrimSpace(text), byte(0)
	for {
		n, looks, err := compoundLen(rest)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, errors.New("no CSS selector: an element is missing at its end, or beside " +
				"a comma or combinator")
		}
		compound, err := cascadia.Parse(rest[:n])
		if err != nil {
			return nil, fmt.Errorf("no CSS selector: %q: %w", short(rest[:n]), err)
		}
		s.looks += looks
		if len(w.compounds) > 0 {
			w.combinators = append(w.combinators, combinator)
		}
		if w.compounds = append(w.compounds, compound); len(w.compounds) > mostCompounds {
			return nil, fmt.Errorf("it has more than %d combinators", mostCompounds-1)
		}
		if rest, combinator = nextCombinator(rest[n:]); combinator == 0 || combinator == ',' {
			if s.ways = append(s.ways, w); len(s.ways) > mostWays {
				return nil, fmt.Errorf("it has more than %d alternatives", mostWays)
			}
			if w = (way{}); combinator == 0 {
				return s, nil
			}
		}
	}
}

// nextCombinator returns the sign before the next compound: a combinator, ',' or, at the end, 0.
func nextCombinator(text string) (rest string, combinator byte) {
	rest = strings.TrimLeft(text, " \t\r\n\f")
	if rest == "" {
		return "", 0
	}
	if strings.IndexByte(">+~,", rest[0]) >= 0 {
		return strings.TrimLeft(rest[1:], " \t\r\n\f"), rest[0]
	}
	return rest, ' '
}

// compoundLen returns the length of the compound at the start of a text. looks counts its
// pseudo-classes that examine siblings or descendants. Text in brackets is part of the compound,
// but is not counted in looks.
func compoundLen(text string) (n, looks int, err error) {
	var closing []byte // of the open brackets
	inner := ""        // pseudo-class of the brackets
	for n < len(text) {
		c := text[n]
		switch {
		case c == '\\':
			n++
		case c == '"' || c == '\'':
			end := closingQuote(text[n+1:], c)
			if end < 0 {
				return 0, 0, errors.New("a quotation mark is not closed")
			}
			n += end + 1
		case c == '[':
			closing = append(closing, ']')
		case c == '(':
			closing = append(closing, ')')
		case len(closing) > 0 && c == closing[len(closing)-1]:
			closing = closing[:len(closing)-1]
		case c == '#' && strings.HasPrefix(text[n:], "#=") && len(closing) > 0:
			return 0, 0, errors.New(
				"[name#=expression] is not known: use watch-text or ignore-text")
		case c == ':' && len(closing) == 0:
			name := text[n+1:]
			name = strings.ToLower(
				name[:len(name)-len(strings.TrimLeft(name,
					"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"))])
			looksThere, known := looking[name]
			if !known {
				return 0, 0, fmt.Errorf("the pseudo-class :%s is not known", short(name))
			}
			inner = name
			if looksThere {
				looks++
			}
		case c == ':' && closing[len(closing)-1] == ')':
			return 0, 0, errors.New("there is a pseudo-class in the brackets of another, which " +
				"is not known")
		case len(closing) == 0 && strings.IndexByte(" \t\r\n\f>+~,", c) >= 0:
			return n, looks, nil
		case len(closing) > 0 && closing[len(closing)-1] == ')' && combines(text, n, inner):
			return 0, 0, errors.New("there is a combinator in brackets, which is not known")
		}
		n++
	}
	if len(closing) > 0 {
		return 0, 0, fmt.Errorf("%c is missing", closing[len(closing)-1])
	}
	return min(n, len(text)), looks, nil
}

// combines reports whether the character at n is a combinator in the brackets of a pseudo-class.
func combines(text string, n int, pseudo string) bool {
	const blanks = " \t\r\n\f"
	if pseudo != "not" && pseudo != "has" {
		return false
	}
	if strings.IndexByte(blanks, text[n]) < 0 {
		return strings.IndexByte(">+~", text[n]) >= 0
	}
	before, behind := strings.TrimRight(text[:n], blanks), strings.TrimLeft(text[n:], blanks)
	return !strings.HasSuffix(before, "(") && !strings.HasSuffix(before, ",") &&
		!strings.HasPrefix(behind, ")") && !strings.HasPrefix(behind, ",")
}

func closingQuote(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}

// mostLooks limits the steps of selectors that look at siblings or descendants: about a second.
const mostLooks = 50_000_000

// affordable returns the selectors that a page can be searched for. Looking at siblings takes a
// step for each pair of them, looking below one for each element above each element. Texts and
// attributes cost more.
func affordable(root *html.Node, all []*selector) (can []*selector, cannot int) {
	steps := -1
	for _, s := range all {
		if s.looks > 0 && steps < 0 {
			steps = looksOf(root, 1)
		}
		if s.looks > 0 && steps*s.looks > mostLooks {
			cannot++
			continue
		}
		can = append(can, s)
	}
	return can, cannot
}

// looksOf counts the steps of looking from each element.
func looksOf(n *html.Node, depth int) (steps int) {
	children := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		children++
		weight := 1 + len(c.Data)/16
		for _, a := range c.Attr {
			weight += 1 + len(a.Val)/16
		}
		steps += weight*depth + looksOf(c, depth+1)
	}
	return steps + children*children
}

// search walks down a tree once and finds the elements of all selectors.
type search struct {
	selectors []*selector
	ways      []way
	of        []int // selector of each way
	found     func(selector int, n *html.Node)
}

func newSearch(selectors []*selector, found func(selector int, n *html.Node)) *search {
	s := &search{selectors: selectors, found: found}
	for i, x := range selectors {
		for _, w := range x.ways {
			s.ways, s.of = append(s.ways, w), append(s.of, i)
		}
	}
	return s
}

// ends holds for each way the compounds that end at an element, with all before them.
type ends []uint16

// below searches the children of n. above has the ends of all ancestors of n, own those of n
// itself.
func (s *search) below(n *html.Node, above, own ends) {
	width := len(s.ways)
	buf := make(ends, 4*width)
	upper, here, before, earlier := buf[:width], buf[width:2*width], buf[2*width:3*width],
		buf[3*width:]
	for i := range upper {
		upper[i] = above[i] | own[i]
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode {
			continue
		}
		last := -1
		for i := range s.ways {
			w := &s.ways[i]
			// The first compound has no condition, each other one has its combinator.
			could := uint16(1)
			for k, combinator := range w.combinators {
				var from uint16
				switch combinator {
				case ' ':
					from = upper[i]
				case '>':
					from = own[i]
				case '+':
					from = before[i]
				case '~':
					from = earlier[i]
				}
				could |= from >> k & 1 << (k + 1)
			}
			here[i] = 0
			for k, compound := range w.compounds {
				if could>>k&1 == 1 && compound.Match(c) {
					here[i] |= 1 << k
				}
			}
			if here[i]>>(len(w.compounds)-1)&1 == 1 && s.of[i] != last {
				last = s.of[i]
				s.found(last, c)
			}
		}
		if c.FirstChild != nil {
			s.below(c, upper, here)
		}
		for i := range here {
			earlier[i] |= here[i]
		}
		copy(before, here)
	}
}

// Chosen holds the elements that a rule selects.
type Chosen struct {
	Ignored map[*html.Node]bool
	Watched []*html.Node // outermost ones, in order, outside ignored ones
}

// Choose finds the elements that the rule selects in a tree at most 512 deep. t may be nil.
func (r *Rule) Choose(root *html.Node, t *RuleTrace) Chosen {
	all := append(r.ignore[:len(r.ignore):len(r.ignore)], r.watch...)
	can, cannot := affordable(root, all)
	if cannot > 0 {
		t.note("%d of %d selectors were left out: they look at siblings or below, of which this "+
			"page has too many", cannot, len(all))
	}
	ignores := 0
	for _, s := range can {
		for _, x := range r.ignore {
			if s == x {
				ignores++
			}
		}
	}
	chosen := Chosen{Ignored: map[*html.Node]bool{}}
	watched := map[*html.Node]bool{}
	s := newSearch(can, func(i int, n *html.Node) {
		key := "watch"
		if i < ignores {
			key = "ignore"
			chosen.Ignored[n] = true
		} else {
			watched[n] = true
		}
		t.hit(key, can[i].text, func() string { return sampleOf(n) })
	})
	none := make(ends, len(s.ways))
	s.below(root, none, none)
	t.names("ignore", r.spec.Ignore)
	t.names("watch", r.spec.Watch)
	if len(watched) > 0 {
		chosen.outermost(root, watched)
	}
	return chosen
}

func (c *Chosen) outermost(n *html.Node, watched map[*html.Node]bool) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch {
		case c.Ignored[child]:
		case watched[child]:
			c.Watched = append(c.Watched, child)
		default:
			c.outermost(child, watched)
		}
	}
}

// sampleOf returns the start of an element's text.
func sampleOf(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil && b.Len() < 2*sample; c = c.NextSibling {
			if c.Type == html.TextNode {
				b.WriteString(c.Data[:min(len(c.Data), 2*sample)])
				b.WriteByte(' ')
			}
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

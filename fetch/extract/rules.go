package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// Rules holds rules by URL. A nil Rules has none.
//
// A rule of the user selects the parts of pages that count as content: parts to watch and to
// ignore, by a prefix of the URL.
//
// # Terms
//
//	rule      selects what counts on the pages whose URL matches its prefix
//	left      the text that a rule selects: a page changed if it differs
//	part      the text to which a rule applies: visible text, main text or bytes
//	line      a block of text, for example a paragraph; of bytes and JSON, a line
//	shingle   three words in a row
//
// A rule first removes ignored elements and keeps the watched ones of the rest. Then it removes
// ignored text in each line, and keeps the watched lines. For JSON it keeps watched members that
// are not ignored, one a line, by name.
//
// # Guarantees
//
//  1. Rules do not change, and goroutines may share them. Applying a rule depends on its arguments
//     alone and never fails. A part that cannot be applied is recorded, and leaves more text, not
//     less.
//  2. Of several matching rules only the one with the most characters other than "*" holds.
//  3. Finding elements takes time linear in elements times selectors. Selectors that look at
//     siblings or descendants (:nth-child, :has) are left out on a page where they take more than
//     50 million steps.
//  4. Expressions are RE2 and take at most 1 << 29 steps a page; a step is one instruction for one
//     octet. The text after that is not searched.
//  5. JSON has at most 1 MB, 100,000 values and 64 levels. Larger documents count unchanged.
//  6. Rules that differ only in their prefixes have one fingerprint. Selected texts are compared
//     only under one fingerprint (sitegraph.RuledDigest).
//
// The fingerprint is the start of the SHA-256 of a rule's content and rulesVersion. Raise the
// version with any change of the text that rules select, so that no page counts as changed.
//
// SimHash has 64 bits. A bit is the sign of a sum over the shingles of the text: +1 if the bit is
// set in the shingle's hash, -1 if not. The hash is the start of the MD5 of the three words in
// lower case, with a blank between. Fewer than three words make one shingle. A word is a run of
// letters and digits.
//
// Sources: Selectors Level 4; RFC 9535 (JSONPath); Charikar 2002, Manku, Jain, Das Sarma 2007
// (SimHash).
type Rules struct {
	byPrefix map[string]*Rule // without "*"; those of one URL end in "$"
	lengths  []int            // lengths of the prefixes, longest first
	patterns []pattern        // with "*", most specific first
	all      int
}

type pattern struct {
	fits *regexp.Regexp
	rank int // characters that are not "*"
	rule *Rule
}

// Len returns the number of rules.
func (s *Rules) Len() int {
	if s == nil {
		return 0
	}
	return s.all
}

// For returns the rule for a canonical URL, or nil. It costs a look-up for each length of prefix,
// and a match for each pattern longer than the best so far.
func (s *Rules) For(url string) *Rule {
	if s == nil {
		return nil
	}
	if r, ok := s.byPrefix[url+"$"]; ok {
		return r
	}
	var found *Rule
	rank := -1
	for _, n := range s.lengths {
		if n <= len(url) {
			if r, ok := s.byPrefix[url[:n]]; ok {
				found, rank = r, n
				break
			}
		}
	}
	for _, p := range s.patterns {
		if p.rank <= rank {
			break
		}
		if p.fits.MatchString(url) {
			return p.rule
		}
	}
	return found
}

// add stores a rule. Its prefix has the form of --weight: "*" matches any characters in one segment
// of the path, and "*" alone matches every URL.
func (s *Rules) add(r *Rule) error {
	prefix := r.spec.Prefix
	if prefix == "*" {
		prefix = ""
	} else {
		address, exact := strings.CutSuffix(prefix, "$")
		canonical, err := sitegraph.Canonical(address)
		if err != nil {
			return fmt.Errorf("%q is not the beginning of a URL, for example "+
				"https://example.com/news/", short(prefix))
		}
		if prefix = canonical; exact {
			prefix += "$"
		}
	}
	known := false
	switch stars := strings.Count(prefix, "*"); {
	case stars == 0:
		_, known = s.byPrefix[prefix]
		s.byPrefix[prefix] = r
		if !strings.HasSuffix(prefix, "$") {
			s.lengths = append(s.lengths, len(prefix))
		}
	case stars > mostStars:
		return fmt.Errorf("%q has %d stars: want %d or fewer", short(prefix), stars, mostStars)
	case len(s.patterns) == mostPatterns:
		return fmt.Errorf("%q would be one prefix with a star too many: want %d or fewer",
			short(prefix), mostPatterns)
	default:
		text := "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(prefix, "$")), `\*`,
			"[^/]*")
		if strings.HasSuffix(prefix, "$") {
			text += "$"
		}
		known = slices.ContainsFunc(s.patterns, func(p pattern) bool {
			return p.fits.String() == text
		})
		s.patterns = append(s.patterns, pattern{regexp.MustCompile(text), len(prefix) - stars, r})
	}
	if known {
		return fmt.Errorf("there is another rule for %q: put both into one", short(r.spec.Prefix))
	}
	s.all++
	return nil
}

const (
	mostStars    = 8
	mostPatterns = 100
	mostPrefix   = sitegraph.MaxURLBytes
)

func (s *Rules) finish() {
	slices.Sort(s.lengths)
	s.lengths = slices.Compact(s.lengths)
	slices.Reverse(s.lengths)
	slices.SortStableFunc(s.patterns, func(a, b pattern) int { return b.rank - a.rank })
}

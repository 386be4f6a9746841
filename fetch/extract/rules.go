package extract

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// Rules is rules by address. A nil one has none.
//
// They say what of a page counts as its content, where the user does: parts to watch and to ignore,
// by the beginning of the address.
//
// # Terms
//
//	rule      what counts on the pages whose address fits its prefix
//	left      what a rule leaves of a page: the text whose difference is a change
//	part      what a rule begins with: visible text, main text or bytes
//	line      a block of text, as a paragraph or an item of a list; of bytes and JSON, a line
//	shingle   three words in a row
//
// A rule leaves lines in this order: elements that are ignored go, of the others those that are
// watched stay; then in each line what is ignored goes; of the lines those stay that are watched.
// Of JSON it leaves the members that are watched and not ignored, one to a line, by name.
//
// # Guarantees
//
//  1. Rules do not change, and are for concurrent use. Applying one depends on its
//     arguments alone and never fails: what cannot be applied is told, and leaves more, not less.
//  2. Of several rules the one with the most characters that are not "*" holds, and it alone.
//  3. Elements are found in a time that is linear in the elements times the selectors. Selectors
//     that look at all siblings or below (:nth-child, :has) are left out on a page where they take
//     more than 50 million steps.
//  4. Expressions are RE2 and take 1 << 29 steps a page at most, a step being an instruction for
//     an octet; what is behind that is not looked at.
//  5. JSON has at most 1 MB, 100,000 values and 64 levels. Larger documents count as they are.
//  6. Two rules that say the same have one fingerprint, whatever their prefixes; what is left is
//     compared under one fingerprint only (sitegraph.RuledDigest).
//
// The fingerprint is the start of the SHA-256 of what a rule says, with rulesVersion. Whoever
// changes what a rule leaves must raise the version, so that no page counts as changed.
//
// SimHash: 64 bits, of each of which the sign of a sum: over the shingles of what is left, +1 where
// the bit of the shingle's hash is 1 and -1 where it is 0. The hash is the start of the MD5 of the
// three words, in small letters, with a blank between. Of fewer than three words they are the one
// shingle. A word is a run of letters and digits.
//
// Not done here: what a change is worth is not a matter of rules.
//
// Sources: Selectors Level 4; RFC 9535 (JSONPath); Charikar 2002, Manku, Jain, Das Sarma 2007
// (SimHash).
type Rules struct {
	byPrefix map[string]*Rule // without "*"; those of one address end in "$"
	lengths  []int            // of the prefixes, longest first
	patterns []pattern        // with "*", most specific first
	all      int
}

type pattern struct {
	fits *regexp.Regexp
	rank int // characters that are not "*"
	rule *Rule
}

// Len is how many rules there are.
func (s *Rules) Len() int {
	if s == nil {
		return 0
	}
	return s.all
}

// For returns the rule that holds for a canonical address, nil if there is none. It costs a look-up
// for each length of prefix, and a match for each pattern that is longer than what was found.
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

// add takes in a rule. Its prefix is written as --weight has it, with "*" for any characters of one
// segment of the path, or "*" alone for every address.
func (s *Rules) add(r *Rule) error {
	prefix := r.spec.Prefix
	if prefix == "*" {
		prefix = ""
	} else {
		address, exact := strings.CutSuffix(prefix, "$")
		canonical, err := sitegraph.Canonical(address)
		if err != nil {
			return fmt.Errorf("%q is not the beginning of a web address, as "+
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
		return fmt.Errorf("%q is one prefix with a star too many: want %d or fewer",
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

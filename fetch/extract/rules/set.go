package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// Set is rules by address. A nil one has none.
type Set struct {
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
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return s.all
}

// For returns the rule that holds for a canonical address, nil if there is none. It costs a look-up
// for each length of prefix, and a match for each pattern that is longer than what was found.
func (s *Set) For(url string) *Rule {
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
func (s *Set) add(r *Rule) error {
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

func (s *Set) finish() {
	slices.Sort(s.lengths)
	s.lengths = slices.Compact(s.lengths)
	slices.Reverse(s.lengths)
	slices.SortStableFunc(s.patterns, func(a, b pattern) int { return b.rank - a.rank })
}

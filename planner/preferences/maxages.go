package preferences

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// MaxAges has the greatest age of copies by prefix of the address.
type MaxAges struct{ seconds *Weights }

var errMaxAge = errors.New("want an age with its unit, such as 30d or 12h, or ADDRESS=AGE, " +
	"such as https://example.com/news/=1d")

// ParseMaxAges parses "30d" and "https://example.com/news/=1d". Of two for one address the later
// counts. nil: none.
func ParseMaxAges(texts []string) (*MaxAges, error) {
	rules := []WeightRule{{Prefix: "*", Weight: 0}}
	for _, text := range texts {
		if !strings.Contains(text, "=") {
			text = "*=" + text
		}
		at := strings.LastIndexByte(text, '=')
		age, err := parseAge(strings.TrimSpace(text[at+1:]))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, errMaxAge)
		}
		rule, err := ParseWeight(text[:at+1] + strconv.FormatFloat(age.Seconds(), 'f', -1, 64))
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, errMaxAge)
		}
		rules = append(rules, rule)
	}
	if len(rules) == 1 {
		return nil, nil
	}
	return &MaxAges{NewWeights(rules)}, nil
}

// parseAge parses a time in days ("30d"), or in Go's form ("12h").
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n > 0 && n <= 10_000) {
			return 0, errMaxAge
		}
		return time.Duration(n * float64(day)), nil
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < time.Second || age > 10_000*day {
		return 0, errMaxAge
	}
	return age, nil
}

// Seconds returns the greatest age of a page by its canonical address; 0: none.
func (a *MaxAges) Seconds(url string) uint32 {
	return uint32(min(a.seconds.Of(url), math.MaxUint32/2))
}

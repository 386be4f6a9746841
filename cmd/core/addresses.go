package core

import (
	"fmt"

	"github.com/recrawl/recrawl/sitegraph/listed"
)

// webAddress returns the page that an argument names.
func webAddress(raw string) (string, error) {
	address, kind := listed.One(raw)
	switch kind {
	case listed.Address:
		return address, nil
	case listed.Spaced, listed.Invisible, listed.Forbidden:
		return "", UsageError(fmt.Errorf("%.120q is not a whole web address: %v", raw, kind),
			"code what an address cannot have: a blank is %20")
	}
	return "", UsageError(fmt.Errorf("%.120q is not a whole web address: %v", raw, kind),
		"give whole addresses, with http:// or https://")
}

// Addresses returns the pages that arguments name.
func Addresses(args []string) ([]string, error) {
	seeds := make([]string, 0, len(args))
	for _, arg := range args {
		url, err := webAddress(arg)
		if err != nil {
			return nil, err
		}
		seeds = append(seeds, url)
	}
	return seeds, nil
}

package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/recrawl/recrawl/cmd/failure"
	"github.com/recrawl/recrawl/sitegraph"
)

// webAddress is the page that an argument names.
func webAddress(raw string) (string, error) {
	address, err := sitegraph.Canonical(raw)
	if err == nil {
		return address, nil
	}
	var parsing *url.Error // in words of a parser, about parts of the address
	if errors.As(err, &parsing) || !strings.Contains(raw, "://") {
		err = fmt.Errorf("%.120q is not a whole web address", raw)
	}
	return "", failure.Usage(err, "give whole addresses, with http:// or https://")
}

func canonicalSeeds(args []string) ([]string, error) {
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

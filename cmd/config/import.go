package config

import (
	"fmt"
	"slices"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/satstore/seen"
)

// Import has the settings of import.
type Import struct {
	Set         string   `path:"directory" help:"instead of --data: directory of a set of URLs alone, without pages"`
	Write       string   `path:"any" help:"with --set: append new URLs to this file; - for standard output"`
	Memory      string   `default:"256MiB" help:"memory to decide with; store and program come on top"`
	Filter      bool     `default:"true" help:"a Stable Bloom Filter Light between cache and set"`
	Approximate bool     `help:"do not confirm the filter: up to 1 % of the new URLs are lost [SBFL]"`
	Important   []string `help:"URLs that begin so are never left to the filter; may be repeated"`
	Part        string   `default:"1/1" help:"take the servers of one of several machines, e.g. 2/4"`
	Verbose     bool     `help:"of a list: also print the deciding parts, and their memory and time"`
	HTML        string   `path:"any" help:"also write a report with the memory over time to this file"`

	History string `path:"directory" help:"instead of --data: make histories of the captures, for eval, in this directory"`
	Format  string `names:"{formats}" help:"format of the files, where their content does not show it: list, sitemap, cdxj, cdx, warc, wacz, nutch, log. With list, commas are parts of URLs"`
	Server  string `help:"the server of a log, e.g. https://example.org"`
	From    string `help:"leave out captures before this moment, e.g. 2025 or 20250131"`
	To      string `help:"leave out captures from this moment on"`
}

func (c *Import) check(r *Review) {
	if n, err := ParseSize(c.Memory); err != nil || n < seen.LeastMemory {
		r.Refuse("import.memory", c.Memory, fmt.Sprintf("a size of %d MiB or more, such as 256MiB",
			seen.LeastMemory>>20))
	}
	if _, _, err := seen.ParsePart(c.Part); err != nil {
		r.Refuse("import.part", c.Part, "a part of a number of parts, such as 2/4")
	}
	for key, moment := range map[string]string{"import.from": c.From, "import.to": c.To} {
		if _, err := archive.ParseStamp(moment); moment != "" && err != nil {
			r.Refuse(key, moment, "a moment of 4 to 14 digits, such as 20250131")
		}
	}
	if c.Format != "" && !slices.Contains(captures.Formats, captures.Format(c.Format)) {
		r.Refuse("import.format", c.Format, "one of "+captures.FormatNames())
	}
	if c.Approximate && !c.Filter {
		r.Refuse("import.approximate", c.Approximate, "no approximation without --filter")
	}
}

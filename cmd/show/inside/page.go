package inside

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Page has the parts of a page. Digests are hexadecimal.
type Page struct {
	URL      string   `json:"url"`
	Type     string   `json:"type"` // from the server
	Octets   int      `json:"octets"`
	Charset  string   `json:"charset"`
	Title    string   `json:"title"`
	Language string   `json:"language"` // from the page; "": none
	NoIndex  bool     `json:"noindex"`
	NoFollow bool     `json:"nofollow"`
	Cut      bool     `json:"cut"` // a part was too large to be read
	Main     string   `json:"main"`
	Counted  Counted  `json:"counted"`
	Digests  Digests  `json:"digests"`
	Links    []string `json:"links"`
	Sources  []string `json:"sources"`
	// Filters are the judgements of the user's filters.
	Filters []filter.Judgement `json:"filters"`

	judged *filter.Page // input of the filters
}

// Counted is the part that counts as the content. Without a rule --change chooses it.
type Counted struct {
	Rule  *extract.RuleSpec `json:"rule"`  // the rule for the address; null: none
	Lines []string          `json:"lines"` // that the rule leaves
	extract.RuleTrace
}

// Digests are the digests of a visit. Counted is that of the part that the rule leaves.
type Digests struct {
	Bytes   string `json:"bytes"`
	Text    string `json:"text"`
	Main    string `json:"main"`
	Counted string `json:"counted"`
}

// ReadPage reads a page like package fetch.
func ReadPage(body []byte, contentType, url string, o extract.Options) *Page {
	rule := o.Rule
	o.Seen = true
	p, look := extract.LookAt(body, contentType, url, o)
	o.Rule, o.Main = nil, true
	plain := p
	if !rule.JSON() || !extract.IsJSON(contentType) {
		plain = extract.HTML(body, contentType, url, o)
	}
	s := &Page{
		URL: url, Type: contentType, Octets: len(body), Charset: p.Charset, Title: look.Title,
		Language: look.Language, NoIndex: p.NoIndex, NoFollow: p.NoFollow, Cut: p.Cut,
		Main: look.Main,
		Digests: Digests{Bytes: p.Digests.Bytes.String(), Text: p.Digests.Text.String(),
			Main: plain.Digests.Main.String()},
		Links: append([]string{}, p.Links...), Sources: append([]string{}, p.Sources...),
		Counted: Counted{Lines: []string{}, RuleTrace: look.Trace},
		Filters: []filter.Judgement{}, judged: fetch.Judged(url, &p),
	}
	if rule != nil {
		spec := rule.Spec()
		s.Counted.Rule, s.Digests.Counted = &spec, p.Digests.Main.String()
	}
	if look.Counted != "" {
		s.Counted.Lines = strings.Split(look.Counted, "\n")
	}
	return s
}

// Judge lets filters judge the page.
func (p *Page) Judge(ctx context.Context, set *filter.Set) (err error) {
	p.Filters, err = set.All(ctx, p.judged)
	return err
}

// ReadPageFile reads a file as the page of an address: as JSON if its name ends so, else as HTML.
func ReadPageFile(file, url string, set *extract.Rules) (*Page, error) {
	canonical, err := sitegraph.Canonical(url)
	if err != nil {
		return nil, fmt.Errorf("%.120q is not a whole web address: give --url one, such as "+
			"https://example.org/news/", url)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	kind := "text/html"
	if strings.HasSuffix(file, ".json") {
		kind = "application/json"
	}
	return ReadPage(body, kind, canonical, extract.Options{Rule: set.For(canonical)}), nil
}

// Finding says in a sentence what counts as a change of the page.
func (p *Page) Finding() string {
	switch {
	case p.Counted.Rule == nil:
		return fmt.Sprintf("No rule holds for this page of %s: --change says what counts as a "+
			"change.", words.Plural(len(p.Links), "link"))
	case len(p.Counted.Lines) == 0:
		return "The rule for " + p.Counted.Rule.Prefix +
			" leaves no text: the page will never count as changed."
	}
	return fmt.Sprintf("The rule for %s leaves %s that count as the page.",
		p.Counted.Rule.Prefix, words.Plural(len(p.Counted.Lines), "line"))
}

// Tables returns the page for people.
func (p *Page) Tables() []report.Table {
	facts := report.Table{Title: p.URL, Rows: [][]string{
		{"title", p.Title}, {"language", p.Language}, {"type", p.Type}, {"charset", p.Charset},
		{"octets", fmt.Sprint(p.Octets)}, {"links", fmt.Sprint(len(p.Links))},
		{"feeds", strings.Join(p.Sources, " ")},
		{"digest of bytes", p.Digests.Bytes}, {"digest of text", p.Digests.Text},
		{"digest of main text", p.Digests.Main},
	}}
	for _, mark := range []struct {
		set  bool
		says string
	}{
		{p.NoIndex, "it asks not to be indexed"},
		{p.NoFollow, "it asks that its links are not followed"},
		{p.Cut, "it was not read to its end: something in it is too large"},
	} {
		if mark.set {
			facts.Rows = append(facts.Rows, []string{"", mark.says})
		}
	}
	if p.Counted.Rule == nil {
		return p.withLinks(facts, report.Table{Title: "Main text", Note: p.Main})
	}
	facts.Rows = append(facts.Rows, []string{"digest of what counts", p.Digests.Counted})
	hits := report.Table{Title: "The rule for " + p.Counted.Rule.Prefix,
		Header: []string{"", "expression", "found", "first"},
		Note:   strings.Join(p.Counted.Notes, "\n")}
	for _, h := range p.Counted.Hits {
		hits.Rows = append(hits.Rows, []string{h.Key, h.Expression, fmt.Sprint(h.Count), h.Sample})
	}
	counts := report.Table{Title: "What counts", Note: strings.Join(p.Counted.Lines, "\n")}
	if len(p.Counted.Lines) == 0 {
		counts.Note = "Nothing."
	}
	return p.withLinks(facts, report.Table{Title: "Main text", Note: p.Main}, hits, counts)
}

func (p *Page) withLinks(tables ...report.Table) []report.Table {
	if len(p.Filters) > 0 {
		tables = append(tables, FiltersTable(p.Filters))
	}
	if len(p.Links) == 0 {
		return tables
	}
	t := report.Table{Title: "Links"}
	for _, url := range p.Links {
		t.Rows = append(t.Rows, []string{url})
	}
	return append(tables, t)
}

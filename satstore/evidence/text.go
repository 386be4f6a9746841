package evidence

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/fetch/archive/captures"
)

// Help says to users what captures are for.
const Help = `Several files, or one that is no list, are what others saw: sitemaps, CDXJ and CDX indexes, WARC and
WACZ files of any writer, dumps of Nutch (readdb -dump), logs of web servers (with --server). The format
is told by the content. Of a directory its WARC files are taken, as of run --archive. Captures of a page
become its past, so that planning begins warm: the first is its first visit, others with equal digests
saw no change, with different ones a change. A page that run has visited keeps what was found. Sitemaps,
lists and logs name addresses, and are no visits. The same files again change nothing.
Digests of an index are of the bytes as they were sent: they show more changes than main text has. Of
WARC files the bodies are read, as run reads them; --change says what counts as a change.

--history makes histories of the captures instead, one file a server, which eval reads.

`

// Examples are of that.
const Examples = `
  recrawl import --data crawl --from 2025 captures.cdxj.gz
  recrawl import --data crawl --change main wget.warc.gz archive/
  recrawl import --data crawl --server https://example.org access.log
  recrawl import --history histories archive/ && recrawl eval histories --protocol stream`

// JSON describes a Result as JSON.
const JSON = `Of captures --json prints {"files":[` + captures.FileJSON + `],"addresses","new",
"with_past","left_out","kept","told":{"visits","compared","changes","uncertain","left"},
"most_asked":[{"url","requests"}]}.`

// Text says it to people.
func (r *Result) Text(w io.Writer) error {
	for _, f := range r.Files {
		if err := f.Text(w); err != nil {
			return err
		}
	}
	n := func(n int64, what string) string { return report.Plural(int(n), what) }
	_, err := fmt.Fprintf(w, "%s: %d new, %d got a past, %d with nothing new, %d left out as they are gone or moved\n%s: %s, %d of %d comparisons; %d could not be compared\n",
		n(r.Addresses, "page"), r.New, r.Past, r.Kept, r.Left, n(r.Told.Visits, "past visit"), n(r.Told.Changes, "change"), r.Told.Changes, r.Told.Compared, r.Told.Uncertain)
	for _, a := range r.Asked {
		if err == nil {
			_, err = fmt.Fprintf(w, "  asked for %d times: %s\n", a.Requests, a.URL)
		}
	}
	return err
}

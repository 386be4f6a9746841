package tidy

import (
	"errors"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

// Entry is a row of Journal.
type Entry struct {
	Time   time.Time  `parquet:"time,timestamp(millisecond),delta" doc:"time of the visit"`
	Round  int64      `parquet:"round,delta" doc:"planning period"`
	Server string     `parquet:"server,dict" doc:"server, with its port where that is not the usual one"`
	Page   string     `parquet:"page,dict" doc:"URL of the page"`
	First  bool       `parquet:"first" doc:"whether there was no copy of the page: discovery, not a refetch"`
	Due    *time.Time `parquet:"due,timestamp(millisecond)" doc:"due time; null: the policy has none"`
	Reason string     `parquet:"reason,dict" doc:"reason of the choice"`

	Probability *float64 `parquet:"probability,split" doc:"probability of a change since the copy, as planned; null: the policy estimates none"`
	DrawnFrom   int64    `parquet:"drawn_from,dict" unit:"pages" doc:"number of pages from which a visit of exploration was drawn; 0: no exploration"`
	Gone        float64  `parquet:"gone,dict" doc:"probability that the page is gone, where it was visited for that; else 0"`

	Outcome string    `parquet:"outcome,dict" doc:"how the visit ended: fetched, not-modified, gone, redirected, excluded, failed or unknown"`
	Verdict string    `parquet:"verdict,dict" doc:"what it showed: first, changed, unchanged, left, doubted, baseline or unknown"`
	Status  int64     `parquet:"status,dict" doc:"status of HTTP; 0: no answer"`
	Detail  string    `parquet:"detail,dict" doc:"reason of a failure or exclusion; empty otherwise"`
	Bytes   int64     `parquet:"bytes" unit:"bytes" doc:"bytes of the content"`
	Moved   int64     `parquet:"moved" unit:"bytes" doc:"bytes from the network, headers and robots.txt included"`
	Elapsed int64     `parquet:"elapsed_ms" unit:"ms" doc:"time that the visit took"`
	Type    string    `parquet:"type,dict" doc:"media type; empty: unknown"`
	Next    time.Time `parquet:"next,timestamp(millisecond)" doc:"next due time"`
}

// Journal has the visits of run.
var Journal = NewKind[Entry]("journal", "a visit of `run`")

// Export is the result of an export.
type Export struct {
	Rows map[string]int `json:"rows"` // by table
	Torn int            `json:"torn"` // lines of the journal that a crash tore
}

// WriteJournal writes the table of a journal while it reads it.
func WriteJournal(s *Tables, dir string, tell directory.Func) (*Export, error) {
	t, err := Journal.Open(s)
	if err != nil {
		return nil, err
	}
	batch, visits := t.Batch(), 0
	torn, err := journal.Read(dir, tell, func(e *journal.Entry) {
		visits++
		batch.Add(Entry{e.Time.UTC(), int64(e.Round), sitegraph.ServerName(e.URL), e.URL, e.First,
			e.Due, e.Reason, e.Probability, int64(e.DrawnFrom), e.Gone, e.Outcome, e.Verdict,
			int64(e.Status), e.Detail, e.Bytes, e.Moved, e.ElapsedMillis, e.Type, e.Next.UTC()})
	})
	batch.End()
	return &Export{map[string]int{Journal.Name: visits}, torn}, err
}

// Page is a row of Pages.
type Page struct {
	Server   string    `parquet:"server,dict" doc:"server, with its port where that is not the usual one"`
	Page     string    `parquet:"page" doc:"URL of the page"`
	First    time.Time `parquet:"first_seen,timestamp(millisecond)" doc:"time of its first version"`
	Last     time.Time `parquet:"last_changed,timestamp(millisecond)" doc:"time of its last version"`
	Versions int64     `parquet:"versions" doc:"versions of the page"`
	Changes  int64     `parquet:"changes" doc:"versions whose bytes differ from the living version just before"`
	Gone     bool      `parquet:"gone" doc:"whether the page is gone or redirects at the end"`
}

// Pages has the pages of histories.
var Pages = NewKind[Page]("pages", "a page of a history")

// Version is a row of Versions.
type Version struct {
	Server   string    `parquet:"server,dict" doc:"server, with its port where that is not the usual one"`
	Page     string    `parquet:"page,dict" doc:"URL of the page"`
	Time     time.Time `parquet:"time,timestamp(millisecond)" doc:"start; the version holds until the page's next one"`
	Gone     bool      `parquet:"gone" doc:"whether the page is gone from then on"`
	Redirect string    `parquet:"redirect,dict" doc:"URL that the page redirects to from then on; empty: none"`
	Digest   string    `parquet:"digest" doc:"digest of the bytes; empty: no page"`
	Text     string    `parquet:"text" doc:"digest of the visible text; empty: unknown"`
	Main     string    `parquet:"main" doc:"digest of the main text; empty: unknown"`
	Size     *int64    `parquet:"size" unit:"bytes" doc:"of the page; null: unknown"`
	Links    *int64    `parquet:"links" doc:"number of URLs that the page links to; null: unknown"`
}

// Versions has the lines of histories.
var Versions = NewKind[Version]("versions", "a version of a page of a history")

// WriteHistories writes the tables of histories.
func WriteHistories(s *Tables, servers []*history.Server) (*Export, error) {
	of, err := Pages.Open(s)
	if err != nil {
		return nil, err
	}
	lines, err := Versions.Open(s)
	if err != nil {
		return nil, err
	}
	pages, versions := 0, 0
	for _, server := range servers {
		for _, p := range server.Pages {
			row := Page{Server: server.Name, Page: p.URL, Versions: int64(len(p.Versions))}
			rows := make([]Version, len(p.Versions))
			for i := range p.Versions {
				v := &p.Versions[i]
				rows[i] = versionOf(server.Name, p.URL, v)
				if i > 0 && v.Alive() && p.Versions[i-1].Alive() &&
					v.Digests.Bytes != p.Versions[i-1].Digests.Bytes {
					row.Changes++
				}
			}
			if n := len(rows); n > 0 {
				row.First, row.Last = rows[0].Time, rows[n-1].Time
				row.Gone = !p.Versions[n-1].Alive()
			}
			if err := errors.Join(of.Write(row), lines.Write(rows...)); err != nil {
				return nil, err
			}
			pages, versions = pages+1, versions+len(rows)
		}
	}
	return &Export{Rows: map[string]int{Pages.Name: pages, Versions.Name: versions}}, nil
}

func versionOf(server, page string, v *history.Version) Version {
	row := Version{Server: server, Page: page, Time: time.Unix(v.T, 0).UTC(), Gone: v.Gone,
		Redirect: v.Redirect}
	if !v.Alive() {
		return row
	}
	row.Digest, row.Text, row.Main = digest(v.Digests.Bytes), digest(v.Digests.Text),
		digest(v.Digests.Main)
	if v.Size > 0 {
		row.Size = &v.Size
	}
	if n := int64(len(v.Links)); v.LinksKnown {
		row.Links = &n
	}
	return row
}

// digest returns a digest as text, empty for none.
func digest(d sitegraph.Digest) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

package search

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/recrawl/recrawl/fetch/corpus"
	"github.com/recrawl/recrawl/fetch/filter"
)

// moment is the form of times, in UTC.
const moment = "2006-01-02 15:04:05"

// builtText writes the counts of a build, with the pages that each rule left out.
func builtText(r *corpus.Result, w io.Writer) error {
	fmt.Fprintf(w, "%d new captures: %d pages read, %d gone, %d judged; %d documents written, %d "+
		"withdrawn\n",
		r.Captures, r.Read, r.Gone, r.Judged, r.Written, r.Withdrawn)
	fmt.Fprintf(w, "%d versions of pages are new in the index, %d are deleted, %d were collected\n",
		r.Indexed, r.Deleted, r.Collected)
	fmt.Fprintf(w, "%d of %d pages are in the corpus, in %d containers of %d bytes\n",
		r.Selected, r.Pages, r.Containers, r.Bytes)
	leftOutText(r.LeftOut, w)
	for _, note := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return nil
}

// leftOutText writes the number of pages that each rule left out.
func leftOutText(pages map[string]int, w io.Writer) {
	for _, rule := range filter.SelectionRules {
		if n := pages[string(rule)]; n > 0 {
			fmt.Fprintf(w, "  %-10s %d pages left out\n", rule, n)
		}
	}
}

// summaryText writes the counts of a corpus.
func summaryText(s *corpus.Summary, w io.Writer) error {
	fmt.Fprintf(w, "%d of %d pages of the archive are in the corpus, %d of them of blogs\n",
		s.Selected, s.Pages, s.Blogs)
	leftOutText(s.LeftOut, w)
	for _, d := range s.Domains[:min(len(s.Domains), 10)] {
		fmt.Fprintf(w, "domain %s: %d servers, %d pages\n", d.Name, d.Servers, d.Pages)
	}
	if s.Largest.Pages > 0 {
		fmt.Fprintf(w, "largest server: %s, %d pages\n", s.Largest.Name, s.Largest.Pages)
	}
	return nil
}

// pageText writes the reason why a page is in the corpus or not, and its document.
func pageText(p *corpus.Page, w io.Writer) error {
	verdict := "it is selected"
	if !p.Selected {
		verdict = fmt.Sprintf("it is left out by the rule %q: %s", p.Rule, p.Why)
	}
	fmt.Fprintf(w, "%s\n%s\n", p.URL, verdict)
	fmt.Fprintf(w, "%d bytes of main text, %d words, language %s; blog: %v; linked from another "+
		"server: %v\n",
		p.Facts.Text, p.Facts.Words, cmp.Or(p.Facts.Language, "unknown"), p.Facts.Blog, p.Outside)
	fmt.Fprintf(w, "content since %s, last verified %s; in %s at byte %d\n",
		p.Changed.UTC().Format(moment), p.Verified.UTC().Format(moment), p.File, p.Offset)
	if len(p.XML) > 0 {
		fmt.Fprintln(w)
		_, err := w.Write(p.XML)
		return err
	}
	return nil
}

// removalText writes the counts of a removal.
func removalText(r *corpus.Removal, w io.Writer) error {
	fmt.Fprintf(w, "%d pages are removed from the corpus, %d of them from its index; none is "+
		"taken in again\n", r.Pages, r.Deleted)
	if r.Archive != nil {
		fmt.Fprintf(w, "%d records of %d bytes are removed from the archive\n",
			r.Archive.Records, r.Archive.Octets)
		if n := r.Archive.Others; n > 0 {
			fmt.Fprintf(w, "%d of these are of other addresses, whose body was in such a record\n", n)
		}
	}
	if r.Never {
		fmt.Fprintln(w, "the planner visits none of them again")
	}
	return nil
}

// checkedText writes the counts of a check, and each damage.
func checkedText(r *corpus.Checked, w io.Writer) error {
	fmt.Fprintf(w, "%d documents and %d units of the index were read\n", r.Documents, r.Units)
	for _, what := range r.Damage {
		fmt.Fprintf(w, "damaged: %s\n", what)
	}
	return nil
}

// weighedText writes the list of weights that the planner reads.
func weighedText(w *corpus.Weighed, to io.Writer) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "# weights by %s; for --weights of recrawl run\n", w.By)
	for _, p := range w.Pages {
		fmt.Fprintf(out, "%.6g\t%s\n", p.Weight, p.URL)
	}
	return out.Flush()
}

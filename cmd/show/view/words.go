package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph/words"
)

func (n *Now) finding() string {
	if !n.Live {
		return fmt.Sprintf("This crawl is not running. It knows %s.", Counted(n.Known, "page"))
	}
	if busy := n.At.Sub(n.Looked); busy > 2*time.Second {
		return fmt.Sprintf("The run has been busy with its next round for %s. The figures of the "+
			"planner are older.", words.Span(busy))
	}
	if n.Stalled != "" {
		return "No visits are made: " + n.Stalled + "."
	}
	if n.Total.Visits == 0 {
		return fmt.Sprintf("No visit was made yet; the run knows %s.", Counted(n.Known, "page"))
	}
	text := fmt.Sprintf("%s since the run began", Counted(int(n.Total.Visits), "visit"))
	if n.Hour.Visits < n.Total.Visits {
		text += fmt.Sprintf(", %s in the last hour", words.Grouped(n.Hour.Visits))
	}
	if told := n.Total.Changed + n.Total.Unchanged; told > 0 {
		text += fmt.Sprintf("; %.0f %% of the refetches found a change", 100*n.Rate)
	}
	if n.Total.Expected >= 5 {
		text += fmt.Sprintf("; where %.0f changes were expected, %s were found",
			n.Total.Expected, words.Grouped(n.Total.Found))
	}
	return text + "."
}

func (f *Freshness) finding() string {
	if f.At.IsZero() || f.At.Year() < 1970 {
		return "All pages are being looked at for the first time."
	}
	if f.Copies == 0 {
		return "There is no copy of any page yet."
	}
	text := "It is not known yet how many of " + Counted(f.Copies, "copy") + " are up to date"
	if f.Fresh != nil {
		text = fmt.Sprintf("About %.0f %% of %s are up to date (%.0f to %.0f %%)",
			100*f.Fresh.Mean, Counted(f.Copies, "copy"), 100*f.Fresh.Low, 100*f.Fresh.High)
	}
	if f.Overdue > 0 {
		is := "pages are"
		if f.Overdue == 1 {
			is = "page is"
		}
		text += fmt.Sprintf("; %s %s overdue, the oldest by %s",
			words.Grouped(int64(f.Overdue)), is, words.Span(time.Since(f.Oldest)))
	} else {
		text += "; nothing is overdue"
	}
	if f.Promised > 0 {
		text += fmt.Sprintf("; %.1f %% are within their greatest age",
			100*(1-float64(f.TooOld)/float64(f.Promised)))
	}
	return text + "."
}

func (t *DueTimes) finding(overdue int) string {
	if len(t.Buckets) == 0 {
		return "All pages are being looked at for the first time."
	}
	hour, day := 0, 0
	for i, b := range t.Buckets[1:] {
		if i < 1 {
			hour += b.Pages
		}
		if i < 24 {
			day += b.Pages
		}
	}
	return fmt.Sprintf("Due already: %s, and overdue: %s. Due within an hour: %s, within a day: %s.",
		Counted(t.Buckets[0].Pages, "page"), words.Grouped(int64(overdue)),
		words.Grouped(int64(hour)), words.Grouped(int64(day)))
}

// Counted returns a grouped number with its noun.
func Counted(n int, noun string) string {
	_, noun, _ = strings.Cut(words.Plural(n, noun), " ")
	return words.Grouped(int64(n)) + " " + noun
}

func (p *Plan) finding(live bool) string {
	n := len(p.Visits)
	switch {
	case n == 0 && live:
		return "Nothing is chosen now: the visits of the round that ends " +
			words.UTC(p.RoundEnd) + " are done, or the policy wanted none."
	case n == 0:
		return "No visit is planned in the round that ends " + words.UTC(p.RoundEnd) + "."
	}
	text := fmt.Sprintf("%s of the round that ends %s",
		Counted(n+p.Further, "visit"), words.UTC(p.RoundEnd))
	if live {
		return text + " are chosen, in the order that politeness allows."
	}
	return text + ", from a dry run."
}

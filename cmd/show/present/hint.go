package present

import (
	"fmt"
	"math"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// hint has the claims of feeds and sitemaps on a page.
type hint struct {
	Kind string `json:"kind"` // of the source of log_ratio
	// Claimed is the newest claimed modification; null: listed without a date.
	Claimed   *time.Time `json:"claimed"`
	EveryDays *float64   `json:"every_days"` // time between changes, as claimed; null: not claimed
	// LogRatio is what the hint adds to the log odds of a change.
	LogRatio float64 `json:"log_ratio"`
}

// hintOf returns the hint of a page; nil if no feed or sitemap names the page.
func hintOf(c *planner.Pages, page sitegraph.PageID) *hint {
	h, ok := c.Hints.Of(page)
	if !ok {
		return nil
	}
	r := &hint{Kind: h.Kind.String(), Claimed: moment(h.Claimed), LogRatio: h.LogRatio}
	if h.Every > 0 {
		days := estimator.Days(h.Every)
		r.EveryDays = &days
	}
	return r
}

func (h *hint) String() string {
	if h == nil {
		return "absent: no feed or sitemap names it"
	}
	text := "a " + h.Kind + " names it"
	if h.Claimed != nil {
		text += ", modified " + h.Claimed.Format(time.RFC3339)
	}
	if h.EveryDays != nil {
		text += ", changing each " + words.Span(time.Duration(*h.EveryDays*float64(24*time.Hour)))
	}
	return text + fmt.Sprintf("; proved worth: odds x%.2g", math.Exp(h.LogRatio))
}

package dashboard

import (
	"fmt"
	"math"
	"strings"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/eval/tune"
	"github.com/recrawl/recrawl/fetch/archive/difference"
	"github.com/recrawl/recrawl/planner/view"
)

// shownDiff is a comparison as a page shows it: long stretches that are equal are cut.
type shownDiff struct {
	*difference.Result
	Parts []shownPiece
	Equal bool
}

type shownPiece struct {
	Of   string // equal, removed, added or cut
	Text string
}

const (
	// aroundChange is how many characters of equal text are shown beside a change.
	aroundChange = 160
	// shownPieces bounds those of a page.
	shownPieces = 2000
)

func diffOf(d *difference.Result) shownDiff {
	s := shownDiff{Result: d, Equal: d.Removed+d.Added == 0}
	for i, p := range d.Pieces {
		if len(s.Parts) > shownPieces {
			s.Parts = append(s.Parts, shownPiece{"cut", "more changes are not shown"})
			break
		}
		if p.Of != "equal" {
			s.Parts = append(s.Parts, shownPiece{p.Of, p.Text})
			continue
		}
		text := []rune(p.Text)
		first, last := i == 0, i == len(d.Pieces)-1
		if len(text) <= 2*aroundChange {
			s.Parts = append(s.Parts, shownPiece{"equal", p.Text})
			continue
		}
		if !first {
			s.Parts = append(s.Parts, shownPiece{"equal", string(text[:aroundChange])})
		}
		s.Parts = append(s.Parts, shownPiece{"cut", "…"})
		if !last {
			s.Parts = append(s.Parts, shownPiece{"equal", string(text[len(text)-aroundChange:])})
		}
	}
	return s
}

// tuneSentence says what the present budget buys by a prediction, and what another one would.
func tuneSentence(t *view.Tuning) string {
	r := t.Result
	var parts []string
	for _, x := range r.Curve {
		if r.Knee != nil && x.Budget == r.Knee.Budget {
			parts = append(parts, fmt.Sprintf("Beyond %s of the pages a day a fetch more buys "+
				"less than the mean fetch up to the largest budget tried", percent(x.Budget)))
		}
	}
	if n := len(r.Curve); n > 0 && !math.IsNaN(float64(r.Curve[n-1].Coverage.Value)) {
		parts = append(parts, fmt.Sprintf("%s a day would find about %s of the changes",
			percent(r.Curve[n-1].Budget), percent(float64(r.Curve[n-1].Coverage.Value))))
	}
	if len(parts) == 0 {
		return "The prediction has no budget with a value."
	}
	return strings.Join(parts, "; ") + "."
}

func shownNumber(v eval.Number) string {
	if math.IsNaN(float64(v)) {
		return "–"
	}
	return report.Significant(float64(v), 4)
}

// ranged is a share with its spread.
func ranged(r tune.Range) string {
	if math.IsNaN(float64(r.Value)) {
		return "–"
	}
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*float64(r.Value), 100*float64(r.Low),
		100*float64(r.High))
}

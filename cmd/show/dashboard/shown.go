package dashboard

import (
	"github.com/recrawl/recrawl/fetch/archive"
)

// shownDiff is a comparison as a page shows it: long equal stretches are cut.
type shownDiff struct {
	*archive.Difference
	Parts []shownPiece
	Equal bool
}

type shownPiece struct {
	Of   string // equal, removed, added or cut
	Text string
}

const (
	// aroundChange is how many characters of equal text are shown on each side of a change.
	aroundChange = 160
	// shownPieces bounds the pieces of a page.
	shownPieces = 2000
)

func diffOf(d *archive.Difference) shownDiff {
	s := shownDiff{Difference: d, Equal: d.Removed+d.Added == 0}
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

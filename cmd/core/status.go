package core

import (
	"github.com/recrawl/recrawl/cmd/show/report"
)

// statusLine tells how a run goes.
type statusLine struct {
	*report.Line
	p *Program
}

func (p *Program) status() *statusLine {
	return &statusLine{report.NewLine(p.beside()), p}
}

// stalled says why no visit is made, or that visits go on.
func (s *statusLine) stalled(why error) {
	if why == nil {
		s.note("going on")
		return
	}
	s.note("waiting: " + why.Error() + "; no page is blamed, visits go on when this is over")
}

// note prints a line that stays, unless there is nothing to say.
func (s *statusLine) note(text string) {
	if text != "" {
		s.End()
		s.p.Note("%s", text)
	}
}

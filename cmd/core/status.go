package core

import (
	"github.com/recrawl/recrawl/cmd/show/report"
)

// statusLine shows the progress of a run.
type statusLine struct {
	*report.Line
	p *Program
}

func (p *Program) status() *statusLine {
	return &statusLine{report.NewLine(p.beside()), p}
}

// stalled reports why no visit is made, or that visits continue.
func (s *statusLine) stalled(why error) {
	if why == nil {
		s.note("going on")
		return
	}
	s.note("waiting: " + why.Error() + "; no page is blamed, visits go on when this is over")
}

// note prints a permanent line, unless it is empty.
func (s *statusLine) note(text string) {
	if text != "" {
		s.End()
		s.p.Note("%s", text)
	}
}

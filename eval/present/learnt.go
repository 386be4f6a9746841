package present

import (
	"fmt"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/report"
)

// learntSection says what the policies that learn went by, and so how far they can be believed;
// nothing if none took part.
func learntSection(run Run) []report.Section {
	l := run.learnt
	if l == nil {
		return nil
	}
	variants := run.comparison != nil && len(run.comparison.Without) > 0
	s := report.Section{Title: "What value goes by", Text: LearntText(l)}
	switch {
	case !variants:
	case l.Folds > 0:
		s.Text += " So were those of each variant, from the visits that value chose, without the " +
			"evidence that it is denied; it may not know well what its own choices lead to."
	default:
		s.Text += " Variants go by the same parameters, which expect the evidence that they are " +
			"denied; with --folds each learns its own and can make more of the rest."
	}
	return []report.Section{s}
}

func LearntText(l *eval.Learnt) string {
	switch {
	case l.Folds > 0:
		return fmt.Sprintf("The parameters of value were learnt anew for each of %d folds of the "+
			"servers, on the servers of the other folds: no server is judged by what was learnt "+
			"on it (%s).", l.Folds, l.Source)
	case l.SameServers:
		return fmt.Sprintf("The parameters of value were learnt on these very histories (%s): it "+
			"does better here than it would on servers it has not seen. --folds learns them out "+
			"of fold.", l.Source)
	}
	return fmt.Sprintf("The parameters of value were learnt on other histories (%s), or on more "+
		"or fewer than these: a fingerprint does not tell whether some are the same.", l.Source)
}

package budget

import "testing"

// An account that was not opened for a round tells of no use, and does not panic: a run that begins
// in a round whose budget is used up asks it.
func TestUsesBeforeOpen(t *testing.T) {
	b := NewAccount("", []Limit{{Amount: 10, Unit: InFetches, Per: Day}})
	if uses := b.Uses(); len(uses) != 0 {
		t.Errorf("uses %v", uses)
	}
}

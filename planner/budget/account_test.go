package budget

import "testing"

// An account that was not opened for a round reports no use and does not panic. A run that begins
// in a round with a used-up budget asks such an account.
func TestUsesBeforeOpen(t *testing.T) {
	b := NewAccount("", []Limit{{Amount: 10, Unit: InFetches, Per: Day}})
	if uses := b.Uses(); len(uses) != 0 {
		t.Errorf("uses %v", uses)
	}
}

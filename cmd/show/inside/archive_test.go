package inside

import (
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/archive"
)

// TestArchiveFindingLeavesOutZeros checks that a finding has no count of 0 files.
func TestArchiveFindingLeavesOutZeros(t *testing.T) {
	t.Parallel()
	s := &archive.Status{Pages: 3, Captures: 4, Files: 1, Bytes: 500, Left: 1}
	s.Requisites = archive.HeldRequisites{Kept: 32, Captures: 32, Bytes: 16067}
	got := ArchiveFinding(s)
	const want = " Gone, moved or refused at the last capture: 1 page. Earlier copies are kept." +
		" Files that pages show: 32 files kept, in 32 captures of 16067 bytes."
	if !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want the end %q", got, want)
	}
	s.Requisites = archive.HeldRequisites{Waiting: 1, Unkept: 2}
	got = ArchiveFinding(s)
	const rest = " Not yet asked for: 1 file that pages show. Without a copy: 2 files that pages show."
	if !strings.HasSuffix(got, rest) || strings.Contains(got, " 0 ") {
		t.Errorf("got %q, want the end %q", got, rest)
	}
}

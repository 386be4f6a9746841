package core

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPageHasItsParts(t *testing.T) {
	got := parseManualPage("Do it\n\nIt does {what}.\n\nTwice.\n\nExamples:\n  recrawl it\n  recrawl it " +
		"--twice\n")
	want := manualPage{"Do it", "It does {what}.\n\nTwice.", "  recrawl it\n  recrawl it --twice"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want = manualPage{short: "Print the version"}
	if got := parseManualPage("Print the version\n"); got != want {
		t.Errorf("a page of one line: %+v", got)
	}
}

// TestCommandWithoutPage checks that a command without a page is refused with the page's name.
func TestCommandWithoutPage(t *testing.T) {
	root := &cobra.Command{Use: "recrawl"}
	if err := writeManual(root, strings.NewReplacer()); err != nil {
		t.Errorf("the root alone: %v", err)
	}
	root.AddCommand(&cobra.Command{Use: "nosuch"})
	if err := writeManual(root, strings.NewReplacer()); err == nil ||
		!strings.Contains(err.Error(), "nosuch.txt") {
		t.Errorf("error %v does not name the missing page", err)
	}
}

package core

import (
	"embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// manualPages has the help of every command, one text a command, in the folder pages. A text says
// in one line what the command is for, then what it does and prints, then gives calls of it.
//
// A page is named after its command: bench-sat.txt is what "recrawl bench sat --help" prints before
// its flags. Its first line is the line of the command in the help of the command above it. What
// follows a line "Examples:" are the examples.
//
// writeMan makes pages for man(1) of the same texts.
//
// # Guarantees
//
//  1. Every command has a page: the program does not start otherwise. A test holds every page to a
//     command.
//  2. What a page says of names that the program knows, such as policies, is filled in when it is
//     read, so that no page can be out of date about them.
//  3. The help of the root lists the commands by what they are for.
//
//go:embed pages/*.txt
var manualPages embed.FS

// pageAnnotation names the page of a command, if that differs from its name.
const pageAnnotation = "page"

// writeManual adds the pages to root and the commands below it. words replaces the names in braces.
// A command without a page is an error.
func writeManual(root *cobra.Command, words *strings.Replacer) error {
	if err := writeManualPage(root, words); err != nil {
		return err
	}
	groupCommands(root)
	return nil
}

func writeManualPage(c *cobra.Command, words *strings.Replacer) error {
	text, err := manualPages.ReadFile("pages/" + manualPageOf(c) + ".txt")
	if err != nil {
		return fmt.Errorf("manual of %s: %w", c.CommandPath(), err)
	}
	page := parseManualPage(words.Replace(string(text)))
	c.Short, c.Long, c.Example = page.short, page.long, page.examples
	for _, below := range c.Commands() {
		if err := writeManualPage(below, words); err != nil {
			return err
		}
	}
	return nil
}

// manualPageOf returns the name of a command's page: the names of the command and its parents
// without the root, joined by "-".
func manualPageOf(c *cobra.Command) string {
	if name := c.Annotations[pageAnnotation]; name != "" {
		return name
	}
	return strings.ReplaceAll(strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" "), " ", "-")
}

// manualPage is the help of one command.
type manualPage struct {
	short    string // one line
	long     string // whole lines without the last line end; may be empty
	examples string // calls, each indented by two blanks
}

func parseManualPage(text string) manualPage {
	short, rest, _ := strings.Cut(text, "\n")
	long, examples, _ := strings.Cut(rest, "\nExamples:\n")
	return manualPage{short, strings.Trim(long, "\n"), strings.TrimRight(examples, "\n")}
}

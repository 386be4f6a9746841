package main

import "github.com/spf13/cobra"

func (p *program) showCommand() *cobra.Command {
	return group(&cobra.Command{Use: "show", Short: "Look inside a file or a page"}, "unknown command %q of show", "recrawl show page", p.showPageCommand())
}

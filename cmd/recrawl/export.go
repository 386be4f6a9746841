package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/eval/recorded"
)

func (p *program) exportCommand() *cobra.Command {
	var to string
	cmd := p.command(&cobra.Command{
		Use:   "export --data DIRECTORY --history DIRECTORY",
		Short: "Write histories of the pages that run visited, for eval, survey, tune and learn",
		Long: `export writes what run saw in its visits as histories, one file a server. eval, survey, tune and
learn read them: so you can ask what another policy or budget would have found on your own pages.

Versions come from the journal, links from the store as they are now. A change is dated by the visit
that saw it. What changed and changed back between two visits is in no history. So a page that was
visited seldom seems to change seldom: keep that in mind when you compare policies.

--data is the directory of run, or while run works a checkpoint with the folder journal beside it.
Existing files are not overwritten.`,
		Example: "  recrawl export --data crawl --history histories\n  recrawl eval histories --protocol stream --base 4",
		Args:    noArguments,
	}, func(context.Context, []string) error { return p.export(to) })
	cmd.Flags().StringVar(&to, "history", "", "directory for the histories; it is made if need be")
	return cmd
}

func (p *program) export(to string) error {
	c := &p.config
	switch {
	case c.Data == "":
		return errNoData
	case to == "":
		return usageError{errors.New("no directory for the histories given"), "say where they go: --history histories"}
	}
	servers, torn, err := recorded.Histories(c.Data)
	if err != nil {
		return err
	}
	if len(servers) == 0 {
		return usageError{fmt.Errorf("the journal of %s tells of no page", c.Data), "let run visit its pages first"}
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("directory of the histories: %w", err)
	}
	for _, s := range servers {
		file := filepath.Join(to, url.PathEscape(s.Name)+".jsonl.gz")
		if _, err := os.Lstat(file); err == nil {
			return usageError{fmt.Errorf("%s is there already", file), "histories go into files of their own: name another directory"}
		}
		if err := writeWhole(file, func(w io.Writer) error { return history.Write(w, s) }); err != nil {
			return err
		}
	}
	result := recorded.NewExport(servers, torn)
	if p.json {
		return p.printJSON(result)
	}
	return result.Text(p.stdout, to)
}

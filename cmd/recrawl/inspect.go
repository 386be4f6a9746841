package main

import (
	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/satstore/inspect"
)

func (p *program) inspectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "inspect --data DIRECTORY",
		Short: "When the pages of a store are due, and its size on disk",
		Long: `inspect shows how many records of a store are due when: by hour near its clock, by day far from it.
It also shows the oldest due time and the sizes of the files. It writes nothing.

The directory must not be in use: recrawl checkpoint makes a copy while run works.`,
		Example: "  recrawl inspect --data crawl\n  recrawl inspect --data crawl --json | jq .due[0]",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.load(cmd); err != nil {
				return err
			}
			return p.inspect()
		},
	}
	addSettings(cmd)
	return cmd
}

func (p *program) inspect() error {
	store, err := p.openStore()
	if err != nil {
		return err
	}
	defer store.Close() // nothing was written
	r, err := inspect.Store(store)
	if err != nil {
		return err
	}
	return p.publish(r, r.Page(), "")
}

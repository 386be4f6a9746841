package main

import "fmt"

// hasSpace says why no visit may begin: the disk is as good as full, so that what it brings could not be kept.
// Where the free space is not known it returns no error.
func (p *program) hasSpace() error {
	free, ok := freeBytes(p.config.Data)
	if !ok || free >= p.config.MinFree {
		return nil
	}
	return fmt.Errorf("the disk of %s has %d bytes free, fewer than --min-free %d", p.config.Data, free, p.config.MinFree)
}

package intake

import (
	"context"
	"errors"
	"fmt"

	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph"
)

// Checked is the result of CheckSet.
type Checked struct {
	Fingerprints uint64
	Runs         int    // files with fingerprints
	Pages        uint64 // of the store that the set covers; 0 for a set without a store
	Damage       []*seen.DamageError
}

// CheckSet verifies every byte of the set in a directory, and that it agrees with the pages of the
// store that it covers: it must have exactly their fingerprints. Otherwise import would add a page
// again, or lose one. With store nil it verifies only the bytes. It changes nothing, and ends with
// the error of ctx. A missing set is seen.ErrNoSet, one in use directory.ErrInUse, one of a newer
// program a *seen.FormatError, each wrapped.
func CheckSet(ctx context.Context, dir string, o seen.SetOptions, store Store) (*Checked, error) {
	o.ReadOnly, o.BufferKeys = true, 1
	set, err := seen.OpenSet(dir, o)
	var damage *seen.DamageError
	if errors.As(err, &damage) { // nothing else can be read then
		return &Checked{Damage: []*seen.DamageError{damage}}, nil
	}
	if err != nil {
		return nil, err
	}
	stats := set.Stats()
	c := &Checked{Fingerprints: stats.Keys, Runs: stats.RunCount}
	if store != nil {
		c.Pages = set.Mark().Count
	}
	c.Damage, err = set.Check()
	if err == nil && len(c.Damage) == 0 && store != nil {
		var what string
		if what, err = disagreement(ctx, set, store); what != "" {
			c.Damage = append(c.Damage, &seen.DamageError{Path: set.Manifest(), What: what})
		}
	}
	return c, errors.Join(err, set.Close())
}

// disagreement says in what a set does not agree with the pages of its store; "" if they agree.
func disagreement(ctx context.Context, set *seen.Set, store Store) (what string, err error) {
	mark, key := set.Mark(), set.Key()
	if mark.Count > uint64(store.Pages()) {
		return fmt.Sprintf("the set covers %d pages of a store that has %d",
			mark.Count, store.Pages()), nil
	}
	if set.Len() > mark.Count {
		return fmt.Sprintf("the set has %d fingerprints of %d pages", set.Len(), mark.Count), nil
	}
	var keys []uint64
	var pages []sitegraph.PageID // of the keys
	found := make([]bool, caughtUp)
	missing, first, last := 0, sitegraph.NoPage, uint64(0)
	ask := func() error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := set.Has(keys, found); err != nil {
			return err
		}
		for i, known := range found[:len(keys)] {
			if !known {
				if missing++; missing == 1 {
					first = pages[i]
				}
			}
		}
		keys, pages = keys[:0], pages[:0]
		return nil
	}
	err = store.Addresses(0, func(p sitegraph.PageID, url []byte) error {
		if uint64(p) >= mark.Count {
			return errCovered
		}
		last = key.Of(string(url))
		if keys, pages = append(keys, last), append(pages, p); len(keys) == caughtUp {
			return ask()
		}
		return nil
	})
	if err == nil || errors.Is(err, errCovered) {
		err = ask()
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("compare the set with the pages of the store: %w", err)
	case missing > 0:
		return fmt.Sprintf("the set misses %d of the %d pages that it covers, the first is page %d",
			missing, mark.Count, first), nil
	case mark.Count > 0 && last != mark.Check:
		return fmt.Sprintf("page %d of the store is not the last one that the set covers",
			mark.Count-1), nil
	}
	return "", nil
}

// errCovered ends the reading of addresses: the set covers no more.
var errCovered = errors.New("all pages that the set covers were read")

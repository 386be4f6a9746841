package cluster

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// fillCommit is how many pages a transaction has.
	fillCommit = 20_000
	// fillDays are those in which pages that are known from the beginning were visited last.
	fillDays = 30
)

// fill makes the pages of a shard known that have been visited before, unless its store has some.
func (w *web) fill(dir string, s *satstore.Store) error {
	if w.Known == 0 || s.Pages() > 0 {
		return nil
	}
	shard, err := strconv.Atoi(filepath.Base(dir))
	if err != nil {
		return fmt.Errorf("fill the store in %s: %w", dir, err)
	}
	began, now := time.Now(), time.Now()
	for server := range w.Servers {
		if nodes.ShardOf(pageOf(server, 0), w.Shards) != shard {
			continue
		}
		first, pages := s.Pages(), sizeOf(w.Known, w.Servers, server)
		for n := range pages {
			r := sitegraph.Record{Page: sitegraph.PageID(first + n), URL: pageOf(server, n),
				State: sitegraph.StateAlive, Status: 200}
			r.Digests.Bytes = sitegraph.DigestOf([]byte(r.URL))
			last := now.Add(-time.Duration(n%fillDays) * 24 * time.Hour)
			r.History = sitegraph.Start(last.AddDate(0, 0, -fillDays))
			r.History.See(last, n%3 == 0, time.Time{})
			r.Tried, r.Due = last, now
			if err := s.Add(&r); err != nil {
				return err
			}
			if (first+n)%fillCommit == fillCommit-1 {
				if err := s.Commit(); err != nil {
					return err
				}
			}
		}
		for n := range pages {
			var links []sitegraph.PageID
			for _, next := range []int{2*n + 1, 2*n + 2} {
				if next < pages {
					links = append(links, sitegraph.PageID(first+next))
				}
			}
			err := s.SaveLinks(sitegraph.PageID(first+n), links, nil)
			if n == 0 {
				err = errors.Join(err, s.SaveStart(sitegraph.PageID(first)))
			}
			if err == nil && (first+n)%fillCommit == fillCommit-1 {
				err = s.Commit()
			}
			if err != nil {
				return err
			}
		}
		w.filled.Add(int64(pages))
	}
	err = s.Commit()
	w.filling.Add(int64(time.Since(began)))
	return err
}

// sizeOf is how many of so many pages a server has.
func sizeOf(known, servers, server int) int {
	size := known / servers
	if server < known%servers {
		size++
	}
	return size
}

package intake

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph"
)

// Others keeps the addresses of other servers that a crawl meets. Their pages do not become known,
// so that a crawl does not leave its servers. Each address becomes one line at the end of a file,
// from which it can be imported. The set of earlier addresses is beside the file.
//
// After a crash the addresses since the last settling Rest are missing, or are there twice: they
// are met again when their page is read again. The nil Others keeps nothing. Calls come from one
// goroutine.
type Others struct {
	key       seen.Key
	set       *seen.Set
	lines     *Lines
	pipeline  *seen.Pipeline
	important func(string) bool
	settled   time.Time
	err       error
}

const (
	// othersMemory is the memory of cache, filter, queues and set: the cache has the last 250,000
	// addresses.
	othersMemory = 16 << 20
	// settleEvery bounds the time until an address is in the file.
	settleEvery = 30 * time.Second
)

// besides is the suffix of the set's name after that of its list.
const besides = ".seen"

// IsOthers reports whether a file is a list of Others, beside its set: its lines are whole
// addresses.
func IsOthers(file string) bool {
	info, err := os.Stat(file + besides)
	return err == nil && info.IsDir()
}

// OpenOthers opens the list in a file, which it makes if necessary, and its set: the directory
// file.seen. For "" it returns nil.
func OpenOthers(file string, now time.Time) (*Others, error) {
	if file == "" {
		return nil, nil
	}
	sizes, err := seen.SizesFor(othersMemory, true)
	if err != nil {
		return nil, err
	}
	o := &Others{important: importance(nil), settled: now}
	if o.set, err = seen.OpenSet(file+besides,
		seen.SetOptions{BufferKeys: sizes.BufferKeys}); err != nil {
		return nil, fmt.Errorf("addresses of other servers: %w", err)
	}
	if o.lines, err = NewLines(file); err != nil {
		return nil, errors.Join(fmt.Errorf("addresses of other servers: %w", err), o.set.Close())
	}
	o.key = o.set.Key()
	o.pipeline = newPipeline(o.set, sizes, o.lines, Options{})
	return o, nil
}

// See adds the links of a page. The next Rest returns its errors.
func (o *Others) See(page string, links []string) {
	if o == nil {
		return
	}
	server := sitegraph.ServerName(page)
	for _, url := range links {
		if o.err != nil {
			return
		}
		if name := sitegraph.ServerName(url); name != server && name != "" {
			_, o.err = o.pipeline.Offer(url, o.key.Of(url), o.important(url))
		}
	}
}

// Rest settles the addresses now and then, between visits, so that they are in the file.
func (o *Others) Rest(now time.Time) error {
	if o == nil || o.err == nil && now.Sub(o.settled) < settleEvery {
		return nil
	}
	o.settled = now
	return o.answerWaiting()
}

func (o *Others) answerWaiting() error {
	if o.err == nil {
		o.err = o.pipeline.Settle()
	}
	if o.err != nil {
		return fmt.Errorf("addresses of other servers: %w", o.err)
	}
	return nil
}

// Close settles the rest.
func (o *Others) Close() error {
	if o == nil {
		return nil
	}
	return errors.Join(o.answerWaiting(), o.lines.Close(), o.set.Close())
}

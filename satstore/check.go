package satstore

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// Report is the result of Check.
type Report struct {
	// Linked counts the pages with known links.
	Pages, Records, Removed, Starts, Linked, Settings int
	Damage                                            []*DamageError
	// Behind has the visits given to Check that the store does not have, by address.
	Behind map[string]time.Time
	// Ahead describes files with more than the log has: engine.Store.Ahead.
	Ahead []string
}

// checkStep is how many records pass between two calls of progress.
const checkStep = 4096

// Check reads and verifies everything: version files, log, index, every block and record of the
// runs, every entry of the catalogue, and that they agree. A page has an address, and a record of
// that address or the mark of its removal. Damage is in the report; the error is a read error, or
// ctx's. progress, which may be nil, receives how many of all records were read. visited has the
// times of some visits by address. A record of an earlier visit is no damage, and is reported in
// Behind. Check takes 8 bytes a page.
func (s *Store) Check(ctx context.Context, progress func(done, all int),
	visited map[string]time.Time) (Report, error) {
	if err := s.usable(); err != nil {
		return Report{}, err
	}
	if s.busy {
		return Report{}, errors.New("check from a function that the store called")
	}
	if s.changed {
		return Report{}, errors.New("check with changes that are not committed")
	}
	c := checker{
		s:        s,
		ctx:      ctx,
		progress: progress,
		seed:     maphash.MakeSeed(),
		pages:    make([]checked, s.Pages()),
		of:       map[sitegraph.PageID]string{},
	}
	c.report.Behind = maps.Clone(visited)
	if _, err := s.readEpoch(); err != nil {
		var damage *DamageError
		if !errors.As(err, &damage) {
			return Report{}, fmt.Errorf("check %s: %w", s.dir, err)
		}
		c.report.Damage = append(c.report.Damage, damage)
	}
	err := c.check()
	c.report.Pages = s.Pages()
	if err != nil {
		err = fmt.Errorf("check %s: %w", s.dir, err)
	}
	return c.report, err
}

// checked is what a check knows of a page: some bits of its address's hash, and two more.
type checked uint64

const (
	checkRemoved checked = 1 << iota
	checkRecord
	checkAddress
	checkHash = ^(checkRemoved | checkRecord | checkAddress)
)

type checker struct {
	s        *Store
	ctx      context.Context
	progress func(done, all int)
	seed     maphash.Seed
	pages    []checked
	report   Report
	of       map[sitegraph.PageID]string // addresses of the pages in report.Behind
	record   sitegraph.Record
	whole    bool // the catalogue was read to its end
}

func (c *checker) hash(url []byte) checked {
	return checked(maphash.Bytes(c.seed, url)) & checkHash
}

func (c *checker) add(path, format string, args ...any) {
	c.report.Damage = append(c.report.Damage,
		&DamageError{Path: path, What: fmt.Sprintf(format, args...)})
}

func (c *checker) check() error {
	var damage *DamageError
	var format *FormatError
	err := readFormat(c.s.fs, c.s.dir)
	if errors.As(err, &damage) {
		c.report.Damage = append(c.report.Damage, damage)
	} else if errors.As(err, &format) {
		c.add(format.Path, "%v", format)
	} else if err != nil {
		return err
	}
	c.whole = true
	for _, part := range []struct {
		kind byte
		each func(p sitegraph.PageID, value []byte)
	}{{KeyAddress, c.address}, {KeyLinks, c.links}, {KeyRemoved, c.removal}, {KeyStart, c.start}} {
		err := c.s.cat.each(part.kind, func(p sitegraph.PageID, value []byte) error {
			if c.s.known(p) != nil {
				c.add(c.s.catalogueDir(), "key %c of page %d of %d", part.kind, p, c.s.Pages())
				return nil
			}
			part.each(p, value)
			return c.ctx.Err()
		})
		if err := c.catalogueError(err); err != nil {
			return err
		}
	}
	n, err := c.s.cat.others()
	if err := c.catalogueError(err); err != nil {
		return err
	}
	c.report.Settings = n
	return c.records()
}

// catalogueError keeps damage, after which the catalogue is not completely known.
func (c *checker) catalogueError(err error) error {
	var damage *DamageError
	if errors.As(err, &damage) {
		c.whole = false
		c.report.Damage = append(c.report.Damage, damage)
		return nil
	}
	return err
}

func (c *checker) address(p sitegraph.PageID, url []byte) {
	c.pages[p] = c.pages[p]&^checkHash | c.hash(url) | checkAddress
	if _, ok := c.report.Behind[string(url)]; ok {
		c.of[p] = string(url)
	}
}

func (c *checker) links(p sitegraph.PageID, value []byte) {
	c.report.Linked++
	if _, _, err := DecodeLinks(value, c.s.Pages()); err != nil {
		c.add(c.s.catalogueDir(), "links of page %d: %v", p, err)
	}
}

func (c *checker) removal(p sitegraph.PageID, _ []byte) {
	c.report.Removed++
	c.pages[p] |= checkRemoved
	delete(c.report.Behind, c.of[p]) // its visits were removed with its record
}

func (c *checker) start(sitegraph.PageID, []byte) { c.report.Starts++ }

func (c *checker) records() error {
	ahead, err := c.s.runs.Ahead()
	if err != nil {
		return err
	}
	c.report.Ahead = ahead
	damaged, err := c.s.runs.CheckEach(c.visit)
	c.report.Damage = append(c.report.Damage, damaged...)
	if err != nil {
		return err
	}
	named := map[uint32]bool{}
	for _, d := range damaged {
		for _, seq := range d.Seqs {
			named[seq] = true
		}
	}
	for p, at := range c.pages {
		switch {
		case at&checkAddress == 0 && c.whole:
			c.add(c.s.catalogueDir(), "no address of page %d", p)
		case at&(checkRecord|checkRemoved) == 0 && c.whole && !named[uint32(p)]:
			c.add(c.s.satDir(), "no record of page %d", p)
		}
	}
	if c.progress != nil {
		c.progress(c.report.Records, c.s.runs.Len())
	}
	return nil
}

func (c *checker) visit(seq uint32, body []byte) (wrong string, err error) {
	c.report.Records++
	if c.report.Records%checkStep == 0 {
		if c.progress != nil {
			c.progress(c.report.Records, c.s.runs.Len())
		}
		if err := c.ctx.Err(); err != nil {
			return "", err
		}
	}
	if int(seq) >= len(c.pages) {
		return fmt.Sprintf("record of page %d of %d", seq, len(c.pages)), nil
	}
	at := &c.pages[seq]
	*at |= checkRecord
	var format *FormatError
	if err := DecodeRecord(body, &c.record); errors.As(err, &format) {
		format.Path = c.s.satDir()
		return "", fmt.Errorf("record of page %d: %w", seq, err)
	} else if err != nil {
		return fmt.Sprintf("page %d: %v", seq, err), nil
	}
	// Whole seconds, like sitegraph.Record.Apply.
	if t, ok := c.report.Behind[c.record.URL]; ok && c.record.Tried.Unix() >= t.Unix() {
		delete(c.report.Behind, c.record.URL)
	}
	switch {
	case *at&checkRemoved != 0:
		return fmt.Sprintf("record of page %d, which was removed", seq), nil
	case *at&checkAddress != 0 && *at&checkHash != c.hash([]byte(c.record.URL)):
		return fmt.Sprintf("record of page %d has the address %q, its page another",
			seq, c.record.URL), nil
	}
	return "", nil
}

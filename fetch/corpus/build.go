package corpus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// atOnce is the number of marks in a batch.
	atOnce = 256
	// pagesAtOnce is the number of pages in memory with their contents: a page of 2 MB takes about
	// 10 MB.
	pagesAtOnce = 16
	// minFree is the least free disk space to start a batch, in octets. Pebble must never find the
	// disk full.
	minFree = 100 << 20
)

// build is a build in progress.
type build struct {
	*Corpus
	Options
	result *Result
	state  *state
	fresh  bool // no page was compared with others yet, so all are marked for it
	began  time.Time
}

// Build adds what is new in the archive, and works off all marks.
func (c *Corpus) Build(ctx context.Context, o Options) (r *Result, err error) {
	b := &build{Corpus: c, Options: o, result: &Result{Directory: c.dir, LeftOut: map[string]int{},
		Notes: []string{}}}
	err = c.halt.Guard(func() error { return b.run(ctx) })
	if err != nil {
		return nil, fmt.Errorf("build corpus %s: %w", c.dir, err)
	}
	return b.result, nil
}

func (b *build) run(ctx context.Context) error {
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if err := b.intake(ctx); err != nil {
		return err
	}
	return b.stages(ctx)
}

// stages work off all marks, and the rest of a removal.
func (b *build) stages(ctx context.Context) error {
	if b.state.Purge {
		if err := b.forgetRemoved(ctx); err != nil {
			return err
		}
	}
	for _, stage := range []struct {
		name string
		mark byte
		most int // in a batch
		work func(context.Context, *tx, []string) error
	}{
		{"read", markRead, pagesAtOnce, b.readPages}, {"judge", markAlone, atOnce, b.judgeAlone},
		{"copies", markGroup, atOnce, b.judgeGroups},
		{"blocks", markBlock, mostChanges, b.judgeBlocks},
		{"near copies", markNear, atOnce, b.judgeNear},
		{"quotas", markQuota, atOnce, b.judgeQuotas},
	} {
		if stage.mark == markRead && b.Archive == nil {
			continue
		}
		if err := b.work(ctx, stage.name, stage.mark, stage.most, stage.work); err != nil {
			return err
		}
	}
	if err := b.write(ctx); err != nil {
		return err
	}
	if err := b.compact(ctx); err != nil {
		return err
	}
	if err := b.index(ctx); err != nil {
		return err
	}
	if err := b.finish(); err != nil {
		return err
	}
	if b.state.Purge {
		return b.endPurge(ctx)
	}
	return nil
}

// work works off marks of a kind, in batches.
func (b *build) work(ctx context.Context, stage string, mark byte, most int,
	work func(context.Context, *tx, []string) error) error {
	marks := marked{kind: mark}
	for done := 0; ; {
		if err := b.mayGoOn(ctx); err != nil {
			return err
		}
		marked, err := marks.next(b.db, most)
		if err != nil || len(marked) == 0 {
			return err
		}
		t := b.begin()
		for _, of := range marked { // work may mark some again
			if err := t.Delete(key(mark, of), nil); err != nil {
				return err
			}
		}
		if err := work(ctx, t, marked); err != nil {
			t.Close() // nothing of it is kept
			return err
		}
		if err := b.commit(t, pebble.NoSync); err != nil {
			return err
		}
		done += len(marked)
		b.progress(stage, done)
	}
}

// commit commits a batch with the state of the corpus.
func (b *build) commit(t *tx, how *pebble.WriteOptions) error {
	if err := t.store(key(keyMeta, "state"), b.state); err != nil {
		return err
	}
	return t.Commit(how)
}

// eachRow calls f with the URLs of rows with a prefix, and commits the changes in batches.
func (b *build) eachRow(ctx context.Context, prefix string,
	yield func(t *tx, url string) error) error {
	t, some := b.begin(), 0
	defer func() { t.Close() }()
	if err := each(b.db, key(keyRow, prefix), func(rest string, _ []byte) (bool, error) {
		if err := yield(t, prefix+rest); err != nil {
			return false, err
		}
		if some++; some%atOnce != 0 {
			return true, nil
		}
		if err := b.commit(t, pebble.NoSync); err != nil {
			return false, err
		}
		t = b.begin()
		return true, b.mayGoOn(ctx)
	}); err != nil {
		return err
	}
	return b.commit(t, pebble.NoSync)
}

func (b *build) progress(stage string, done int) {
	if b.Progress != nil {
		b.Progress(stage, done)
	}
}

func (b *build) mayGoOn(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.room(0)
}

// room returns an error unless octets and minFree are free.
func (b *build) room(octets int64) error {
	usage, err := b.fs.GetDiskUsage(b.dir)
	if needed := uint64(octets + minFree); err == nil && usage.AvailBytes < needed {
		return fmt.Errorf("%w: %d bytes are free, and %d are needed to go on",
			syscall.ENOSPC, usage.AvailBytes, needed)
	}
	return nil
}

// resume reads the state, and removes the rest of a crash.
func (b *build) resume() (err error) {
	if b.state, err = b.meta(); err != nil {
		return err
	}
	b.fresh, b.began = !b.state.Compared, b.now()
	return b.sweep()
}

// prepare marks the work that changed settings require.
func (b *build) prepare(ctx context.Context) error {
	if err := b.resume(); err != nil {
		return err
	}
	reading, judging, err := b.fingerprints()
	if err != nil {
		return err
	}
	meta := b.state
	meta.Settings = b.Settings
	if meta.Reading == reading && meta.Judging == judging {
		return nil
	}
	if err := b.eachRow(ctx, "", func(t *tx, url string) error {
		marks := []byte{markAlone, markNear}
		if meta.Reading != reading {
			marks = append(marks, markRead)
		}
		for _, mark := range marks {
			if err := t.mark(mark, url); err != nil {
				return err
			}
		}
		return t.mark(markQuota, sitegraph.ServerName(url))
	}); err != nil {
		return err
	}
	meta.Reading, meta.Judging = reading, judging
	if meta.Documents != b.Documents { // skipped documents may be pages now
		if err := b.db.DeleteRange([]byte{keyFile}, []byte{keyFile + 1}, nil); err != nil {
			return err
		}
		meta.Documents = b.Documents
	}
	t := b.begin()
	defer t.Close()
	return b.commit(t, pebble.Sync)
}

// state is the state of the whole corpus.
type state struct {
	Settings Settings `json:"settings"` // of the last build
	Reading  string   `json:"reading"`  // fingerprints of settings
	Judging  string   `json:"judging"`
	// Documents are the forms of documents that counted as pages in the last build.
	Documents extract.Forms `json:"documents,omitempty"`
	Builds    int           `json:"builds"`   // completed builds
	Compared  bool          `json:"compared"` // pages were compared to find near copies
	// Purge means that a removal is in progress: nothing of deleted versions may stay on disk.
	Purge     bool           `json:"purge,omitempty"`
	Container uint32         `json:"container"`
	Pages     int            `json:"pages"`
	Counts    map[string]int `json:"counts"` // judged pages by rule; "": selected
}

func (c *Corpus) meta() (*state, error) {
	m := &state{Counts: map[string]int{}}
	_, err := load(c.db, key(keyMeta, "state"), m)
	return m, err
}

// intake reads the new captures of the archive.
func (b *build) intake(ctx context.Context) error {
	known := map[string]int64{}
	if err := each(b.db, []byte{keyFile}, func(file string, value []byte) (bool, error) {
		n, err := strconv.ParseInt(string(value), 10, 64)
		known[file] = n
		return true, err
	}); err != nil {
		return err
	}
	removed, err := b.removed()
	if err != nil {
		return err
	}
	t, file := b.begin(), ""
	defer func() { t.Close() }()
	// A file may be committed in parts. Reading a capture twice changes nothing.
	commit := func(end int64) error {
		if file != "" {
			if err := t.Set(key(keyFile, file), strconv.AppendInt(nil, end, 10), nil); err != nil {
				return err
			}
		}
		if err := t.Commit(pebble.NoSync); err != nil {
			return err
		}
		t = b.begin()
		return b.mayGoOn(ctx)
	}
	now, err := b.Archive.Since(known, func(c *archive.Capture) error {
		if c.Filename != file {
			if err := commit(known[file]); err != nil {
				return err
			}
			file = c.Filename
		}
		b.result.Captures++
		if err := b.addCapture(t, c, removed); err != nil {
			return err
		}
		if known[file] = c.Offset + c.Length; b.result.Captures%4096 == 0 {
			b.progress("captures", b.result.Captures)
			return commit(known[file])
		}
		return nil
	})
	if err != nil {
		return err
	}
	for name, end := range now {
		if err := t.Set(key(keyFile, name), strconv.AppendInt(nil, end, 10), nil); err != nil {
			return err
		}
	}
	return t.Commit(pebble.Sync)
}

// addCapture updates the row of a capture's page.
func (b *build) addCapture(t *tx, c *archive.Capture, removed []string) error {
	says := says(c, b.Documents)
	url, err := sitegraph.Canonical(c.URL)
	if says == saysNothing || err != nil || strings.HasSuffix(url, "/robots.txt") ||
		Removes(removed, url) {
		return nil
	}
	p, err := loadRow(t, url)
	if err != nil {
		return err
	}
	if p == nil {
		if says != saysContent {
			return nil
		}
		p = new(row)
	}
	if c.Time.Before(p.Seen) {
		return nil
	}
	p.Seen = c.Time
	mark := false
	switch {
	case says == saysGone:
		mark = !p.Gone
		p.Gone = true
	case p.Gone && says == saysSame: // like the last answer, which was not there
	case says == saysSame || !p.Gone && c.Digest != "" && c.Digest == p.Last.Digest:
		p.Verified = c.Time
	default:
		p.Gone, mark = false, true
		p.Last, p.Changed, p.Verified = captureOf(c), c.Time, c.Time
	}
	if mark {
		if err := t.mark(markRead, url); err != nil {
			return err
		}
	} else if p.Document != nil {
		if err := t.mark(markIndex, url); err != nil { // results show when the page was verified
			return err
		}
	}
	return t.store(key(keyRow, url), p)
}

// ArchiveError is the error of a build whose archive lacks a file or is unreadable. The pages of
// that file stay in the corpus.
type ArchiveError struct{ error }

func (e *ArchiveError) Unwrap() error { return e.error }

// Hint returns what to do.
func (e *ArchiveError) Hint() string {
	return "give the archive that the corpus was built of, with all its files; to leave out what " +
		"it has no more, build a corpus in an empty directory"
}

// readPages reads the contents of pages concurrently, and stores them in turn. It leaves out pages
// with damaged records.
func (b *build) readPages(ctx context.Context, t *tx, urls []string) error {
	rows, contents, failed := make([]*row, len(urls)), make([]*content, len(urls)),
		make([]error, len(urls))
	if err := machine.TryOnCores(len(urls), func(i int) (err error) {
		if rows[i], err = loadRow(b.db, urls[i]); err != nil || rows[i] == nil || rows[i].Gone {
			return err
		}
		contents[i], failed[i] = b.read(ctx, urls[i], rows[i])
		var file *fs.PathError
		if errors.As(failed[i], &file) {
			return &ArchiveError{failed[i]}
		}
		return ctx.Err()
	}); err != nil {
		return err
	}
	for i, url := range urls {
		p, c := rows[i], contents[i]
		switch {
		case p == nil:
			continue
		case failed[i] != nil:
			b.result.Unreadable++
			b.result.note("%s cannot be read: %v", url, failed[i])
		case !p.Gone:
			b.result.Read++
		}
		if p.Gone || c == nil || c.none {
			if err := b.forget(t, url, p); err != nil {
				return err
			}
			continue
		}
		p.Facts = c.facts
		draft, err := c.draft.JSON()
		if err != nil {
			return err
		}
		if err := b.relink(t, url, c.links); err != nil {
			return err
		}
		if err := errors.Join(t.Set(key(keyDraft, url), draft, nil), t.store(key(keyRow, url), p),
			t.mark(markAlone, url)); err != nil {
			return err
		}
	}
	return nil
}

// forget removes a page from all tables.
func (b *build) forget(t *tx, url string, p *row) error {
	b.result.Gone++
	if err := b.leaveGroup(t, p); err != nil {
		return err
	}
	if err := b.relink(t, url, nil); err != nil {
		return err
	}
	if err := b.withdraw(t, url, p); err != nil {
		return err
	}
	b.count(p, nil)
	return errors.Join(t.Delete(key(keyDraft, url), nil), t.Delete(key(keyRow, url), nil),
		t.Delete(key(markRead, url), nil), t.Delete(key(markAlone, url), nil))
}

// relink replaces the links of a page, and marks the pages whose incoming links change.
func (b *build) relink(t *tx, url string, links []link) error {
	var before []link
	if _, err := load(t, key(keyOut, url), &before); err != nil {
		return err
	}
	change := func(l link, gone bool) error {
		side := byte('1')
		if sitegraph.ServerName(url) != sitegraph.ServerName(l.To) {
			side = '0'
		}
		k := key(keyIn, l.To, string(side)+url)
		var err error
		if gone {
			err = t.Delete(k, nil)
		} else {
			err = t.Set(k, []byte(l.Text), nil)
		}
		return errors.Join(err, t.mark(markAlone, l.To))
	}
	old := make(map[string]string, len(before))
	for _, l := range before {
		old[l.To] = l.Text
	}
	for _, l := range links {
		if text, ok := old[l.To]; !ok || text != l.Text {
			if err := change(l, false); err != nil {
				return err
			}
		}
		delete(old, l.To)
	}
	for _, l := range before {
		if _, gone := old[l.To]; gone {
			if err := change(l, true); err != nil {
				return err
			}
		}
	}
	if len(links) == 0 {
		return t.Delete(key(keyOut, url), nil)
	}
	text, err := encodeLinks(links)
	if err != nil {
		return err
	}
	return t.Set(key(keyOut, url), text, nil)
}

// inLinks returns the first links to a page: from other servers first, then by URL.
func inLinks(r pebble.Reader, url string) (links []Link, err error) {
	err = each(r, key(keyIn, url, ""), func(rest string, text []byte) (bool, error) {
		links = append(links, NewLink(rest[1:], string(text)))
		return len(links) < MostInLinks, nil
	})
	return links, err
}

// outside reports whether a page of another server links to a page.
func outside(r pebble.Reader, url string) (found bool, err error) {
	err = each(r, key(keyIn, url, "0"), func(string, []byte) (bool, error) {
		found = true
		return false, nil
	})
	return found, err
}

// finish makes all durable and counts it.
func (b *build) finish() error {
	meta := b.state
	if b.Archive != nil {
		meta.Builds++
	}
	t := b.begin()
	defer t.Close()
	if err := b.commit(t, pebble.Sync); err != nil {
		return err
	}
	b.result.Pages, b.result.Selected = meta.Pages, meta.Counts[""]
	for rule, n := range meta.Counts {
		if rule != "" && n > 0 {
			b.result.LeftOut[rule] = n
		}
	}
	return each(b.db, []byte{keyIn1}, func(rest string, _ []byte) (bool, error) {
		b.result.Containers++
		for _, path := range b.containerPaths(binary.BigEndian.Uint32([]byte(rest))) {
			info, err := b.fs.Stat(path)
			if err != nil {
				return false, err
			}
			b.result.Bytes += info.Size()
		}
		return true, nil
	})
}

// removed returns the rules of removed URLs, which are never added.
func (c *Corpus) removed() (all []string, err error) {
	err = each(c.db, []byte{keyRemoved}, func(prefix string, _ []byte) (bool, error) {
		all = append(all, prefix)
		return true, nil
	})
	return all, err
}

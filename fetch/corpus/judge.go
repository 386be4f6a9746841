package corpus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/sitegraph"
)

// mostChanges limits the pages of a group or server that are judged again in a batch: a server may
// have millions of copies of a page.
var mostChanges = 10_000

// judgeAlone judges pages by themselves, and adds those that may stay to the groups of equal and
// similar pages.
func (b *build) judgeAlone(_ context.Context, t *tx, urls []string) error {
	for _, url := range urls {
		p, err := loadRow(t, url)
		if err != nil {
			return err
		}
		if p == nil {
			continue // nobody saw the linked page
		}
		b.result.Judged++
		linked, err := outside(t, url)
		if err != nil {
			return err
		}
		p.Alone = b.Settings.Alone(&p.Facts, linked)
		group, order := p.Facts.Digest, filter.SelectionOrder(&p.Facts)
		if p.Alone.Rule != "" {
			group, order = "", ""
		}
		moved := p.Group != group || p.Order != order
		// A page with another SimHash has another digest.
		if moved {
			if err := b.leaveGroup(t, p); err != nil {
				return err
			}
			p.Group, p.Order = group, order
			if group != "" {
				if err := errors.Join(t.Set(key(keyDigest, group, order), nil, nil),
					t.mark(markGroup, group)); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(t.store(key(keyRow, url), p), t.mark(markWrite, url)); err != nil {
			return err
		}
	}
	return nil
}

// leaveGroup removes a page from the tables of its groups and of its server.
func (b *build) leaveGroup(t *tx, p *row) error {
	if p.Group == "" {
		return nil
	}
	if err := b.setNear(t, p, false); err != nil {
		return err
	}
	if err := b.setQueued(t, p, false); err != nil {
		return err
	}
	err := errors.Join(t.Delete(key(keyDigest, p.Group, p.Order), nil), t.mark(markGroup, p.Group))
	p.Group, p.Order, p.CopyOf, p.NearOf = "", "", "", ""
	return err
}

// judgeGroups selects the first page of each group. The table remembers the selected page of each
// row, so that only changed rows are loaded.
func (b *build) judgeGroups(_ context.Context, t *tx, digests []string) error {
	for _, digest := range digests {
		if t.Len() > fullBytes { // enough for a batch
			if err := t.mark(markGroup, digest); err != nil {
				return err
			}
			continue
		}
		stays := ""
		var changes []string
		if err := each(t, key(keyDigest, digest, ""),
			func(order string, value []byte) (bool, error) {
				if stays == "" {
					stays = filter.URLOf(order)
				}
				if string(value) != stays {
					changes = append(changes, order)
				}
				return len(changes) < mostChanges, nil
			}); err != nil {
			return err
		}
		if len(changes) == mostChanges { // there may be more
			if err := t.mark(markGroup, digest); err != nil {
				return err
			}
		}
		for _, order := range changes {
			url := filter.URLOf(order)
			p, err := loadRow(t, url)
			if err != nil || p == nil {
				return errors.Join(err, damaged("the group of %s has no row", url))
			}
			p.CopyOf = ""
			if url != stays {
				p.CopyOf = stays
			}
			if err := b.setNear(t, p, p.CopyOf == "" &&
				filter.HasNearCopies(&p.Facts)); err != nil {
				return err
			}
			if err := errors.Join(t.Set(key(keyDigest, digest, order), []byte(stays), nil),
				t.store(key(keyRow, url), p),
				t.mark(markNear, url), t.mark(markWrite, url)); err != nil {
				return err
			}
		}
	}
	return nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("the corpus is damaged: "+format, args...)
}

// setNear adds a page to the table of SimHashes, or removes it, and marks this for the pages near
// it.
func (b *build) setNear(t *tx, p *row, in bool) error {
	if p.Near == in && (!in || p.Hash == p.Facts.SimHash) {
		return nil
	}
	if p.Near {
		if err := b.putBlocks(t, p.Hash, p.Order, false); err != nil {
			return err
		}
	}
	p.Near, p.Hash = in, p.Facts.SimHash
	if !in {
		return nil
	}
	return b.putBlocks(t, p.Hash, p.Order, true)
}

func (b *build) putBlocks(t *tx, hash uint64, order string, in bool) error {
	for i, value := range filter.NearBlocks(hash) {
		k := blockKey(i, value, order)
		if in {
			if err := t.Set(k, binary.BigEndian.AppendUint64(nil, hash), nil); err != nil {
				return err
			}
		} else if err := t.Delete(k, nil); err != nil {
			return err
		}
		if b.fresh {
			continue // all pages are marked
		}
		if err := t.mark(markBlock,
			string(k[1:blockHead])+string(binary.BigEndian.AppendUint64(nil, hash))+
				order); err != nil {
			return err
		}
	}
	return nil
}

// judgeBlocks marks the pages near others that entered or left the table of SimHashes. It reads
// each block once for all of them, because all pages of a template may be near each other.
func (b *build) judgeBlocks(_ context.Context, t *tx, changes []string) error {
	const head = blockHead - 1
	type change struct {
		hash  uint64
		order string
	}
	for len(changes) > 0 {
		block := changes[0][:head]
		var here []change
		for len(changes) > 0 && changes[0][:head] == block {
			hash, order := changes[0][head:head+8], changes[0][head+8:]
			here, changes = append(here, change{binary.BigEndian.Uint64([]byte(hash)), order}),
				changes[1:]
		}
		if err := each(t, key(keySimHash, block), func(other string, value []byte) (bool, error) {
			hash := binary.BigEndian.Uint64(value)
			for i := range here {
				if b.IsNear(hash, here[i].hash) && here[i].order < other {
					return true, t.mark(markNear, filter.URLOf(other))
				}
			}
			return true, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// nearOf returns the first earlier page that is a near copy, or "".
func (b *build) nearOf(t *tx, p *row) (nearest string, err error) {
	for i, value := range filter.NearBlocks(p.Hash) {
		if err := each(t, blockKey(i, value, ""), func(order string, value []byte) (bool, error) {
			if order >= p.Order || nearest != "" && order >= nearest {
				return false, nil
			}
			if b.IsNear(p.Hash, binary.BigEndian.Uint64(value)) {
				nearest = order
				return false, nil
			}
			return true, nil
		}); err != nil {
			return "", err
		}
	}
	if nearest != "" {
		nearest = filter.URLOf(nearest)
	}
	return nearest, nil
}

// judgeNear finds near copies, and adds the other pages to the table of their server.
func (b *build) judgeNear(_ context.Context, t *tx, urls []string) error {
	b.state.Compared = true
	for _, url := range urls {
		p, err := loadRow(t, url)
		if err != nil {
			return err
		}
		if p == nil {
			continue
		}
		near := ""
		if p.Near && b.Near >= 0 {
			if near, err = b.nearOf(t, p); err != nil {
				return err
			}
		}
		p.NearOf = near
		if err := b.setQueued(t, p, p.Group != "" && p.CopyOf == "" && near == ""); err != nil {
			return err
		}
		if err := errors.Join(t.store(key(keyRow, url), p), t.mark(markWrite, url)); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) setQueued(t *tx, p *row, in bool) error {
	if p.Queued == in {
		return nil
	}
	p.Queued = in
	server := sitegraph.ServerName(p.Facts.URL)
	k := key(keyServer, server, p.Order)
	if !in {
		return errors.Join(t.Delete(k, nil), t.mark(markQuota, server))
	}
	return errors.Join(t.Set(k, []byte("1"), nil), t.mark(markQuota, server))
}

// judgeQuotas decides which pages of a server have room.
func (b *build) judgeQuotas(_ context.Context, t *tx, servers []string) error {
	for _, server := range servers {
		n := 0
		var changes []string
		if err := each(t, key(keyServer, server, ""),
			func(order string, value []byte) (bool, error) {
				n++
				if room := b.Quota == 0 || n <= b.Quota; room != (string(value) == "1") {
					changes = append(changes, order)
				}
				return len(changes) < mostChanges, nil
			}); err != nil {
			return err
		}
		if len(changes) == mostChanges { // there may be more
			if err := t.mark(markQuota, server); err != nil {
				return err
			}
		}
		for _, order := range changes {
			k := key(keyServer, server, order)
			value, err := get(t, k)
			if err != nil {
				return err
			}
			room := "1"
			if string(value) == "1" {
				room = "0"
			}
			if err := errors.Join(t.Set(k, []byte(room), nil),
				t.mark(markWrite, filter.URLOf(order))); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdict returns the verdict of all rules on a page.
func (b *build) verdict(r pebble.Reader, p *row) (filter.SelectionVerdict, error) {
	switch {
	case p.Alone.Rule != "":
		return p.Alone, nil
	case p.CopyOf != "":
		return filter.SelectionVerdict{Rule: filter.RuleCopy,
				Why: "it has the main text of " + p.CopyOf},
			nil
	case p.NearOf != "":
		return filter.SelectionVerdict{Rule: filter.RuleNearCopy,
			Why: "its main text is nearly that of " +
				p.NearOf}, nil
	}
	room, err := get(r, key(keyServer, sitegraph.ServerName(p.Facts.URL), p.Order))
	if err != nil || string(room) == "1" {
		return filter.SelectionVerdict{}, err
	}
	return filter.SelectionVerdict{Rule: filter.RuleQuota,
		Why: fmt.Sprintf("its server has %d pages before it", b.Quota)}, nil
}

// count moves a page from one rule to another. A nil now means that there is no page any more.
func (b *build) count(p *row, now *filter.SelectionVerdict) {
	if p.Judged {
		b.state.Counts[string(p.Verdict.Rule)]--
		b.state.Pages--
	}
	p.Judged = now != nil
	if now != nil {
		b.state.Counts[string(now.Rule)]++
		b.state.Pages++
		p.Verdict = *now
	}
}

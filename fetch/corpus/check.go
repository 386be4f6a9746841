package corpus

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/recrawl/recrawl/fetch/corpus/index"
)

// Checked is the result of Check.
type Checked struct {
	Documents int      `json:"documents"` // documents read
	Units     int      `json:"units"`
	Damage    []string `json:"damage"`
}

// Check reads all documents in both forms and all files of the index, and compares them with the
// rows.
func (c *Corpus) Check(ctx context.Context) (r *Checked, err error) {
	r = &Checked{Damage: []string{}}
	err = c.halt.Guard(func() error {
		if err := each(c.db, []byte{keyRow}, func(url string, value []byte) (bool, error) {
			var p row
			if err := json.Unmarshal(value, &p); err != nil {
				return false, fmt.Errorf("row of %s: %w", url, err)
			}
			if p.Document != nil {
				r.Documents++
				if err := c.check(&p); err != nil {
					r.Damage = append(r.Damage, fmt.Sprintf("document of %s: %v", url, err))
				}
			}
			return true, ctx.Err()
		}); err != nil {
			return err
		}
		registered, err := c.registration()
		if err != nil {
			return err
		}
		r.Units = len(registered.Set.Units)
		for _, err := range index.Check(index.IndexDir(c.dir), &registered.Set) {
			r.Damage = append(r.Damage, err.Error())
		}
		return nil
	})
	return r, err
}

// check reads the document of a page.
func (c *Corpus) check(p *row) error {
	paths := c.containerPaths(p.Document.Container)
	text, err := ReadContainer(c.fs, paths[0], p.Document.XML)
	if err != nil {
		return err
	}
	line, err := ReadContainer(c.fs, paths[1], p.Document.JSON)
	if err != nil {
		return err
	}
	x, err := ParseXML(text)
	if err != nil {
		return err
	}
	j, err := ParseJSON(line)
	if err != nil {
		return err
	}
	for _, d := range []*Document{x, j} {
		if sum := d.Digest(); !bytes.Equal(sum[:], p.Document.Digest) {
			return fmt.Errorf("container %d has another one", p.Document.Container)
		}
	}
	return nil
}

package tidy

import (
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/recrawl/recrawl/satstore/directory"
)

const (
	// groupRows is the number of rows of a Parquet file in memory: enough to make a dictionary of
	// URLs useful. A row of a visit takes 60 bytes there.
	groupRows = 1 << 18
	// batchRows are written together, so that goroutines seldom wait for each other, and equal
	// values of a run are adjacent.
	batchRows = 1024
)

// Table accepts rows of a kind. Goroutines may share it.
type Table[R any] struct {
	mu      sync.Mutex
	outputs []output[R]
	err     error // first error of writing
}

// output writes rows in one format.
type output[R any] interface {
	Write([]R) (int, error)
	Close() error
}

// Open starts the table in a set.
func (k *Kind[R]) Open(s *Tables) (*Table[R], error) {
	t := &Table[R]{}
	s.open = append(s.open, t)
	for _, p := range s.places {
		if err := p.free(k.Name); err != nil {
			return nil, err
		}
		f, err := directory.CreateAtomicFile(p.path(k.Name))
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
		if p.ending == ".csv" {
			t.outputs = append(t.outputs, newCSV[R](f, k.Columns))
		} else {
			t.outputs = append(t.outputs, k.parquet(f))
		}
	}
	return t, nil
}

func (k *Kind[R]) parquet(w io.Writer) *parquet.GenericWriter[R] {
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}),
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.CreatedBy("recrawl", "", ""),
		parquet.KeyValueMetadata("row", k.Row),
	}
	for _, c := range k.Columns {
		says := c.Doc
		if c.Unit != "" {
			says += " (" + c.Unit + ")"
		}
		options = append(options, parquet.KeyValueMetadata(c.Name, says))
	}
	return parquet.NewGenericWriter[R](w, options...)
}

// Write adds rows.
func (t *Table[R]) Write(rows ...R) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, o := range t.outputs {
		if _, err := o.Write(rows); err != nil && t.err == nil {
			t.err = fmt.Errorf("write table: %w", err)
		}
	}
	return t.err
}

// Batch holds rows of one goroutine, and passes many at a time to the table.
type Batch[R any] struct {
	table *Table[R]
	rows  []R
}

// Batch returns an empty batch. It must end before the set is committed.
func (t *Table[R]) Batch() *Batch[R] { return &Batch[R]{table: t} }

// Add adds a row. Commit of the set returns errors of writing.
func (b *Batch[R]) Add(row R) {
	if len(b.table.outputs) == 0 {
		return
	}
	if b.rows = append(b.rows, row); len(b.rows) == batchRows {
		b.End()
	}
}

// End passes on the last rows.
func (b *Batch[R]) End() {
	b.table.Write(b.rows...) // the table keeps the error
	clear(b.rows)
	b.rows = b.rows[:0]
}

// close completes the outputs.
func (t *Table[R]) close() error {
	for _, o := range t.outputs {
		if err := o.Close(); err != nil && t.err == nil {
			t.err = fmt.Errorf("write table: %w", err)
		}
	}
	return t.err
}

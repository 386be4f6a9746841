package bench

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/recrawl/recrawl/satstore/workload"
)

var seqlogKind = Kind{
	Name:           "seqlog",
	About:          "the floor: read a flat file of the due records, write another, one sync",
	bytesPerRecord: func(float64) float64 { return 0 }, // it holds a unit's records, twice
	open: func(dir string, p *workload.Plan, _ Settings) (Engine, error) {
		return &seqlog{plan: p, in: filepath.Join(dir, "in"), out: filepath.Join(dir, "out"),
			reader: bufio.NewReaderSize(nil, seqlogChunk),
			writer: bufio.NewWriterSize(nil, seqlogChunk)}, nil
	},
}

// seqlogChunk is the length of a read or write: at 256 KiB a disk of today is at its
// sequential rate.
const seqlogChunk = 256 << 10

// seqlog does what no store can do without: it reads what is due, changes it, and writes it.
// Where the records come from is not its care: Prepare lays them out.
type seqlog struct {
	plan    *workload.Plan
	in, out string
	reader  *bufio.Reader
	writer  *bufio.Writer
	body    []byte
	file    *os.File // out, between Visit and Commit
}

// seqlogHeader is due (4), length (4) and record number (4).
const seqlogHeader = 12

func (s *seqlog) Load(context.Context, *workload.Plan, func(int)) error { return nil }

func (s *seqlog) Prepare(t int) (err error) {
	f, err := os.Create(s.in)
	if err != nil {
		return err
	}
	s.writer.Reset(f)
	var h [seqlogHeader]byte
	for _, i := range s.plan.Due[t] {
		s.body, _ = s.plan.AppendAt(s.body[:0], i, t)
		binary.LittleEndian.PutUint32(h[0:], uint32(t))
		binary.LittleEndian.PutUint32(h[4:], uint32(len(s.body)))
		binary.LittleEndian.PutUint32(h[8:], i)
		s.writer.Write(h[:]) // Flush tells
		s.writer.Write(s.body)
	}
	return errors.Join(s.writer.Flush(), f.Close())
}

func (s *seqlog) Visit(u *Unit) error {
	in, err := os.Open(s.in)
	if err != nil {
		return err
	}
	defer in.Close()
	if s.file, err = os.Create(s.out); err != nil {
		return err
	}
	s.reader.Reset(in)
	s.writer.Reset(s.file)
	for {
		h, err := s.reader.Peek(seqlogHeader)
		if len(h) == 0 && err == io.EOF {
			return s.writer.Flush()
		} else if err != nil {
			return fmt.Errorf("read %s: %w", s.in, err)
		}
		n := seqlogHeader + int(binary.LittleEndian.Uint32(h[4:]))
		record, err := s.reader.Peek(n) // records are far below the buffer's length
		if err != nil {
			return fmt.Errorf("read %s: %w", s.in, err)
		}
		binary.LittleEndian.PutUint32(record, uint32(u.Visit(record[seqlogHeader:])))
		if _, err := s.writer.Write(record); err != nil {
			return err
		}
		if _, err := s.reader.Discard(n); err != nil {
			return err
		}
	}
}

func (s *seqlog) Commit() error {
	err := errors.Join(s.file.Sync(), s.file.Close())
	s.file = nil
	return err
}

func (s *seqlog) Close() error {
	if s.file != nil {
		return s.file.Close()
	}
	return nil
}

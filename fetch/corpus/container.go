package corpus

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/SaveTheRbtz/zstd-seekable-format-go/pkg"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/zstd"

	"github.com/recrawl/recrawl/satstore/directory"
)

// FrameSize is the least number of octets that are compressed together: about ten pages. Larger
// frames would save a tenth of the disk, but reading a page would take longer in proportion.
const FrameSize = 128 << 10

// UnderWay is the extension of an incomplete container.
const UnderWay = ".under-way"

// ContainerPlace is the place of a text in a container.
type ContainerPlace struct {
	Offset int64 `json:"offset"` // in the uncompressed text
	Length int   `json:"length"`
}

// ContainerWriter writes a container: a compressed file of many texts, each of which can be read by
// itself.
//
// A container is a file in the seekable format of Zstandard: frames of about FrameSize octets of
// text, and a table of them at the end. Any zstd decompresses it to all texts in a row.
//
// # Guarantees
//
//  1. A container is there whole, synced and under its name when Close of its ContainerWriter has
//
// returned
//
//	   nil. Before that there is none of the name; what is left of one under way has the ending
//	   "under-way" and may be removed.
//	2. A container never changes.
//	3. Reading a text takes memory for its frames: FrameSize, or what the longest of their texts
//	   has. Damage is an error, found by the checksum of a frame.
//
// A ContainerWriter is for one goroutine, ReadContainer for many.
type ContainerWriter struct {
	fs      vfs.FS
	path    string
	file    vfs.File
	encoder *zstd.Encoder
	out     *seekable.Writer
	frame   []byte
	end     int64
}

// CreateContainer starts a container.
func CreateContainer(fs vfs.FS, path string) (w *ContainerWriter, err error) {
	w = &ContainerWriter{fs: fs, path: path}
	if w.file, err = fs.Create(path+UnderWay, vfs.WriteCategoryUnspecified); err != nil {
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	if w.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(true)); err == nil {
		w.out, err = seekable.NewWriter(w.file, w.encoder)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create %s: %w", path, err), w.Abandon())
	}
	return w, nil
}

// Add appends a text.
func (w *ContainerWriter) Add(text []byte) (ContainerPlace, error) {
	p := ContainerPlace{w.end, len(text)}
	w.frame = append(w.frame, text...)
	w.end += int64(len(text))
	if len(w.frame) >= FrameSize {
		return p, w.flush()
	}
	return p, nil
}

// Size returns the octets of text so far.
func (w *ContainerWriter) Size() int64 { return w.end }

func (w *ContainerWriter) flush() error {
	if _, err := w.out.Write(w.frame); err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	w.frame = w.frame[:0]
	return nil
}

// Close completes the container. After an error there is none.
func (w *ContainerWriter) Close() error {
	err := w.flush()
	if err == nil {
		err = w.out.Close()
	}
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", w.path, err), w.Abandon())
	}
	err = errors.Join(w.file.Close(), w.encoder.Close())
	if err == nil {
		err = w.fs.Rename(w.path+UnderWay, w.path)
	}
	if err == nil {
		err = directory.Sync(w.fs, filepath.Dir(w.path))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", w.path, err)
	}
	return nil
}

// Abandon removes an incomplete container.
func (w *ContainerWriter) Abandon() error {
	if w.encoder != nil {
		w.encoder.Close()
	}
	w.file.Close() // the error does not matter
	return w.fs.Remove(w.path + UnderWay)
}

// MostText limits a text that is read, in octets.
const MostText = 256 << 20

var decoder, errDecoder = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
	zstd.WithDecoderMaxMemory(2*MostText))

// ReadContainer returns the text at a place in a container.
func ReadContainer(fs vfs.FS, path string, p ContainerPlace) (text []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read %s at octet %d: %w", path, p.Offset, err)
		}
	}()
	if p.Length < 0 || p.Length > MostText || p.Offset < 0 {
		return nil, fmt.Errorf("a text of %d octets", p.Length)
	}
	file, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = errDecoder
	}
	if err != nil {
		return nil, err
	}
	r, err := seekable.NewReader(io.NewSectionReader(file, 0, info.Size()), decoder)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text = make([]byte, p.Length)
	if n, err := r.ReadAt(text, p.Offset); err != nil && !(err == io.EOF && n == len(text)) {
		return nil, err
	}
	return text, nil
}

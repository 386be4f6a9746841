package captures

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	zstdMark = "\x28\xb5\x2f\xfd"
	// dictionaryMark begins the frame of a .warc.zst file with the dictionary for all others.
	dictionaryMark = "\x5d\x2a\x4d\x18"

	mostWindow     = 128 << 20 // most octets of memory for a file, as in zstd -d
	mostDictionary = 16 << 20
)

// uncompressed returns a reader of a file without its compression, or nil for gzip and uncompressed
// files.
func uncompressed(raw *bufio.Reader) (io.Reader, error) {
	head, _ := raw.Peek(len("\xfd7zXZ\x00")) // a shorter file has fewer
	switch {
	case bytes.HasPrefix(head, []byte("BZh")):
		return bzip2.NewReader(raw), nil
	case bytes.HasPrefix(head, []byte(zstdMark)), bytes.HasPrefix(head, []byte(dictionaryMark)):
		return openZstd(raw)
	case bytes.Equal(head, []byte("\xfd7zXZ\x00")):
		return nil, errors.New("it is compressed with xz, which is not read here; undo that " +
			"first, with xz -d")
	}
	return nil, nil
}

func openZstd(raw *bufio.Reader) (io.Reader, error) {
	o := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow)}
	if head, _ := raw.Peek(8); len(head) == 8 && string(head[:4]) == dictionaryMark {
		size := binary.LittleEndian.Uint32(head[4:])
		if size > mostDictionary {
			return nil, fmt.Errorf("its zstd dictionary of %d octets is larger than %d", size,
				mostDictionary)
		}
		_, _ = raw.Discard(len(head)) // they are there
		dictionary := make([]byte, size)
		if _, err := io.ReadFull(raw, dictionary); err != nil {
			return nil, fmt.Errorf("read its zstd dictionary: %w", err)
		}
		if bytes.HasPrefix(dictionary, []byte(zstdMark)) {
			z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(mostDictionary))
			if err != nil {
				return nil, err
			}
			defer z.Close()
			if dictionary, err = z.DecodeAll(dictionary, nil); err != nil {
				return nil, fmt.Errorf("read its zstd dictionary: %w", err)
			}
		}
		o = append(o, zstd.WithDecoderDicts(dictionary))
	}
	z, err := zstd.NewReader(raw, o...)
	if err != nil {
		return nil, fmt.Errorf("undo zstd: %w", err)
	}
	return z, nil
}

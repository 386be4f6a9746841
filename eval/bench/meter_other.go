//go:build !linux

package bench

import (
	"io/fs"
	"os"
	"time"
)

// Measured reports which columns this system can fill: here time alone, and files are warm.
const Measured = false

func processTime() time.Duration          { return 0 }
func device() (read, written int64)       { return 0, 0 }
func requests() (reads, writes int64)     { return 0, 0 }
func threadTime() time.Duration           { return 0 }
func resident() memory                    { return memory{} }
func resetPeak()                          {}
func allocated(info fs.FileInfo) int64    { return info.Size() }
func dropCache(string) error              { return nil }
func syncFiles(string) error              { return nil }
func cachedShare(string) (float64, error) { return unknownShare, nil }
func alignedBuffer(n int) ([]byte, error) { return make([]byte, n), nil }

func openDirect(path string, flag int) (f *os.File, direct bool, err error) {
	f, err = os.OpenFile(path, flag, 0o600)
	return f, false, err
}

func releaseBuffer([]byte) {}

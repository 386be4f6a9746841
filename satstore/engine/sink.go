package engine

import (
	"unsafe"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// alignedChunk returns an empty slice whose memory is aligned for direct writes.
func alignedChunk(n int) []byte {
	b := make([]byte, n+runAlign)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (runAlign - 1)
	return b[skip : skip : skip+n]
}

// createSink makes a run file, for direct writes if they are asked for and possible.
func createSink(fs vfs.FS, path string, direct bool) (runSink, error) {
	if direct && fs == vfs.Default {
		if sink := createDirect(path); sink != nil {
			return sink, nil
		}
	}
	return fs.Create(path, vfs.WriteCategoryUnspecified)
}

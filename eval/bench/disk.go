package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// Disk is the speed of the disk alone in bytes a second: long sequential reads and writes of one
// file, bypassing the page cache if Direct.
type Disk struct {
	Bytes  int64   `json:"bytes"` // of each file
	Direct bool    `json:"direct"`
	Write  float64 `json:"write_bytes_per_second"`
	Read   float64 `json:"read_bytes_per_second"`
	// Mixed is the rate of a concurrent reader and writer, each.
	Mixed float64 `json:"mixed_bytes_per_second"`
}

// diskChunk is the length of one read or write.
const diskChunk = 1 << 20

// measureDisk measures the disk of a directory with two files of about size bytes.
func measureDisk(ctx context.Context, dir string, size int64) (d Disk, err error) {
	a, b := filepath.Join(dir, "disk-a"), filepath.Join(dir, "disk-b")
	defer os.Remove(a)
	defer os.Remove(b)
	chunks := max(size/diskChunk, 4)
	d.Bytes = chunks * diskChunk
	rate := func(since time.Time) float64 { return float64(d.Bytes) / time.Since(since).Seconds() }

	started := time.Now()
	if d.Direct, err = pass(ctx, a, chunks, true); err != nil {
		return d, err
	}
	d.Write = rate(started)
	if err := dropCache(dir); err != nil {
		return d, err
	}
	started = time.Now()
	if _, err = pass(ctx, a, chunks, false); err != nil {
		return d, err
	}
	d.Read = rate(started)
	if err := dropCache(dir); err != nil {
		return d, err
	}
	started = time.Now()
	done := make(chan error, 1)
	go func() {
		_, err := pass(ctx, b, chunks, true)
		done <- err
	}()
	_, err = pass(ctx, a, chunks, false)
	if err = errors.Join(err, <-done); err != nil {
		return d, err
	}
	d.Mixed = rate(started)
	return d, nil
}

// pass reads or writes a whole file once, and syncs writes.
func pass(ctx context.Context, path string, chunks int64, write bool) (direct bool, err error) {
	flag, verb := os.O_RDONLY, "read"
	if write {
		flag, verb = os.O_CREATE|os.O_TRUNC|os.O_WRONLY, "write"
	}
	f, direct, err := openDirect(path, flag)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	buf, err := alignedBuffer(diskChunk)
	if err != nil {
		return direct, err
	}
	defer releaseBuffer(buf)
	for i := range buf { // a disk may store zeros as a hole
		buf[i] = byte(i * i >> 3)
	}
	for range chunks {
		if ctx.Err() != nil {
			return direct, ctx.Err()
		}
		if write {
			_, err = f.Write(buf)
		} else {
			_, err = io.ReadFull(f, buf)
		}
		if err != nil {
			return direct, fmt.Errorf("%s %s: %w", verb, path, err)
		}
	}
	if write {
		return direct, f.Sync()
	}
	return direct, nil
}

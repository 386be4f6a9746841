package corpus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/fetch/corpus/index"
)

// TestFullDisk checks a disk that becomes full under the index. Searches find what was published,
// the error says that the disk is full, and nothing of the started build stays. With room again the
// next build makes the same index as one from nothing. The disk is a small one in memory, which
// only root can mount.
func TestFullDisk(t *testing.T) {
	w := newWeb(t, 8)
	w.step(30)
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	// Rows and containers are elsewhere; TestCrash covers them.
	fs, dir := vfs.NewMem(), filepath.Join(disk, "corpus")
	c := openTest(t, fs, dir)
	if _, err := w.build(c, options()); err != nil {
		t.Fatal(err)
	}
	w.step(40)
	filler := filepath.Join(disk, "filler")
	before, failures := searched(t, c), 0
	for left := int64(0); ; left += 8 << 10 {
		o := options()
		o.Progress = func(stage string, _ int) {
			if stage == "index" || stage == "collection" {
				fill(t, disk, filler, left)
			}
		}
		_, err := w.build(c, o)
		if bad := os.Remove(filler); bad != nil && !errors.Is(bad, os.ErrNotExist) {
			t.Fatal(bad)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes left: %v", left, err)
		}
		failures++
		t.Logf("%d bytes left: %v", left, err)
		registered, bad := c.registration()
		if bad != nil {
			t.Fatal(bad)
		}
		if damage := index.Check(index.IndexDir(dir), &registered.Set); len(damage) > 0 {
			t.Fatalf("%d bytes left: %v", left, damage)
		}
		if registered.Set.Number == 1 {
			equal(t, "while the disk is full", searched(t, c), before)
		}
	}
	if failures < 5 {
		t.Errorf("only %d builds failed", failures)
	}
	whole := openTest(t, vfs.NewMem(), t.TempDir())
	defer closed(t, whole)
	if _, err := w.build(whole, options()); err != nil {
		t.Fatal(err)
	}
	equal(t, "with room again", held(t, c), held(t, whole))
	if checked, err := c.Check(context.Background()); err != nil || len(checked.Damage) > 0 {
		t.Error(checked, err)
	}
	closed(t, c)
}

// fill leaves left octets of room on a disk.
func fill(t *testing.T, disk, path string, left int64) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for n := int64(s.Bavail)*s.Bsize - left; n > 0; n -= 4096 {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return // another part of the build was faster
		}
	}
}

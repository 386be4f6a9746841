package engine

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/satstore/crashtest"
)

// A full disk is reported as ENOSPC and loses nothing acknowledged. Once space is freed, the store
// continues.
func TestFullDisk(t *testing.T) {
	rng := seeded(t)
	seed := rng.Uint64()
	step := int64(9000)
	if long() {
		step = 60
	}
	for quota := rng.Int64N(300); ; quota += step {
		mem := vfs.NewCrashableMem()
		fs := crashtest.NewFull(mem, quota)
		d := &driver{rng: rand.New(rand.NewPCG(seed, 4))}
		err := run(d, smallOptions(fs), 150)
		if fs.Left() >= 0 {
			must(t, err)
			return
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes: want ENOSPC, got %v", quota, err)
		}
		if wrong := (*mismatch)(nil); errors.As(err, &wrong) {
			t.Fatalf("%d bytes: %v", quota, err)
		}
		fs.Free(1 << 40)
		if d.s, err = Open(storeDir, smallOptions(fs)); err != nil {
			t.Fatalf("%d bytes: reopen: %v", quota, err)
		}
		if err := compareEither(d.s, d); err != nil {
			t.Fatalf("%d bytes: %v", quota, err)
		}
		if err := compare(d.s, d.acked, d.seqs); err != nil {
			d.acked = d.pending
		}
		d.pending = d.acked.clone()
		for range 60 {
			if err := d.step(); err != nil {
				t.Fatalf("%d bytes: after space was freed: %v", quota, err)
			}
		}
		checkClean(t, d.s)
		must(t, d.s.Close())
	}
}

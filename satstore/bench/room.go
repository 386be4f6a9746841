package bench

import (
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/workload"
)

// RoomError tells that the disk is too small for a measurement.
type RoomError struct {
	Dir        string
	Need, Free int64
}

func (e *RoomError) Error() string {
	return fmt.Sprintf(
		"%s has %.1f GB free, and about %.1f GB are needed",
		e.Dir,
		float64(e.Free)/1e9,
		float64(e.Need)/1e9,
	)
}

// roomFrame is what is kept with a record in logs and files, at most.
const roomFrame = 16

// Room estimates the bytes on disk that the largest of some engines needs: there is never
// more than one at a time. Beside what it keeps, each may write two units' records anew
// before it gives up the old ones: with short intervals that is as much again.
func Room(o Options, w *workload.Workload, kinds []Kind) int64 {
	mean, n := w.MeanBytes(), float64(w.Records)
	units := 2 * n * w.DueShare() * (mean + roomFrame)
	most := 0.0
	for _, k := range kinds {
		most = max(most, float64(k.roomBytes)+k.bytesPerRecord(mean)*n+units)
	}
	return int64(max(most, float64(2*o.DiskBytes)) * 5 / 4)
}

func checkRoom(o Options, w *workload.Workload, kinds []Kind) error {
	dir := o.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	have, err := directory.Free(dir)
	if err != nil {
		return fmt.Errorf("room in %s: %w", dir, err)
	}
	if need := Room(o, w, kinds); need > have {
		return &RoomError{dir, need, have}
	}
	return nil
}

package bench

import (
	"fmt"
	"os"

	"github.com/recrawl/recrawl/satstore/workload"
)

// RoomError tells that the disk is too small for a measurement.
type RoomError struct {
	Dir        string
	Need, Free int64
}

func (e *RoomError) Error() string {
	return fmt.Sprintf("%s has %.1f GB free, and about %.1f GB are needed", e.Dir, float64(e.Free)/1e9, float64(e.Need)/1e9)
}

// Room estimates the bytes on disk that the largest of some engines needs: there is never
// more than one at a time.
func Room(o Options, w *workload.Workload, kinds []Kind) int64 {
	most := int64(0)
	for _, k := range kinds {
		most = max(most, k.roomBytes+int64(k.bytesPerRecord(w.MeanBytes())*float64(w.Records)))
	}
	return max(most, 2*o.DiskBytes) * 5 / 4
}

func checkRoom(o Options, w *workload.Workload, kinds []Kind) error {
	dir := o.Dir
	if dir == "" {
		dir = os.TempDir()
	}
	have, err := free(dir)
	if err != nil {
		return fmt.Errorf("room in %s: %w", dir, err)
	}
	if need := Room(o, w, kinds); need > have {
		return &RoomError{dir, need, have}
	}
	return nil
}

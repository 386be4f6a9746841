package seen

import (
	"errors"
	"fmt"
)

// Check reads and verifies every byte of the committed runs, and that their keys are in order and
// different. It returns the damages, at most one for a run.
func (s *Set) Check() ([]*DamageError, error) {
	if err := s.usable(); err != nil {
		return nil, err
	}
	var found []*DamageError
	for _, r := range s.runs {
		var damage *DamageError
		if err := checkRun(r); errors.As(err, &damage) {
			found = append(found, damage)
		} else if err != nil {
			return found, err
		}
	}
	return found, nil
}

func checkRun(r *run) error {
	rd := newRunReader(r)
	last := uint64(0)
	for n := 0; ; n++ {
		if err := rd.next(); err != nil || rd.done {
			return err
		}
		if n > 0 && rd.key <= last || rd.i == 0 && rd.key != r.first[rd.block] {
			return &DamageError{Path: r.path, Offset: rd.block * blockBytes,
				What: fmt.Sprintf("fingerprint %d is out of order", rd.i)}
		}
		last = rd.key
	}
}

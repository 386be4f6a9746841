package engine

import "fmt"

// Level is one digit of the mixed radix [SAT 3.6]: a ring of slots of equal width. The first level
// has slots of one unit.
type Level struct {
	Units int64 // width of a slot, a multiple of that in the level before
	Slots int64 // number of slots in use at once
}

// The radices of the paper's cases. If a level has twice as many slots as a slot of the next level
// has units, it covers the current and the next such slot. So the next one is split step by step
// while the current one passes.
var (
	// Days are flat: units of a day, T = 400.
	Days = []Level{{1, 402}}
	// HoursAndDays: units of an hour, today and tomorrow by the hour, T = 400 days.
	HoursAndDays = []Level{{1, 48}, {24, 402}}
	// MinutesHoursAndDays: units of a minute, this hour and the next by the minute, T = 400 days.
	MinutesHoursAndDays = []Level{{1, 120}, {60, 48}, {1440, 402}}
)

// maxSlots bounds the slots of all levels, and with them the pages that a commit touches.
const maxSlots = 1 << 12

func checkLevels(levels []Level) error {
	if len(levels) == 0 || len(levels) > 8 || levels[0].Units != 1 {
		return fmt.Errorf("levels %v: want 1 to 8, the first with slots of 1 unit", levels)
	}
	total := int64(0)
	for i, l := range levels {
		if l.Slots < 3 || l.Slots > maxSlots {
			return fmt.Errorf("level %d has %d slots: want 3 to %d", i, l.Slots, maxSlots)
		}
		if total += l.Slots; total > maxSlots {
			return fmt.Errorf("levels have more than %d slots", maxSlots)
		}
		if i == 0 {
			continue
		}
		below := levels[i-1]
		if l.Units <= below.Units || l.Units%below.Units != 0 || l.Units > 1<<40 {
			return fmt.Errorf(
				"level %d has slots of %d units: want a multiple of %d",
				i,
				l.Units,
				below.Units,
			)
		}
		if below.Slots < l.Units/below.Units {
			return fmt.Errorf(
				"level %d has %d slots: want at least %d",
				i-1,
				below.Slots,
				l.Units/below.Units,
			)
		}
	}
	return nil
}

// radix gives the slot of a due unit, as seen from the unit being processed.
type radix struct {
	levels []Level
	// by level: 1 if it covers another slot of the next level after the current one, else 0
	ahead []int64
	end   []int64 // by level except the last: the first unit that it does not cover
	now   int64
}

func newRadix(levels []Level) *radix {
	r := &radix{levels: levels, ahead: make([]int64, len(levels)), end: make([]int64, len(levels))}
	for i := range levels[:len(levels)-1] {
		if levels[i].Slots >= 2*levels[i+1].Units/levels[i].Units {
			r.ahead[i] = 1
		}
	}
	return r
}

// horizon returns T: how many units after the clock a record may be due.
func (r *radix) horizon() int64 {
	top := r.levels[len(r.levels)-1]
	return (top.Slots - 2) * top.Units
}

// move sets the unit being processed.
func (r *radix) move(now int64) {
	r.now = now
	for i := range r.levels[:len(r.levels)-1] {
		width := r.levels[i+1].Units
		r.end[i] = (now/width + r.ahead[i] + 1) * width
	}
}

// level returns the level of a due unit after now.
func (r *radix) level(due int64) int {
	top := len(r.levels) - 1
	for i := range top {
		if due < r.end[i] {
			return i
		}
	}
	return top
}

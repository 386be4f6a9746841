package scratch

import "time"

const (
	// watchEvery is how often a watch looks. To look takes a microsecond or two.
	watchEvery = 20 * time.Millisecond
	// paceBytes is how much may come into memory between two looks of a Pace.
	paceBytes = 16 << 20
	// placeBytes is what comes with a value at a place of its own: Linux maps so much around it.
	placeBytes = 64 << 10
)

// Watch keeps the memory that the files take at about so many bytes from now on, until the process
// ends or another call says otherwise: a value that is read brings its neighbours with it, 64 KiB
// on Linux, so that a few visits touch much of the files. Where memory is short the system does the
// same by itself.
func (f *File) Watch(most int64) {
	if f == nil || shownBytes() == 0 || f.most.Swap(most) > 0 {
		return
	}
	go func() {
		for range time.Tick(watchEvery) {
			f.ease()
		}
	}()
}

// ease gives memory back where the files take too much. One goroutine does it, others wait for it.
func (f *File) ease() {
	most := f.most.Load()
	if most == 0 || shownBytes() <= most {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if shownBytes() > most {
		f.forgetShown()
	}
}

// forgetAll gives the memory of all that was read or written back to the system. Others may read
// and write meanwhile.
func (f *File) forgetAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forgetShown()
}

func (f *File) forgetShown() {
	for _, window := range f.shown {
		forget(window)
	}
	for _, c := range f.columns {
		forget(c.room[:c.bytes])
	}
}

// Pace keeps a loop that reads many values within the memory of Watch: between two looks of the
// watch a processor can touch gigabytes. Each goroutine has its own. The zero Pace is ready.
type Pace struct{ bytes int }

// Read says that values were read at so many places, far from each other.
func (p *Pace) Read(f *File, places int) {
	if p.bytes += places * placeBytes; p.bytes >= paceBytes {
		p.bytes = 0
		if f != nil {
			f.ease()
		}
	}
}

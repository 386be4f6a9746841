package arena

import "time"

const (
	// watchEvery is how often a watch looks. To look takes a microsecond or two.
	watchEvery = 20 * time.Millisecond
	// paceBytes is how much may come into memory between two looks of a Pace.
	paceBytes = 16 << 20
	// placeBytes is what comes with a value at a place of its own: Linux maps so much around it,
	// unless it can be told to map single pages.
	placeBytes = 64 << 10
)

// Watch keeps the memory that the files take at about so many bytes from now on, until the process
// ends or another call says otherwise: a value that is read brings its neighbours with it, 4 KiB of
// them or 64, so that a few visits touch much of the files. Where memory is short the system does
// the same by itself.
func (f *File) Watch(most int64) {
	if f == nil || shownBytes() == 0 || f.most.Swap(most) > 0 {
		return
	}
	f.mapAllSingly()
	go func() {
		for range time.Tick(watchEvery) {
			if f.most.Load() == 0 {
				return // the file is closed
			}
			f.ease(false)
		}
	}()
}

// mapAllSingly has all that is shown brought into memory by single pages, where the system can.
// Before that the files are read as wholes, and large steps are faster.
func (f *File) mapAllSingly() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.singly = true
	for _, window := range f.shown {
		f.singly = mapSingly(window) && f.singly
	}
	for _, c := range f.columns {
		f.singly = mapSingly(c.room) && f.singly
	}
	f.place.Store(placeBytes)
	if f.singly {
		f.place.Store(int64(pageSize))
	}
}

// Apart says whether the values that are read from now on lie far apart, as those of visits do, or
// one after the other, as in a look at all pages. With each value that is not in memory the system
// reads what lies behind it from the disk, up to 8 MiB on some machines, unless values lie apart.
func (f *File) Apart(yes bool) {
	if f == nil || f.apart == yes {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apart = yes
	for _, window := range f.shown {
		f.advise(window)
	}
	for _, c := range f.columns {
		f.advise(c.room)
	}
}

// advise tells the system how a mapping is read: by single pages or not, and apart or not.
func (f *File) advise(room []byte) {
	if f.singly {
		mapSingly(room)
	}
	readApart(room, f.apart)
}

// ease gives memory back where the files take too much. One goroutine does it, others wait for it.
// If no other goroutine writes to columns (alone), what was read of an image is given back, too.
func (f *File) ease(alone bool) {
	most := f.most.Load()
	if most == 0 || shownBytes() <= most {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if most = f.most.Load(); most == 0 || shownBytes() <= most {
		return
	}
	f.forgetShown()
	if alone {
		for _, c := range f.unsettled {
			forgetRead(c.room[c.image.from:c.image.to])
		}
	}
}

// Ease gives memory back where the files take more than Watch allows, and not only what the watch
// may give back: also what was read of an image that is shown (Settle). No goroutine may write to
// columns meanwhile; others may read them.
func (f *File) Ease() {
	if f != nil {
		f.ease(true)
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
		c.forget()
	}
}

// Pace keeps a loop that reads many values within the memory of Watch: between two looks of the
// watch a processor can touch gigabytes. Each goroutine has its own. The zero Pace is ready.
type Pace struct {
	// Alone: no other goroutine writes to columns. Then what was read of an image is given back,
	// too (Ease).
	Alone bool
	bytes int
}

// Read says that values were read at so many places, far from each other.
func (p *Pace) Read(f *File, places int) {
	if f == nil {
		return
	}
	if p.bytes += places * int(f.place.Load()); p.bytes >= paceBytes {
		p.bytes = 0
		f.ease(p.Alone)
	}
}

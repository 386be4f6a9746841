package arena

import "time"

const (
	// watchEvery is the time between two looks of a watch. A look takes a microsecond or two.
	watchEvery = 20 * time.Millisecond
	// paceBytes is how much may be loaded between two looks of a Pace.
	paceBytes = 16 << 20
	// placeBytes is loaded with a single value: Linux maps this much around it, unless it can be
	// made to map single pages.
	placeBytes = 64 << 10
)

// Watch keeps the memory of the files at about most bytes, until the process ends or another call
// changes it. A value that is read brings 4 or 64 KiB of neighbours with it, so that a few visits
// touch much of the files. If memory is short the system does the same by itself.
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

// mapAllSingly makes all mapped files load by single pages, if the system can. Before that the
// files are read as wholes, and large steps are faster.
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

// Apart sets whether the next values are read far apart, as in visits, or one after the other, as
// in a look at all pages. Unless values are apart, the system reads up to 8 MiB after each one from
// the disk on some machines.
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

// ease releases memory if the files take too much. One goroutine does it, others wait for it. If no
// other goroutine writes to columns (alone), it also releases read parts of an image.
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

// Ease releases memory if the files take more than Watch allows, including read parts of a mapped
// image (Settle), which the watch may not release. No goroutine may write to columns meanwhile;
// others may read them.
func (f *File) Ease() {
	if f != nil {
		f.ease(true)
	}
}

// forgetAll returns the memory of all read or written data to the system. Others may read and write
// meanwhile.
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
	// Alone is set if no other goroutine writes to columns. Then read parts of an image are also
	// released (Ease).
	Alone bool
	bytes int
}

// Read counts reads at places that are far from each other.
func (p *Pace) Read(f *File, places int) {
	if f == nil {
		return
	}
	if p.bytes += places * int(f.place.Load()); p.bytes >= paceBytes {
		p.bytes = 0
		f.ease(p.Alone)
	}
}

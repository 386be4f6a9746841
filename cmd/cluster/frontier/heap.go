package frontier

// moment is a time in milliseconds since 1970, or in seconds to save memory.
type moment interface{ int64 | uint32 }

// timed is something that is due at a moment.
type timed[M moment] struct {
	at   M
	what uint32
}

func (a timed[M]) before(b timed[M]) bool { return a.at < b.at || a.at == b.at && a.what < b.what }

// line is a binary heap with the earliest entry in front. Its memory is at most four times that of
// its entries.
type line[M moment] []timed[M]

func (l *line[M]) push(t timed[M]) {
	h := append(*l, t)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !t.before(h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = t
	*l = h
}

func (l *line[M]) pop() timed[M] {
	h := *l
	first, n := h[0], len(h)-1
	t := h[n]
	h = h[:n]
	for i := 0; n > 0; {
		down := 2*i + 1
		if down+1 < n && h[down+1].before(h[down]) {
			down++
		}
		if down >= n || !h[down].before(t) {
			h[i] = t
			break
		}
		h[i] = h[down]
		i = down
	}
	if cap(h) > 64 && n < cap(h)/4 {
		h = append(make([]timed[M], 0, cap(h)/2), h...)
	}
	*l = h
	return first
}

// sift keeps the entries for which good is true.
func (l *line[M]) sift(good func(t timed[M]) bool) {
	old := *l
	*l = nil
	for _, t := range old {
		if good(t) {
			l.push(t)
		}
	}
}

// fifo is a queue of numbers.
type fifo struct {
	items []uint32
	first int
}

func (f *fifo) len() int { return len(f.items) - f.first }

func (f *fifo) push(n uint32) { f.items = append(f.items, n) }

func (f *fifo) pop() uint32 {
	n := f.items[f.first]
	if f.first++; f.first > 1024 && 2*f.first > len(f.items) {
		f.items = append([]uint32(nil), f.items[f.first:]...)
		f.first = 0
	}
	return n
}

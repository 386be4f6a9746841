package schedule

// waiting is the servers of a pool that wait for a connection, by the keys of the policy: a heap of
// four children a node, which knows where each server is. Equal keys come by the servers' numbers.
type waiting struct {
	order []ranked
}

type ranked struct {
	key int64
	id  ID
}

func (a ranked) before(b ranked) bool { return a.key < b.key || a.key == b.key && a.id < b.id }

// push adds a server. at has the place of each server in the heap of its pool.
func (w *waiting) push(at []int32, r ranked) {
	w.order = append(w.order, r)
	w.up(at, len(w.order)-1)
}

// pop takes out the first.
func (w *waiting) pop(at []int32) ID {
	first := w.order[0].id
	w.remove(at, 0)
	return first
}

func (w *waiting) remove(at []int32, i int) {
	last := len(w.order) - 1
	at[w.order[i].id] = -1
	if i != last {
		w.order[i] = w.order[last]
		at[w.order[i].id] = int32(i)
	}
	w.order = w.order[:last]
	if i != last {
		w.fix(at, i)
	}
}

// fix gives a server its place after its key has changed.
func (w *waiting) fix(at []int32, i int) {
	if !w.up(at, i) {
		w.down(at, i)
	}
}

func (w *waiting) up(at []int32, i int) (moved bool) {
	r := w.order[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !r.before(w.order[parent]) {
			break
		}
		w.order[i] = w.order[parent]
		at[w.order[i].id] = int32(i)
		i, moved = parent, true
	}
	w.order[i] = r
	at[r.id] = int32(i)
	return moved
}

func (w *waiting) down(at []int32, i int) {
	r := w.order[i]
	for {
		least := 4*i + 1
		if least >= len(w.order) {
			break
		}
		for child := least + 1; child < min(4*i+5, len(w.order)); child++ {
			if w.order[child].before(w.order[least]) {
				least = child
			}
		}
		if !w.order[least].before(r) {
			break
		}
		w.order[i] = w.order[least]
		at[w.order[i].id] = int32(i)
		i = least
	}
	w.order[i] = r
	at[r.id] = int32(i)
}

package frontier

import "time"

// prepared is an item on its way into the store.
type prepared struct {
	id    id
	value []byte // as stored, but without its head
	ok    bool
}

// Put stores items, and returns the status of each in their order. All of it is durable once wait
// returns nil. Put fills in keys and crawls that are missing.
func (f *Frontier) Put(items []Item, now time.Time) (
	statuses []Status, wait func() error, err error) {
	statuses = make([]Status, len(items))
	prepared := f.prepare(items)
	wait, err = f.change(func(b *batch) error {
		for i := range items {
			statuses[i] = f.put(&items[i], &prepared[i], now, b)
		}
		return nil
	})
	return statuses, wait, err
}

// prepare does the work that needs no lock.
func (f *Frontier) prepare(items []Item) []prepared {
	made := make([]prepared, len(items))
	var scratch, values []byte
	for i := range items {
		it, p := &items[i], &made[i]
		if p.ok = it.complete(); !p.ok {
			continue
		}
		p.id, scratch = f.identify(it.Crawl, it.Key, it.URL, scratch)
		start := len(values)
		values = appendItem(values, it, nil)
		p.value = values[start:len(values):len(values)]
	}
	return made
}

func (f *Frontier) put(it *Item, p *prepared, now time.Time, b *batch) Status {
	if !p.ok {
		return Skipped
	}
	n, known := f.table.find(p.id)
	if known && !it.Known {
		return Skipped
	}
	at := now.UnixMilli()
	if !known {
		if f.table.live >= mostSlots {
			return Failed
		}
		q := f.queueOf(it, b)
		n = f.table.add(p.id)
		s := f.table.at(n)
		s.queue, s.created = q.number, seconds(now)
		q.done++ // as if the address had been done
	}
	s := f.table.at(n)
	q := f.queues[s.queue]
	if s.lease != 0 {
		f.unlease(s)
		b.removeKey(s.key(leasePrefix))
	}
	date := now
	if it.Known {
		date = it.Date
	}
	key, value := s.key(itemPrefix), p.value
	if it.Known && (it.Outcome != nil || it.Ask || s.page != 0) {
		evidence, due := f.judgeItem(s, it, key, now)
		value = appendItem(nil, it, evidence)
		if it.Ask {
			date = due
		}
	}
	f.date(n, seconds(date))
	setHead(value, s.created, s.date)
	b.set(key[:], value)
	f.place(q, at)
	return Stored
}

// date changes the date of an address; 0: done.
func (f *Frontier) date(n, date uint32) {
	s := f.table.at(n)
	q := f.queues[s.queue]
	if s.date == 0 {
		q.done--
	} else {
		q.active--
	}
	s.date = date
	if date == 0 {
		q.done++
		return
	}
	q.active++
	f.enqueue(q, date, n)
}

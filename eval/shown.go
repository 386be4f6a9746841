package eval

import "time"

// shown tracks what a search shows of each page: the copy of the last visit at least a lag ago.
type shown struct {
	pages   []shownPage
	weight  []float64
	lag     int // steps
	waiting [][]sighting
	on      bool

	sum   float64 // sum of the shares of steps
	steps int
}

// shownPage is the shown state of a page.
type shownPage struct {
	copy content
	has  bool
}

// sighting is the result of a visit.
type sighting struct {
	page int32
	now  shownPage
}

func newShown(t *truth, o *StreamOptions) shown {
	s := shown{pages: make([]shownPage, len(t.pages)), on: o.Search || o.Listed != nil || o.Lag > 0}
	if !s.on {
		return s
	}
	s.lag = int((o.Lag + t.step - time.Nanosecond) / t.step)
	s.waiting = make([][]sighting, s.lag+1)
	s.weight = make([]float64, len(t.pages))
	for url, i := range t.byURL {
		s.weight[i] = o.Listed.Of(url)
	}
	return s
}

// noteVisit stores the result of a visit in a step.
func (s *shown) noteVisit(page int32, step int, now shownPage) {
	if s.on {
		at := step % len(s.waiting)
		s.waiting[at] = append(s.waiting[at], sighting{page, now})
	}
}

// publish shows the results of visits a lag before a step.
func (s *shown) publish(step int) {
	if s.on && s.lag > 0 {
		s.show((step + 1) % len(s.waiting)) // the slot of step - lag: there are lag + 1
	}
}

func (s *shown) show(at int) {
	for _, f := range s.waiting[at] {
		s.pages[f.page] = f.now
	}
	s.waiting[at] = s.waiting[at][:0]
}

// add counts a step at its end.
func (s *shown) add(m *meter) {
	if !s.on {
		return
	}
	if s.lag == 0 {
		s.show(0)
	}
	var good, all float64
	for i := range s.pages {
		p := &s.pages[i]
		if !p.has {
			continue
		}
		all += s.weight[i]
		if !p.copy.differs(m.pages[i].now, m.corpus.Change) {
			good += s.weight[i]
		}
	}
	if all > 0 {
		s.sum += good / all
		s.steps++
	}
}

// result returns the mean over the steps; 0 if it is not measured.
func (s *shown) result() Number {
	if !s.on {
		return 0
	}
	return ratio(s.sum, float64(s.steps))
}

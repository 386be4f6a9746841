package eval

import "math"

// gainInServers returns the mean of gainByServer over the servers where it is defined.
func (h *horizon) gainInServers(order []fetched) Number {
	var sum float64
	var n int
	for _, g := range h.gainByServer(order) {
		if !math.IsNaN(float64(g)) {
			sum += float64(g)
			n++
		}
	}
	return ratio(sum, float64(n))
}

// gainByServer returns the gain of the same order restricted to each server; NaN if no page or
// every page changed.
func (h *horizon) gainByServer(order []fetched) []Number {
	per := make([][]fetched, len(h.alive))
	for _, f := range order {
		per[f.server] = append(per[f.server], f)
	}
	gains := make([]Number, len(per))
	for s, visits := range per {
		gains[s] = gain(auc(visits, h.alive[s], h.updated[s]), h.alive[s], h.updated[s])
	}
	return gains
}

// auc returns the area under coverage by fetched share: trapezoids from (0,0), and a straight line
// from the last visit to (1,1). It is undefined if no page changed.
func auc(order []fetched, pages, changed int) Number {
	if pages == 0 || changed == 0 {
		return Number(math.NaN())
	}
	var area float64 // in units of a page times a changed page
	found := 0
	for _, f := range order {
		before := found
		if f.changed {
			found++
		}
		area += float64(before+found) / 2
	}
	area += float64(pages-len(order)) * float64(found+changed) / 2
	return Number(area / float64(pages) / float64(changed))
}

// gain relates an AUC to that of the clairvoyant, which finds all changed pages first: 1 - changed
// / (2 pages). It is undefined if nothing can be gained.
func gain(auc Number, pages, changed int) Number {
	if changed == 0 || changed == pages {
		return Number(math.NaN())
	}
	best := 1 - float64(changed)/float64(2*pages)
	return Number((float64(auc) - 0.5) / (best - 0.5))
}

// drawGains adds gain and gain in servers of an order in resampled corpora. For a server drawn
// twice, each visit counts as two in a row.
func (h *horizon) drawGains(d draws, corpora [][]int, order []fetched) {
	inServers := h.gainByServer(order)
	for _, times := range corpora {
		pages, changed := 0, 0
		var sum, weight float64
		for s, n := range times {
			pages += n * h.alive[s]
			changed += n * h.updated[s]
			if g := float64(inServers[s]); n > 0 && !math.IsNaN(g) {
				sum += float64(n) * g
				weight += float64(n)
			}
		}
		d[Gain] = append(d[Gain],
			float64(gain(drawnAUC(times, order, pages, changed), pages, changed)))
		d[GainInServers] = append(d[GainInServers], float64(ratio(sum, weight)))
	}
}

// drawnAUC is auc with each server's visits repeated times times.
func drawnAUC(times []int, order []fetched, pages, changed int) Number {
	if pages == 0 || changed == 0 {
		return Number(math.NaN())
	}
	twice, found, visits := 0, 0, 0 // the area is counted in half units to stay whole
	for _, f := range order {
		n := times[f.server]
		visits += n
		if f.changed {
			twice += n * (2*found + n)
			found += n
		} else {
			twice += n * 2 * found
		}
	}
	twice += (pages - visits) * (found + changed)
	return Number(float64(twice) / 2 / float64(pages) / float64(changed))
}

// curve returns coverage by fetched share in at most points steps, with a straight line from the
// last visit to (1,1).
func curve(order []fetched, pages, changed, points int) [][2]float64 {
	path := [][2]float64{{0, 0}}
	if pages == 0 || changed == 0 {
		return path
	}
	step := (len(order) + points - 1) / points
	found := 0
	for i, f := range order {
		if f.changed {
			found++
		}
		if (i+1)%step == 0 || i == len(order)-1 {
			path = append(path, [2]float64{float64(i+1) / float64(pages),
				float64(found) / float64(changed)})
		}
	}
	if len(order) < pages {
		path = append(path, [2]float64{1, 1})
	}
	return path
}

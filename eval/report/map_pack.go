package report

import "math"

// skyline packs boxes of whole units downwards: how far each unit of the width is filled.
type skyline []float64

// place puts a box where it comes to lie highest, the leftmost of such places.
func (s skyline) place(b *box) {
	w := min(max(1, int(math.Ceil(b.w))), len(s))
	best, at := math.Inf(1), 0
	for x := 0; x+w <= len(s); x++ {
		top := 0.
		for _, filled := range s[x : x+w] {
			top = max(top, filled)
		}
		if top < best {
			best, at = top, x
		}
	}
	b.x, b.y = float64(at), best
	for x := at; x < at+w; x++ {
		s[x] = best + b.h
	}
}

// packTray shapes the parts of a tray and places them inside it.
func (l *layout) packTray(d *division, t *tray, across int) {
	const margin = 1 // unit around the parts of a tray that is drawn
	if l.named {
		for i := range t.parts {
			t.parts[i].x, t.parts[i].y = 0, t.h
			t.parts[i].across = 1
			t.parts[i].w, t.parts[i].h = 1, float64(2*len(t.parts[i].pages)+1)
			t.h += t.parts[i].h
		}
		t.w = 1
		t.h++
		return
	}
	inner := across
	if len(t.parts) > 1 {
		inner -= 2 * margin
	}
	area, widest := 0., 0.
	for i := range t.parts {
		p := &t.parts[i]
		l.shape(d, p, inner)
		area += p.w * p.h
		widest = max(widest, p.w)
	}
	if len(t.parts) == 1 {
		t.w, t.h = t.parts[0].w, t.parts[0].h
		return
	}
	pile := make(skyline, max(1, min(inner, int(max(widest, math.Ceil(math.Sqrt(2.2*area)))))))
	for i := range t.parts {
		p := &t.parts[i]
		pile.place(&p.box)
		t.w, t.h = max(t.w, p.x+p.w+2*margin), max(t.h, p.y+p.h+2*margin)
		p.x += margin
		p.y += margin
	}
}

// labelFrom is the least number of dots with a label above them.
const labelFrom = 6

// shape makes a part wider than high, as labels and screens are.
func (l *layout) shape(d *division, p *part, across int) {
	n := len(p.pages)
	p.across = max(1, min(int(math.Ceil(math.Sqrt(1.8*float64(n)))), (across-2)/2))
	if p.labelled(d) && across >= 12 {
		p.head = math.Ceil(13 / l.unit)
		p.across = max(p.across, min(int(math.Ceil(70/(2*l.unit))), (across-2)/2))
	}
	rows := (n + p.across - 1) / p.across
	p.w = float64(2*min(p.across, max(n, int(p.head)*p.across)) + 2)
	p.h = float64(2*rows+2) + p.head
}

// labelled reports whether a part's site is named above it: where its top stands.
func (p *part) labelled(d *division) bool {
	k := &d.blocks[p.blocks[0]]
	return len(p.blocks) == 1 && k.site != none && len(p.pages) >= labelFrom
}

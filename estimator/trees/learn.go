package trees

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/recrawl/recrawl/estimator/logodds"
)

// Options of learning.
type Options struct {
	Trees  int     // 1 or more
	Depth  int     // 1 to MaxDepth
	Rate   float64 // share of a tree that is added, in (0, 1]
	Lambda float64 // rows' worth of doubt that pulls each leaf to 0
	// Least weight of the rows on each side of a question, summed.
	LeastWeight float64
}

const (
	// bins a feature is cut into, at most.
	bins = 64
	// abreast features are summed up in one pass over the rows: no sum waits for another.
	abreast = 4
)

// learner is one run of boosting. Features are cut into bins once; gradients are those of the
// logistic loss.
type learner struct {
	Options
	e          *logodds.Examples
	thresholds [][]float32 // by feature, ascending; bin b holds values up to thresholds[b]
	binned     [][]uint8   // by feature, by row
	varied     []int       // features with thresholds
	blocks     []block     // of the varied features
	sum        []float32   // log odds, by row
	rows       []sums      // of each row by itself
	leaf       []uint8     // of the tree at work, by row
}

// block is what the rows have of a few features.
type block struct {
	features []int            // abreast of them, or fewer
	bins     [][abreast]uint8 // by row
}

// Learn fits a forest to examples, of which there must be some, by gradient boosting of the
// logistic loss. goOn is asked after each tree; once it says no, Learn returns nil. It may be nil.
func Learn(e *logodds.Examples, o Options, goOn func() bool) *Forest {
	l := &learner{Options: o, e: e, sum: make([]float32, e.Len()), rows: make([]sums, e.Len()),
		leaf: make([]uint8, e.Len())}
	l.cut()
	copy(l.sum, e.Offsets)
	f := &Forest{Features: e.Features, Start: e.Start()}
	for i := range l.sum {
		l.sum[i] += f.Start
	}
	for range o.Trees {
		f.Trees = append(f.Trees, l.tree())
		if goOn != nil && !goOn() {
			return nil
		}
	}
	return f
}

// cut finds thresholds that part the rows evenly.
func (l *learner) cut() {
	n := l.e.Len()
	l.thresholds, l.binned = make([][]float32, l.e.Features), make([][]uint8, l.e.Features)
	each(l.e.Features, func(f int) {
		values := make([]float32, 0, n)
		for i := range n {
			if v := l.e.Rows[i*l.e.Features+f]; v == v {
				values = append(values, v)
			}
		}
		values = sorted(values)
		var thresholds []float32
		for b := 1; b < bins && len(values) > 0; b++ {
			v := values[(len(values)-1)*b/bins]
			if (len(thresholds) == 0 || v > thresholds[len(thresholds)-1]) &&
				v < values[len(values)-1] {
				thresholds = append(thresholds, v)
			}
		}
		binned := make([]uint8, n)
		for i := range n {
			v := l.e.Rows[i*l.e.Features+f]
			if v != v {
				continue
			}
			b, _ := slices.BinarySearch(thresholds, v) // the first threshold that v is not above
			binned[i] = uint8(b)
		}
		l.thresholds[f], l.binned[f] = thresholds, binned
	})
	for f, thresholds := range l.thresholds {
		if len(thresholds) > 0 {
			l.varied = append(l.varied, f)
		}
	}
	for features := range slices.Chunk(l.varied, abreast) {
		b := block{features, make([][abreast]uint8, n)}
		for k, f := range features {
			for i, bin := range l.binned[f] {
				b.bins[i][k] = bin
			}
		}
		l.blocks = append(l.blocks, b)
	}
}

// sorted sorts numbers, none of which is a NaN, by digits of their bits (radix sort). It needs the
// memory of as many again.
func sorted(values []float32) []float32 {
	const (
		digit  = 11 // bits
		few    = 1 << 9
		digits = 3
	)
	if len(values) < few {
		slices.Sort(values)
		return values
	}
	// Bits of numbers of 0 or more are in their order; those of smaller ones are in the reverse.
	key := func(v float32) uint32 {
		b := math.Float32bits(v)
		return b ^ (uint32(int32(b)>>31) | 1<<31)
	}
	var ends [digits][1 << digit]int
	for _, v := range values {
		k := key(v)
		for d := range digits {
			ends[d][k>>(d*digit)%(1<<digit)]++
		}
	}
	from, to := values, make([]float32, len(values))
	for d := range digits {
		at := 0
		for i, n := range &ends[d] {
			ends[d][i] = at
			at += n
		}
		for _, v := range from {
			end := &ends[d][key(v)>>(d*digit)%(1<<digit)]
			to[*end] = v
			*end++
		}
		from, to = to, from
	}
	return from
}

// tree grows one tree level by level and adds it to the sums.
func (l *learner) tree() Tree {
	for i, s := range l.sum {
		p, w := logodds.Probability(s), l.e.Weights[i]
		y := float32(0)
		if l.e.Changed[i] {
			y = 1
		}
		l.rows[i] = sums{g: float64(w * (y - p)), h: float64(w * p * (1 - p)), w: float64(w)}
	}
	clear(l.leaf)
	var t Tree
	for depth := range min(l.Depth, MaxDepth) {
		f, b, ok := l.best(depth)
		if !ok {
			break
		}
		t.Questions = append(t.Questions,
			Question{Feature: uint8(f), Threshold: l.thresholds[f][b]})
		for i, v := range l.binned[f] {
			if int(v) > b {
				l.leaf[i] |= 1 << depth
			}
		}
	}
	n := 1 << len(t.Questions)
	g, h, w := make([]float64, n), make([]float64, n), make([]float64, n)
	all := 0.0
	for i, leaf := range l.leaf {
		row := &l.rows[i]
		g[leaf] += row.g
		h[leaf] += row.h
		w[leaf] += row.w
		all += row.w
	}
	t.Leaves, t.Shares = make([]float32, n), make([]float32, n)
	for k := range n {
		t.Leaves[k] = float32(l.Rate * g[k] / (h[k] + l.Lambda))
		t.Shares[k] = float32(w[k] / all)
	}
	for i, leaf := range l.leaf {
		l.sum[i] += t.Leaves[leaf]
	}
	return t
}

// split is the best question about one feature.
type split struct {
	gain float64
	bin  int
}

// best finds the question that brings most over all leaves of a level.
func (l *learner) best(depth int) (feature, bin int, ok bool) {
	splits := make([]split, l.e.Features)
	each(len(l.blocks), func(k int) {
		b := &l.blocks[k]
		tables := l.sumUp(b, 1<<depth)
		for lane, f := range b.features {
			splits[f] = l.bestOf(f, lane, tables)
		}
	})
	best := -1
	for f, s := range splits {
		if s.gain > 1e-9 && (best < 0 || s.gain > splits[best].gain) {
			best = f
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	return best, splits[best].bin, true
}

// sums of the gradients, hessians and weights of rows; those of one bin, or of a single row.
type sums struct{ g, h, w, _ float64 }

// table of a leaf, for the features of a block.
type table [abreast][bins]sums

// sumUp sums up the rows of each leaf by the bins of a block's features.
func (l *learner) sumUp(b *block, leaves int) []table {
	tables := make([]table, leaves)
	addRows(tables, l.rows, l.leaf, b.bins)
	return tables
}

func addRowsPlainly(tables []table, rows []sums, leaf []uint8, at [][abreast]uint8) {
	for i, at := range at {
		row, t := &rows[i], &tables[leaf[i]]
		for k, bin := range at {
			s := &t[k][bin%bins]
			s.g += row.g
			s.h += row.h
			s.w += row.w
		}
	}
}

// bestOf finds the best question about a feature, given the tables of its block by leaf.
func (l *learner) bestOf(f, lane int, tables []table) split {
	n := len(l.thresholds[f])
	score := func(s sums) float64 { return s.g * s.g / (s.h + l.Lambda) }
	var gains, least [bins]float64
	for k := range tables {
		row := &tables[k][lane]
		var all, low sums
		for _, s := range row[:n+1] {
			all.g, all.h, all.w = all.g+s.g, all.h+s.h, all.w+s.w
		}
		for b := range n {
			s := row[b]
			low.g, low.h, low.w = low.g+s.g, low.h+s.h, low.w+s.w
			high := sums{g: all.g - low.g, h: all.h - low.h, w: all.w - low.w}
			gains[b] += score(low) + score(high) - score(all)
			least[b] += min(low.w, high.w)
		}
	}
	best := split{}
	for b := range n {
		if gains[b] > best.gain && least[b] >= l.LeastWeight {
			best = split{gains[b], b}
		}
	}
	return best
}

// each calls f for 0 to n-1 on all processors.
func each(n int, f func(i int)) {
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := w; i < n; i += workers {
				f(i)
			}
		}()
	}
	wait.Wait()
}

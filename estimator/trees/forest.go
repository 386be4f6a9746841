package trees

import "fmt"

// MaxDepth bounds the questions of a tree: Fast has room for so many in each.
const MaxDepth = 5

// Question is asked at one level of a tree.
type Question struct {
	Feature   uint8   `json:"f"`
	Threshold float32 `json:"t"`
}

// Tree adds a leaf to the log odds. Bit k of a leaf's place is the answer to question k.
type Tree struct {
	Questions []Question `json:"q"`
	Leaves    []float32  `json:"l"` // 2^len(Questions)
	// Shares of the rows learnt from that came to each leaf, for contributions.
	Shares []float32 `json:"s"`
}

// Forest is a sum of trees.
type Forest struct {
	Features int     `json:"features"` // length of a row
	Start    float32 `json:"start"`    // log odds before any tree
	Trees    []Tree  `json:"trees"`
}

// mostLeaf bounds leaves: beyond it answers could become no numbers.
const mostLeaf = 1e6

// Check reports what makes a forest unusable.
func (f *Forest) Check() error {
	for i := range f.Trees {
		t := &f.Trees[i]
		n := len(t.Questions)
		if n > MaxDepth || len(t.Leaves) != 1<<n || len(t.Shares) != 1<<n {
			return fmt.Errorf(
				"tree %d has %d questions, %d leaves and %d shares; want at most %d questions "+
					"and 2^questions of both",
				i,
				n,
				len(t.Leaves),
				len(t.Shares),
				MaxDepth,
			)
		}
		for _, q := range t.Questions {
			if int(q.Feature) >= f.Features {
				return fmt.Errorf("tree %d asks for feature %d of %d", i, q.Feature, f.Features)
			}
		}
		for _, leaf := range append([]float32{f.Start}, t.Leaves...) {
			if !(leaf >= -mostLeaf && leaf <= mostLeaf) {
				return fmt.Errorf("tree %d has a leaf of %g, more than was ever learnt", i, leaf)
			}
		}
	}
	return nil
}

// LogOdds of a row of Features numbers.
func (f *Forest) LogOdds(row []float32) float32 {
	sum := f.Start
	for i := range f.Trees {
		t := &f.Trees[i]
		sum += t.Leaves[t.place(row)]
	}
	return sum
}

func (t *Tree) place(row []float32) int {
	place := 0
	for k, q := range t.Questions {
		bit := 0
		if row[q.Feature] > q.Threshold {
			bit = 1
		}
		place |= bit << k
	}
	return place
}

// Explain adds to each feature's place in contributions, of length Features, what the
// feature adds to the log odds of a row: the change of the expected leaf as the questions are
// answered one by one. It returns what is left for no feature: the mean of all trees.
func (f *Forest) Explain(row []float32, contributions []float32) (start float32) {
	start = f.Start
	var values, shares [1 << MaxDepth]float64
	for i := range f.Trees {
		t := &f.Trees[i]
		n := 1 << len(t.Questions)
		for k := range n {
			shares[k] = float64(t.Shares[k]) + 1e-9 // a leaf that no row reached
			values[k] = float64(t.Leaves[k])
		}
		expected := mean(values[:n], shares[:n])
		start += float32(expected)
		place := t.place(row)
		// the last question first: halves stay in one piece
		for k := len(t.Questions) - 1; k >= 0; k-- {
			half := 1 << k
			from := 0
			if place&half != 0 {
				from = half
			}
			copy(values[:half], values[from:from+half])
			copy(shares[:half], shares[from:from+half])
			now := mean(values[:half], shares[:half])
			contributions[t.Questions[k].Feature] += float32(now - expected)
			expected = now
		}
	}
	return start
}

func mean(values, shares []float64) float64 {
	var sum, weight float64
	for i, v := range values {
		sum += v * shares[i]
		weight += shares[i]
	}
	return sum / weight
}

package evidence

// Mean adds up what some occasions brought: visits that found a page gone, or pages that a change
// made known.
type Mean struct{ Sum, Count float32 }

// Add adds what so many occasions brought. Of more than most the oldest are forgotten before.
func (m *Mean) Add(sum, count, most float32) {
	if m.Count > most {
		m.Sum *= most / m.Count
		m.Count = most
	}
	m.Sum += sum
	m.Count += count
}

// See adds an occasion that brought one or nothing.
func (m *Mean) See(brought bool, most float32) {
	sum := float32(0)
	if brought {
		sum = 1
	}
	m.Add(sum, 1, most)
}

// Toward returns the mean, pulled toward that of a larger group, which counts for so many occasions
// (partial pooling).
func (m Mean) Toward(parent, weight float32) float32 {
	return (m.Sum + weight*parent) / (m.Count + weight)
}

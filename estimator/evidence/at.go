package evidence

// At returns the element of a slice for an ID, and grows the slice if necessary.
func At[T any, ID ~int32 | ~uint32](all *[]T, i ID) *T {
	if int(i) >= len(*all) {
		*all = append(*all, make([]T, int(i)+1-len(*all))...)
	}
	return &(*all)[i]
}

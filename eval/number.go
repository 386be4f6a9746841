package eval

import (
	"math"
	"strconv"
)

// Number is a float64 whose undefined value (NaN) is null in JSON.
type Number float64

// MarshalJSON writes the shortest form that reads back equal.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(n), 'g', -1, 64), nil
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	f, err := strconv.ParseFloat(string(b), 64)
	*n = Number(f)
	return err
}

// ratio returns a / b, or NaN for b = 0.
func ratio[T int | float64](a, b T) Number {
	if b == 0 {
		return Number(math.NaN())
	}
	return Number(float64(a) / float64(b))
}

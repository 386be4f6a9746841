package words

import (
	"math"
	"testing"
)

func TestSignificant(t *testing.T) {
	for _, c := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {0.25, 3, "0.25"}, {12.345, 3, "12.3"}, {999.4, 3, "999"}, {999.6, 3, "1,000"},
		{293_812, 3, "294,000"}, {-4567, 4, "-4,567"},
		{2e7, 4, "20,000,000"}, {2.94e-7, 3, "2.94e-07"}, {1e20, 3, "1e+20"},
		{math.NaN(), 3, "NaN"}, {math.Inf(-1), 3, "-Inf"},
	} {
		if got := Significant(c.v, c.digits); got != c.want {
			t.Errorf("%v to %d digits is %s, want %s", c.v, c.digits, got, c.want)
		}
	}
}

package budget

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// 24 hourly grants add up to the budget of each day, in spite of rounding.
func TestBudgetHours(t *testing.T) {
	for _, perDay := range []float64{0, 1, 7, 10, 23, 24, 25, 100, 1000, 99999, 1e7} {
		b := Grant{PerDay: perDay}
		for day := range 40 {
			sum := 0
			for range 24 {
				n := b.Of(time.Hour)
				if n < 0 || float64(n) > math.Ceil(perDay/24) {
					t.Fatalf("%g a day: %d in an hour", perDay, n)
				}
				sum += n
			}
			if float64(sum) != perDay {
				t.Fatalf("%g a day: %d on day %d", perDay, sum, day)
			}
		}
	}
}

// Fractions of a fetch carry over. Whole fetches are lost if the caller does not use them.
func TestBudgetCarry(t *testing.T) {
	for _, c := range []struct {
		perDay float64
		length time.Duration
		want   []int
	}{
		{2.5, 24 * time.Hour, []int{2, 3, 2, 3}},
		{0.4, 24 * time.Hour, []int{0, 0, 1, 0, 1}},
		{1, 8 * time.Hour, []int{0, 0, 1, 0, 0, 1}},
		{0.2, 72 * time.Hour, []int{0, 1, 0, 1, 1}},
		{Unlimited, time.Hour, []int{Unlimited, Unlimited}},
		{3, 0, []int{0, 0}},
	} {
		b := Grant{PerDay: c.perDay}
		for i, want := range c.want {
			if got := b.Of(c.length); got != want {
				t.Errorf("%g a day, round %d of %v: %d, want %d", c.perDay, i, c.length, got, want)
			}
			if b.Carry < 0 || b.Carry >= 1 {
				t.Errorf("%g a day, round %d: %g carried over", c.perDay, i, b.Carry)
			}
		}
	}
}

// Rounds of any lengths get at most the budget of their time, and at most one fetch less.
func TestBudgetBounds(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		b := Grant{PerDay: math.Exp(rng.Float64()*16 - 4)}
		sum, days := 0.0, 0.0
		for range 500 {
			length := time.Duration(rng.Int64N(int64(50 * time.Hour)))
			days += length.Hours() / 24
			sum += float64(b.Of(length))
			if worth := b.PerDay * days; sum > worth+1 || sum < worth-1 {
				t.Fatalf("seed %d: %g granted in %g days at %g a day, worth %g",
					seed, sum, days, b.PerDay, worth)
			}
		}
	}
}

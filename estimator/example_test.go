package estimator_test

import (
	"fmt"
	"time"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/sitegraph"
)

// A page was visited on ten days and changed on the third and the seventh. The closed form of [SAT
// eq. 1] and empirical Bayes, which trusts ten days less, give different intervals.
func Example() {
	start := time.Date(2004, 3, 1, 0, 0, 0, 0, time.UTC)
	h := sitegraph.Start(start)
	for day := 1; day <= 10; day++ {
		h.See(start.AddDate(0, 0, day), day == 3 || day == 7, time.Time{})
	}

	e := estimator.Interval(h, 0, estimator.DefaultLimits)
	fmt.Printf("%s: every %.3f days\n", e.Method, estimator.Days(e.Interval))

	others := estimator.PooledPrior(300, 10_000) // changes and days of all pages
	e = others.Estimate(h, 5*estimator.Day)
	fmt.Printf("%s: every %.1f days, %.2f to %.2f a day; changed after 5 days: %.2f\n",
		e.Method, estimator.Days(e.Interval), e.Low, e.High, e.Probability)
	// Output:
	// interval: every 4.481 days
	// gamma-poisson: every 11.0 days, 0.02 to 0.23 a day; changed after 5 days: 0.34
}

package bench

import (
	"slices"
)

// Result is the result of a measurement.
type Result struct {
	Servers      int           `json:"servers"`
	Pages        int           `json:"pages"` // of all servers
	Rounds       int           `json:"rounds"`
	Parallel     int           `json:"parallel"`
	Processors   int           `json:"processors"`
	PageBytes    float64       `json:"page_bytes"` // mean
	GzipBytes    float64       `json:"page_bytes_gzip"`
	Load         [2]float64    `json:"load_average"` // before and after
	Clients      []Client      `json:"clients"`
	Requirements []Requirement `json:"requirements"`
	InFlight     *InFlight     `json:"in_flight"` // nil: not measured
}

// Client is the use of a client: medians over its runs.
type Client struct {
	Name           string  `json:"client"`
	About          string  `json:"about"`
	CPUMicros      float64 `json:"cpu_us_per_page"`
	ToRaw          Ratio   `json:"to_raw"`
	ToColly        Ratio   `json:"to_colly"`
	PagesPerSecond float64 `json:"pages_per_second"`
	Peak           int64   `json:"peak_memory_bytes"` // over all runs
	ServerMicros   float64 `json:"server_cpu_us_per_page"`
	// Requests are those of the last run, with robots.txt and missing pages.
	Requests int64   `json:"requests"`
	Runs     []Spent `json:"runs"`
}

// Spent is the use of one run.
type Spent struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"`
	Peak    int64   `json:"peak_memory_bytes"`
	Served  Served  `json:"served"`
}

// Ratio is a ratio of CPU a page: the median over the rounds, the least and the most.
type Ratio struct {
	Median float64 `json:"median"`
	From   float64 `json:"from"`
	To     float64 `json:"to"`
}

// Requirement is a ratio with a limit.
type Requirement struct {
	Of    string  `json:"of"`
	To    string  `json:"to"`
	Ratio Ratio   `json:"ratio"`
	Most  float64 `json:"most"`
	Met   bool    `json:"met"` // the median is within it
}

// sum computes the figures from all runs.
func (r *Result) sum(runs map[string][]Spent) {
	pages := float64(r.Pages)
	for _, k := range Kinds {
		all := runs[k.Name]
		c := Client{Name: k.Name, About: k.About, Runs: all, ToRaw: ratio(all, runs[Raw]),
			ToColly:        ratio(all, runs[Colly]),
			CPUMicros:      1e6 / pages * median(all, func(s Spent) float64 { return s.CPU }),
			PagesPerSecond: pages / median(all, func(s Spent) float64 { return s.Seconds }),
			ServerMicros: 1e6 / pages * median(all, func(s Spent) float64 {
				return s.Served.CPU
			})}
		for _, s := range all {
			c.Peak = max(c.Peak, s.Peak)
			c.Requests = s.Served.Pages + s.Served.Unmodified + s.Served.Robots + s.Served.Other
		}
		r.Clients = append(r.Clients, c)
	}
	for _, q := range requirements {
		v := ratio(runs[q.of], runs[q.to])
		r.Requirements = append(r.Requirements,
			Requirement{Of: q.of, To: q.to, Ratio: v, Most: q.most, Met: v.Median <= q.most})
	}
}

// ratio compares the runs of two clients round by round.
func ratio(of, to []Spent) Ratio {
	all := make([]float64, len(of))
	for i := range of {
		all[i] = of[i].CPU / to[i].CPU
	}
	slices.Sort(all)
	return Ratio{middle(all), all[0], all[len(all)-1]}
}

func median(runs []Spent, of func(Spent) float64) float64 {
	all := make([]float64, len(runs))
	for i, s := range runs {
		all[i] = of(s)
	}
	slices.Sort(all)
	return middle(all)
}

// middle returns the median of sorted values.
func middle(all []float64) float64 {
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

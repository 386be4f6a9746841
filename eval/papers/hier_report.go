package papers

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/planner/schedule"
)

// ReportOptions configure Examine.
type ReportOptions struct {
	Connections int     // of the pool; 0: no limit
	Headroom    float64 // part of the pool that a corrected schedule may need
	Days        float64 // wanted time of one pass over a large site
}

// ScheduleReport is the output of schedule report.
type ScheduleReport struct {
	Source      string                `json:"source"`
	Servers     int                   `json:"servers"`
	Pages       int                   `json:"pages"`
	Feasible    *schedule.Feasibility `json:"feasibility"`
	Policy      string                `json:"policy"` // recommended with these connections [HIER 3.3]
	Sufficient  schedule.Sufficient   `json:"sufficient"`
	Infeasible  []ServerReport        `json:"infeasible"`
	Corrections []schedule.Correction `json:"corrections"`
	Large       []Large               `json:"large"`
	Interval    Distribution          `json:"interval_s"`
	MeanTook    Distribution          `json:"mean_download_s"`
	LongestTook Distribution          `json:"longest_download_s"`
	MeanUse     Distribution          `json:"mean_utilisation"`
	LongestUse  Distribution          `json:"longest_utilisation"`
	Unknown     int                   `json:"unknown_times"` // servers without an observed download
	Warnings    []string              `json:"warnings"`
	// Days is the wanted time of one pass over a large site.
	Days float64 `json:"-"`
}

// ServerReport is a server whose interval cannot be kept.
type ServerReport struct {
	Server string `json:"server"`
	Pages  int    `json:"pages"`
	schedule.Verdict
	Cures []schedule.Cure `json:"cures"`
}

// Large is an address at which one pass over all its pages takes longer than wanted [NICT 3.6]:
// 8,640 visits a day at one in 10 s.
type Large struct {
	Address string   `json:"address"` // or the server, if it is alone there
	Servers []string `json:"servers"`
	Pages   int      `json:"pages"`
	PerDay  float64  `json:"visits_per_day"` // possible visits
	Days    float64  `json:"days"`           // time of one pass
	// Delay is the time between two visits, in seconds, at which a pass would be fast enough; 0:
	// none.
	Delay float64 `json:"delay_s"`
}

// Distribution of a value over the servers.
type Distribution struct {
	Mean   float64   `json:"mean"`
	Shares []float64 `json:"quantiles"` // at 0, 1, ..., 100 %
	Sorted []float64 `json:"-"`         // values, ascending
}

func distribution(all []float64) Distribution {
	slices.Sort(all)
	d := Distribution{Sorted: all, Shares: []float64{}}
	if len(all) == 0 {
		return d
	}
	for _, v := range all {
		d.Mean += v / float64(len(all))
	}
	for i := range 101 {
		d.Shares = append(d.Shares, all[i*(len(all)-1)/100])
	}
	return d
}

// Examine judges the servers of a source.
func Examine(s *Source, o ReportOptions) *ScheduleReport {
	demands := s.Demands
	r := &ScheduleReport{Source: s.Name, Unknown: s.assumed, Servers: len(demands),
		Warnings: append([]string{}, s.warnings...), Days: o.Days, Infeasible: []ServerReport{},
		Large: []Large{}}
	r.Feasible = schedule.Classify(demands, o.Connections)
	r.Policy = schedule.EDF.Name()
	if o.Connections > 0 && r.Feasible.Need > float64(o.Connections) {
		r.Policy = schedule.SJF.Name()
	}
	r.Sufficient = schedule.Prove(demands)
	r.Corrections = schedule.Correct(demands,
		schedule.Limits{Connections: o.Connections, Headroom: o.Headroom})
	more := max(schedule.Ample*r.Feasible.Bound-o.Connections, 0)
	for i := range demands {
		d, v := &demands[i], &r.Feasible.Verdicts[i]
		r.Pages += d.Number()
		if v.Class.Infeasible() {
			r.Infeasible = append(r.Infeasible,
				ServerReport{d.Name, d.Number(), *v, schedule.Cures(d, v, more)})
		}
	}
	slices.SortStableFunc(r.Infeasible, func(a, b ServerReport) int {
		return cmp.Or(cmp.Compare(b.LostValue, a.LostValue), cmp.Compare(b.Lost, a.Lost),
			cmp.Compare(a.Server, b.Server))
	})
	r.Large = LargeOf(demands, o.Days)
	r.distributions(demands)
	if wanted := len(r.Interval.Sorted); wanted < len(demands) {
		r.Warnings = append(r.Warnings,
			fmt.Sprintf("%s no page that is to be visited again; they count nowhere",
				hasNo(len(demands)-wanted)))
	}
	return r
}

func hasNo(servers int) string {
	if servers == 1 {
		return "1 server has"
	}
	return fmt.Sprintf("%d servers have", servers)
}

func (r *ScheduleReport) distributions(demands []schedule.Demand) {
	var interval, mean, longest, meanUse, longestUse []float64
	for i := range demands {
		d, v := &demands[i], &r.Feasible.Verdicts[i]
		if v.Interval == 0 {
			continue
		}
		whole := d.Load().Interval()
		interval = append(interval, whole.Seconds())
		mean, longest = append(mean, d.Times.Mean.Seconds()), append(longest, d.Times.Max.Seconds())
		meanUse = append(meanUse, float64(d.Times.Mean)/float64(whole))
		longestUse = append(longestUse, float64(d.Times.Max)/float64(whole))
	}
	r.Interval, r.MeanTook, r.LongestTook = distribution(interval), distribution(mean),
		distribution(longest)
	r.MeanUse, r.LongestUse = distribution(meanUse), distribution(longestUse)
}

// LargeOf returns the addresses at which one pass takes more than this many days, the longest
// first.
func LargeOf(demands []schedule.Demand, days float64) []Large {
	at := map[string]int{}
	var all []Large
	var spent []float64 // ticks of one pass
	var took []float64  // downloads among them
	for i := range demands {
		d := &demands[i]
		address := cmp.Or(d.Address, d.Name)
		k, ok := at[address]
		if !ok {
			k = len(all)
			at[address] = k
			all, spent, took = append(all, Large{Address: address}), append(spent, 0),
				append(took, 0)
		}
		n := d.Number()
		all[k].Servers = append(all[k].Servers, d.Name)
		all[k].Pages += n
		spent[k] += float64(n) * float64(d.Cycle(schedule.Usual))
		took[k] += float64(n) * float64(d.Times.Mean)
	}
	large := []Large{}
	for k := range all {
		l := &all[k]
		if l.Pages == 0 {
			continue
		}
		l.Days = spent[k] / float64(schedule.Day)
		l.PerDay = float64(l.Pages) / l.Days
		left := days*float64(schedule.Day) - took[k]
		l.Delay = math.Max(left/float64(l.Pages)/float64(schedule.Second), 0)
		if l.Days > days {
			large = append(large, *l)
		}
	}
	slices.SortStableFunc(large, func(a, b Large) int {
		return cmp.Or(cmp.Compare(b.Days, a.Days), cmp.Compare(a.Address, b.Address))
	})
	return large
}

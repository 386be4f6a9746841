package schedule

// Cure is one thing that would let the interval of a server be kept.
type Cure struct {
	What string `json:"what"`
	// Value is by how much, in the unit that What names.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Visits is how many visits a day that would add or, where negative, give up.
	Visits float64 `json:"visits_per_day"`
	// Worth is what these are worth, in pages whose copy is good.
	Worth float64 `json:"worth"`
}

// Cures are what would help a server, beside each other; nil for a feasible one. connections is
// how many more all servers together need.
func Cures(d *Demand, v *Verdict, connections int) []Cure {
	if v.Class == Feasible || v.Class == ClassUnknown {
		return nil
	}
	if v.Class == PoolBound {
		return []Cure{{"more connections for all", float64(connections), "connections", v.Lost,
			v.LostValue}}
	}
	var all []Cure
	whole, by := d.Load().Interval(), Usual
	if v.Class == Temporary {
		by = Longest
	}
	if v.Class == PolitenessBound && whole > d.Times.Mean {
		all = append(all, Cure{"a shorter delay, by agreement with the site",
			(whole - d.Times.Mean).Seconds(), "s between visits", v.Lost, v.LostValue})
	}
	stretch := max(float64(d.Cycle(by))/float64(whole), 1)
	longer, fewer := Cure{"longer intervals, all alike", stretch, "times as long",
		-v.Wanted * (1 - 1/stretch), 0}, 0
	excess, lost := d.dropOrder(1/float64(d.Cycle(by)), func(_, count int, _ float64) {
		fewer += count
	})
	for _, p := range d.Pages {
		longer.Worth -= p.value(float64(p.Interval)) - p.value(float64(p.Interval)*stretch)
	}
	return append(all, longer,
		Cure{"fewer pages, the least valuable left out", float64(fewer), "pages",
			-visitsADay(excess), -lost},
		Cure{"less budget there, for other servers", visitsADay(excess), "visits a day",
			-visitsADay(excess), 0})
}

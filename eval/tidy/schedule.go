package tidy

import (
	"github.com/recrawl/recrawl/eval/papers"
)

// Simulated is a row of Simulations.
type Simulated struct {
	Source      string  `parquet:"source,dict" doc:"where the servers come from: histories, store, journal, log or generated"`
	Set         string  `parquet:"servers,dict" doc:"which servers take part: all or feasible"`
	Number      int64   `parquet:"number" unit:"servers" doc:"that take part, of the first web"`
	Bound       int64   `parquet:"bound" unit:"connections" doc:"certainly too few below, of the first web"`
	Delay       float64 `parquet:"delay_s" unit:"s" doc:"least time between two requests to a server"`
	Policy      string  `parquet:"policy,dict" doc:"policy of the scheduler: edf, fcfs, freq, rm or sjf"`
	Connections int64   `parquet:"connections" doc:"connections at the same time"`
	Web         int64   `parquet:"web" doc:"which of several webs, from 1"`
	Days        float64 `parquet:"days" unit:"days" doc:"that were simulated"`

	Ideal      float64 `parquet:"ideal" unit:"downloads" doc:"that the intervals ask for"`
	Periods    int64   `parquet:"periods" doc:"whole periods of all servers"`
	Downloads  int64   `parquet:"downloads" doc:"downloads that began"`
	Missed     int64   `parquet:"missed" unit:"periods" doc:"without the start of a download"`
	ToPool     int64   `parquet:"missed_to_pool" unit:"periods" doc:"lost to waiting for a connection"`
	ToServer   int64   `parquet:"missed_to_server" unit:"periods" doc:"lost to the server's own long download"`
	ToPolite   int64   `parquet:"missed_to_politeness" unit:"periods" doc:"lost to the server's pause"`
	Late       int64   `parquet:"late_servers" unit:"servers" doc:"that missed a period"`
	PerDay     float64 `parquet:"downloads_per_day" unit:"downloads a day" doc:"downloads"`
	Mbps       float64 `parquet:"mbps" unit:"Mbit/s" doc:"bandwidth, by the mean size of a page"`
	BusyOnMean float64 `parquet:"busy" unit:"connections" doc:"at work, on average"`
}

// Simulations has simulated schedules [HIER fig. 6 to 8].
var Simulations = NewKind[Simulated]("simulations",
	"a policy of the scheduler with a number of connections on one web, of `schedule simulate`")

// WriteSimulation writes the table of a simulation.
func WriteSimulation(s *Tables, sim *papers.Simulation) error {
	var rows []Simulated
	for _, set := range sim.Sets {
		for _, p := range set.Points {
			for web, r := range p.Runs {
				rows = append(rows, Simulated{sim.Source, set.Name, int64(set.Servers),
					int64(set.Bound), sim.Delay, p.Policy, int64(p.Connections), int64(web + 1),
					r.Days, r.Ideal, r.Periods, r.Downloads, r.Missed, r.By.ToPool, r.By.ToServer,
					r.By.ToPoliteness, int64(r.Late), r.PerDay, r.Mbps, r.Busy})
			}
		}
	}
	return write(s, Simulations, rows)
}

package cluster

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/recrawl/recrawl/eval/report"
)

// Page shows a result.
func (r *Result) Page() report.Page {
	if r.Full != nil {
		return report.Page{Title: "recrawl: bench nodes", Finding: r.Finding(),
			Sections: []report.Section{{Title: "Measured", Tables: r.Full.tables(r)}}}
	}
	p := report.Page{Title: "recrawl: bench nodes", Finding: r.Finding(),
		Intro: fmt.Sprintf("%s, %s, no answers from a network: a visit waits and brings links.",
			report.Plural(r.Servers, "server"), report.Plural(r.Shards, "shard")),
		Sections: []report.Section{{Title: "Measured", Tables: []report.Table{r.measured()},
			Charts: []report.Chart{r.scaling()}}}}
	if len(r.Simulated) > 0 {
		p.Sections = append(p.Sections,
			report.Section{Title: "Worked out",
				Text: "By events, from the costs below; each machine is a node.",
				Tables: []report.Table{r.needs(), r.flows(), r.moves(), r.limits(),
					r.Costs.table()}, Charts: r.charts()})
	}
	return p
}

// Finding says it in a sentence.
func (r *Result) Finding() string {
	if f := r.Full; f != nil {
		return fmt.Sprintf("%s with %d pages made %.0f visits a second.",
			report.Plural(f.Nodes, "node"), f.Pages, f.PerSec)
	}
	last := r.Nodes[len(r.Nodes)-1]
	return fmt.Sprintf("%s made %.1f times the visits of one.",
		report.Plural(last.Nodes, "node"), last.PerSec/r.Nodes[0].PerSec)
}

func (r *Result) measured() report.Table {
	share := "no bound"
	if r.Share > 0 {
		share = fmt.Sprintf("%d %% of a processor each", r.Share)
	}
	t := report.Table{Title: "Visits of nodes with " + share,
		Header: []string{"nodes", "visits/s", "of one node's", "CPU us a visit", "NATS us a visit",
			"log bytes a visit", "commits/s", "share used"},
		Note: fmt.Sprintf("Shared: %s. %d processors, load %.1f before and %.1f after. One node "+
			"alone keeps no log. %.0f writes a second to NATS, one after the other, and %.0f MB "+
			"a second of copies from it, while no node ran.",
			r.Shared, r.Processors, r.Load[0], r.Load[1], r.Writes, r.Copies/1e6)}
	for _, m := range r.Nodes {
		t.Rows = append(t.Rows, []string{strconv.Itoa(m.Nodes), fmt.Sprintf("%.0f", m.PerSec),
			fmt.Sprintf("%.0f %%", 100*m.Scaling), fmt.Sprintf("%.0f", m.CPU),
			fmt.Sprintf("%.0f", m.NATS), fmt.Sprintf("%.0f", m.Log), fmt.Sprintf("%.0f", m.Parts),
			fmt.Sprintf("%.0f %%", 100*m.Used)})
	}
	return t
}

func (r *Result) scaling() report.Chart {
	s := report.Series{Name: "measured"}
	line := report.Series{Name: "as many times as one"}
	for _, m := range r.Nodes {
		s.X, s.Y = append(s.X, float64(m.Nodes)), append(s.Y, m.PerSec)
		line.X, line.Y = append(line.X, float64(m.Nodes)),
			append(line.Y, float64(m.Nodes)*r.Nodes[0].PerSec)
	}
	return report.Chart{Title: "Visits a second by nodes", XLabel: "nodes",
		YLabel: "visits a second", XFree: true, YFree: true, Series: []report.Series{s, line}}
}

// of is a table of the simulations: rows says what one row has beside nodes and pages.
func (r *Result) of(title, note string, header []string,
	row func(*Simulated) []string) report.Table {
	t := report.Table{Title: title, Note: note, Header: append([]string{"pages, billion", "nodes"},
		header...)}
	for _, s := range r.Simulated {
		t.Rows = append(t.Rows,
			append([]string{fmt.Sprintf("%.0f", float64(s.Pages)/1e9), strconv.Itoa(s.Nodes)},
				row(s)...))
	}
	return t
}

func gb(bytes float64) string { return fmt.Sprintf("%.0f", bytes/1e9) }
func mb(bytes float64) string { return fmt.Sprintf("%.1f", bytes/1e6) }

func (r *Result) needs() report.Table {
	return r.of("What a node needs", "With one lost: memory of those that are left. With NATS: "+
		"of the nodes whose servers have copies and logs.",
		[]string{"memory GB", "with one lost", "disk GB", "with NATS",
			"visits a day wanted, million", "most, million", "not enough"},
		func(s *Simulated) []string {
			return []string{gb(s.Memory), gb(s.MemoryLess), gb(s.Disk), gb(s.DiskNATS),
				fmt.Sprintf("%.0f", s.Wanted/1e6), fmt.Sprintf("%.0f", s.Most/1e6), s.Broken()}
		})
}

func (r *Result) flows() report.Table {
	return r.of("What NATS carries", "Commits: synced writes of a stream, one after the other. "+
		"Shares of a round: the time in which all shards get theirs, from one entry.",
		[]string{"log MB/s of a leader", "commits/s of a stream", "beats MB/s",
			"shares of a round, s"}, func(s *Simulated) []string {
			return []string{mb(s.LogRate), fmt.Sprintf("%.0f", s.Commits), mb(s.Beats),
				fmt.Sprintf("%.0f", s.Ledger)}
		})
}

func (r *Result) moves() report.Table {
	return r.of("A node is lost, a node joins",
		"Delay: for how long a page of a shard that moves was planned by nobody, the lease of 20 "+
			"s with it.",
		[]string{"lost: shards", "GB", "all planned after, s", "mean delay, s", "joined: shards",
			"GB", "balanced after, s", "mean delay, s"}, func(s *Simulated) []string {
			var cells []string
			for _, m := range []Moving{s.Lost, s.Joined} {
				cells = append(cells, strconv.Itoa(m.Shards), gb(m.Bytes), fmt.Sprintf("%.0f",
					m.Seconds), fmt.Sprintf("%.1f", m.Mean))
			}
			return cells
		})
}

func (r *Result) limits() report.Table {
	t := report.Table{Title: "Where it breaks",
		Header: []string{"nodes", "pages, billion", "not enough for more"}}
	for _, l := range r.Limits {
		t.Rows = append(t.Rows,
			[]string{strconv.Itoa(l.Nodes), fmt.Sprintf("%.0f", float64(l.Pages)/1e9), l.Breaks})
	}
	return t
}

func (c *Costs) table() report.Table {
	return report.Table{Title: "Costs and machines", Header: []string{"what", "value"},
		Rows: [][]string{
			{"processor time to plan and keep a visit, us (measured)", fmt.Sprintf("%.0f", c.Plan)},
			{"bytes of the log a visit (measured)", fmt.Sprintf("%.0f", c.Log)},
			{"synced writes of a leader a second (measured)", fmt.Sprintf("%.0f", c.Writes)},
			{"MB of copies a leader gives a second (measured)", fmt.Sprintf("%.0f", c.Copies/1e6)},
			{"processor time to fetch and read a page, us", fmt.Sprintf("%.0f", c.Fetch)},
			{"bytes of memory a page", fmt.Sprintf("%.0f", c.PageRAM)},
			{"bytes of disk a page", fmt.Sprintf("%.0f", c.PageDisk)},
			{"time to read a store that came, us a page", fmt.Sprintf("%.0f", c.Open)},
			{"days between visits", fmt.Sprintf("%.0f", c.Interval)},
			{"processors", strconv.Itoa(c.Cores)},
			{"memory, GB", fmt.Sprintf("%.0f", c.Memory)},
			{"disk, GB", fmt.Sprintf("%.0f", c.Disk)},
			{"network, MB/s", fmt.Sprintf("%.0f", c.Network)},
		}}
}

func (r *Result) charts() []report.Chart {
	chart := func(title, y string, of func(*Simulated) float64) report.Chart {
		c := report.Chart{Title: title, XLabel: "nodes", YLabel: y, XFree: true, YFree: true}
		for _, s := range r.Simulated {
			name := fmt.Sprintf("%.0f billion pages", float64(s.Pages)/1e9)
			if n := len(c.Series); n == 0 || c.Series[n-1].Name != name {
				c.Series = append(c.Series, report.Series{Name: name})
			}
			last := &c.Series[len(c.Series)-1]
			last.X, last.Y = append(last.X, float64(s.Nodes)), append(last.Y, of(s))
		}
		return c
	}
	return []report.Chart{
		chart("Time until all shards of a lost node are planned again", "s after its lease",
			func(s *Simulated) float64 { return s.Lost.Seconds }),
		chart("Memory of a node", "GB", func(s *Simulated) float64 { return s.Memory / 1e9 }),
	}
}

func (f *Full) tables(r *Result) []report.Table {
	megabytes := func(list ...int64) string {
		texts := make([]string, len(list))
		for i, b := range list {
			texts[i] = fmt.Sprintf("%.0f", float64(b)/1e6)
		}
		return strings.Join(texts, ", ")
	}
	held := report.Table{Title: fmt.Sprintf("%s, %d pages, %s", report.Plural(f.Nodes, "node"),
		f.Pages, report.Plural(f.Shards, "shard")), Header: []string{"", ""},
		Note: fmt.Sprintf("Shared: %s. %d processors, load %.1f before and %.1f after.",
			r.Shared, r.Processors, r.Load[0], r.Load[1]),
		Rows: [][]string{
			{"until all pages are in stores and all shards run, s", fmt.Sprintf("%.0f", f.Fill)},
			{"of it, to write a page, us", fmt.Sprintf("%.1f", f.FillEach)},
			{"then, until all shards are at their places and have copies, s", fmt.Sprintf("%.0f",
				f.Copy)},
			{"copies in NATS, each, MB", megabytes(f.CopyBytes)},
			{"memory of each node, MB", megabytes(f.Memory...)},
			{"at most until then, MB", megabytes(f.Peak...)},
			{"memory of the servers of NATS together, MB", megabytes(f.NATSMemory)},
			{"visits a second", fmt.Sprintf("%.0f", f.PerSec)},
			{"CPU us a visit", fmt.Sprintf("%.0f", f.CPU)},
			{"of NATS", fmt.Sprintf("%.0f", f.NATS)},
		}}
	moves := report.Table{Title: "Shards of a node that", Header: []string{"", "shards", "pages",
		"copies, MB", "log meanwhile, MB", "all are visited elsewhere after, s",
		"pause of a shard, s", "longest", "of it, from taking it to its first round"}}
	for _, h := range []struct {
		name string
		*Handed
	}{{"ended", f.Left}, {"was killed", f.Killed}} {
		if h.Handed != nil {
			moves.Rows = append(moves.Rows, []string{h.name, strconv.Itoa(h.Shards),
				strconv.Itoa(h.Pages), megabytes(h.Bytes), megabytes(h.Log),
				fmt.Sprintf("%.1f", h.Seconds), fmt.Sprintf("%.1f", h.Mean), fmt.Sprintf("%.1f",
					h.Most), fmt.Sprintf("%.1f", h.Open)})
		}
	}
	if len(moves.Rows) == 0 {
		return []report.Table{held}
	}
	return []report.Table{held, moves}
}

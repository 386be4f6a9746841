package cluster

import (
	"math"
	"reflect"
	"testing"

	"github.com/recrawl/recrawl/planner/nodes"
	"github.com/recrawl/recrawl/planner/nodes/bus"
)

func someCosts() Costs {
	return Costs{Machine{Cores: 16, Memory: 128, Disk: 4000, Network: 1250, Interval: 30,
		Fetch: 600, PageRAM: 121, PageDisk: 500, Open: 10}, 150, 264, 1000, 1e12}
}

// The links that copies go through bound the time from below, and one machine alone from above.
func TestMoves(t *testing.T) {
	c := someCosts()
	for _, n := range []int{16, 64, 256} {
		s := Simulate(c, n, 10_000_000_000)
		if again := Simulate(c, n, 10_000_000_000); !reflect.DeepEqual(s, again) {
			t.Errorf("%d nodes: the same costs gave %+v and %+v", n, s, again)
		}
		if s.Lost.Shards != nodes.MostShards/n {
			t.Errorf("%d nodes: %d shards of one that is lost", n, s.Lost.Shards)
		}
		open := c.open(s)
		for name, m := range map[string]Moving{"lost": s.Lost, "joined": s.Joined} {
			leaders := float64(min(n, bus.Families(s.Shards)))
			links := leaders
			if name == "joined" && m.Shards > 0 {
				links = 1 + float64(n) // one that joins, and those between which shards move for it
			}
			least := m.Bytes/(math.Min(links, leaders)*c.Network*1e6) + open
			if most := 2*m.Bytes/(c.Network*1e6) + open; m.Seconds < least-1e-9 ||
				m.Seconds > most {
				t.Errorf("%d nodes, %s: %.1f s, want %.1f to %.1f", n, name, m.Seconds, least, most)
			}
		}
		if s.Lost.Mean < leaseSeconds+open || s.Lost.Mean > leaseSeconds+s.Lost.Seconds {
			t.Errorf("%d nodes: a mean delay of %.1f s, all planned after %.1f s",
				n, s.Lost.Mean, s.Lost.Seconds)
		}
	}
	few := c
	few.Copies = c.Network * 1e5
	if fast, slow := Simulate(c, 16, 10_000_000_000).Lost.Seconds,
		Simulate(few, 16, 10_000_000_000).Lost.Seconds; slow < 3*fast {
		t.Errorf("where leaders give a tenth of copies %.1f s in place of %.1f", slow, fast)
	}
	slow := c
	slow.Network /= 10
	if fast, slow := Simulate(c, 16, 10_000_000_000).Lost.Seconds,
		Simulate(slow, 16, 10_000_000_000).Lost.Seconds; slow < 5*fast {
		t.Errorf("with a tenth of the network %.1f s in place of %.1f", slow, fast)
	}
}

// What is scarce is what breaks first.
func TestMost(t *testing.T) {
	for want, change := range map[string]func(*Costs){
		"memory":                           func(c *Costs) { c.Memory = 4 },
		"disk of the machines with copies": func(c *Costs) { c.Disk = 10 },
		"processors":                       func(c *Costs) { c.Fetch = 1e6 },
		"network of the leaders":           func(c *Costs) { c.Log = 1e8 },
		"synced commits of the leaders":    func(c *Costs) { c.Writes = 50 },
		"beats of nodes, the writes that divide the budget": func(c *Costs) { c.Network = 0.1 },
	} {
		c := someCosts()
		c.Disk, c.Writes = 40_000, 5000
		change(&c)
		l := Most(c, 64)
		if l.Breaks != want {
			t.Errorf("%d pages, then %q, want %q", l.Pages, l.Breaks, want)
		}
		if l.Pages > 0 && len(c.needs(64, l.Pages).Breaks) > 0 {
			t.Errorf("%s: %d pages are too many already", want, l.Pages)
		}
	}
}

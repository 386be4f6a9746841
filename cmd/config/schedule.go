package config

import (
	"time"

	"github.com/recrawl/recrawl/eval/papers"
	servers "github.com/recrawl/recrawl/planner/schedule"
)

// Schedule has the settings of schedule report, simulate and plan.
type Schedule struct {
	Journal  string        `path:"directory" help:"the journal of run, instead of its store: the folder journal in its data directory"`
	Log      string        `path:"csv" help:"a log of downloads as CSV: server, duration in s, interval in s, a line for each download"`
	Generate int           `range:"[0,10000000]" want:"1000 or more servers" help:"generate this number of servers with the published numbers of [HIER 3.1]"`
	By       string        `default:"planned" oneof:"planned, change" want:"planned or change" help:"--data, --journal: the wanted interval of a page: that of the policy, or its time between changes"`
	Download time.Duration `default:"1s" range:"(0,)" want:"more than 0" help:"histories, and servers without an observed download: time of a download"`
	HTML     string        `path:"any" help:"also write a report with charts to this file"`

	Connections int     `key:"pool" default:"64" range:"[0,1000000]" for:"schedule-report" help:"connections at the same time, like --workers of run; 0 for no bound"`
	Headroom    float64 `default:"0.3333" range:"(0,1]" want:"a share above 0, at most 1" for:"schedule-report" help:"part of the connections that a corrected schedule may need; a third leaves no period missed"`
	Days        float64 `key:"pass-days" default:"7" range:"(0,)" want:"more than 0" for:"schedule-report" help:"large sites: days within which all pages of an address should be visited once"`

	Pause   time.Duration `key:"delay" default:"1s" range:"[0,)" for:"schedule-simulate" help:"least time between two requests to a server; a second in [HIER]"`
	Policy  []string      `default:"edf" for:"schedule-simulate" names:"edf, fcfs, freq, rm, sjf" help:"policies: edf, fcfs, freq, rm, sjf"`
	Pool    []int         `key:"connections" range:"[1,1000000]" for:"schedule-simulate" help:"numbers of connections (default three times the bound, and with --sweep from a quarter to 40 times)"`
	Length  float64       `key:"days" range:"[0,3650]" want:"above 0, at most 3650" for:"schedule-simulate" help:"simulated days (default 300, with --sweep 2)"`
	Sweep   bool          `for:"schedule-simulate" help:"all policies and many numbers of connections, all servers and the feasible ones: figures 6 to 8 of [HIER], and whether its statements hold"`
	Servers string        `default:"feasible" oneof:"all, feasible" want:"all or feasible" for:"schedule-simulate" help:"without --sweep: which servers take part"`
	Webs    int           `default:"1" range:"[1,100]" for:"schedule-simulate" help:"webs: generated with seeds one after the other, or resamples of the servers, for the spread"`
	SVG     string        `for:"schedule-simulate" path:"directory" help:"with --sweep: also write the figures as SVG into this directory"`
	AtOnce  int           `key:"at-once" range:"[0,)" for:"schedule-simulate" help:"how many simulations work at the same time, at most; 0 for one a core"`

	Target    string  `default:"intervals=1" for:"schedule-plan" help:"the target: intervals=2 (all twice as long), or freshness=0.8 (share of the time in which a copy is good)"`
	PerNode   int     `key:"node-connections" default:"1000" range:"[1,)" for:"schedule-plan" help:"connections that a node can have"`
	NodeMbps  float64 `key:"node-mbps" default:"100" range:"(0,)" want:"more than 0" for:"schedule-plan" help:"bandwidth of a node in Mbps"`
	PageBytes float64 `key:"page-bytes" default:"22000" range:"(0,)" want:"more than 0" for:"schedule-plan" help:"mean bytes of a page; 22 KB in [HIER]"`
	Hours     float64 `default:"2" range:"[0,)" for:"schedule-plan" help:"simulated hours to find the least pool; 0: do not simulate"`
}

func (c *Schedule) check(r *Review) {
	if c.Generate != 0 && c.Generate < 1000 {
		r.Refuse("schedule.generate", c.Generate,
			"1000 or more servers, since the classes are rare")
	}
	if _, err := papers.ParseTarget(c.Target); err != nil {
		r.Refuse("schedule.target", c.Target, "a factor or a share: intervals=2, freshness=0.8")
	}
	for _, name := range c.Policy {
		if _, err := servers.PolicyNamed(name); err != nil {
			r.Refuse("schedule.policy", name, "edf, fcfs, freq, rm or sjf")
		}
	}
}

package main_test

import "time"

// What --json prints, as its users read it. A field that is missing here or there fails.

type runResult struct {
	Rounds, Visits, First, Changed, Unchanged, Left, Failed, Known, Waiting int
	UpdateRate                                                              float64 `json:"update_rate"`
}

type plannedVisit struct {
	URL         string
	First       bool
	Due         *time.Time
	Probability *float64
	Value       *float64
	Reason      string
}

type explanation struct {
	URL    string
	State  string
	Status int
	Server string
	Depth  int
	Links  int
	Site   struct {
		Tops  []string
		IsTop bool `json:"is_top"`
		Pages int
	}
	Referer      string
	FirstCopy    *time.Time `json:"first_copy"`
	LastVisit    *time.Time `json:"last_visit"`
	LastChange   *time.Time `json:"last_change"`
	Visits       uint32
	Changes      uint32
	Errors       int
	ETag         string
	LastModified *time.Time `json:"last_modified"`
	Digest       *string
	Estimates    []struct {
		Method       string
		RatePerDay   float64 `json:"rate_per_day"`
		Low, High    float64
		IntervalDays float64 `json:"interval_days"`
		Probability  float64
		Revisits     int
		Warning      string
	}
	Due    *time.Time
	Reason string
	Turn   int
}

type snapshotTotals struct{ Servers, Pages, Changed, Vanished int }

type snapshotRun struct {
	Protocol             string
	Corpus               snapshotTotals
	Base, Weeks, History int
	Budget, New          *float64 // null: a sweep has none
	Change               string
	Seed                 uint64
	Results              []struct {
		Policy         string
		Fetched        int
		ChangedFetched int      `json:"changed_fetched"`
		UpdateRate     *float64 `json:"update_rate"`
		Coverage       *float64
		AUC            *float64
		Gain           *float64
		GainInServers  *float64 `json:"gain_in_servers"`
		Curve          [][2]float64
		Spread         map[string][]*float64
	}
}

type streamRun struct {
	Protocol string
	Corpus   struct {
		Servers       int
		BasePages     int `json:"base_pages"`
		Pages, Events int
	}
	Base, Weeks, History int
	Budget, New          float64
	Change               string
	Seed                 uint64
	Results              []struct {
		Policy                      string
		Fetched, Refetched, Changed int
		UpdateRate                  *float64 `json:"update_rate"`
		Coverage, Freshness         *float64
		MeanAgeDays                 *float64 `json:"mean_age_days"`
		Discovered                  *float64
		DiscoveryDelayDays          *float64 `json:"discovery_delay_days"`
		NewFetched                  int      `json:"new_fetched"`
		DeletionsFound              *float64 `json:"deletions_found"`
		Weekly                      []struct {
			Week       int
			UpdateRate *float64 `json:"update_rate"`
			Freshness  *float64
		}
		Spread map[string][]*float64
	}
}

type site struct {
	Tops, Members []string
	Upper         []int
}

type partition struct {
	Server, Method string
	Base, Pages    int
	Sites          []site
	Orphans        []string
}

type demo struct {
	Web  string
	HTTP struct {
		Policy           string
		Visits, Requests int
		LeastGapSeconds  float64 `json:"least_gap_seconds"`
		StorePages       int     `json:"store_pages"`
	}
	TopFirst []struct {
		Method       string
		HTTP, Replay struct{ Sites, Tops, Fetched, Changed int }
		Difference   string
	} `json:"top_first"`
	Agreement struct {
		Visits     int
		Difference string
	}
	Run   streamRun
	Sweep snapshotRun
}

package core_test

import "time"

// What --json prints, as its users read it. A field that is missing here or there fails.

type runResult struct {
	Rounds, Visits, First, Changed, Unchanged, Left, Baseline, Doubted, Failed, Known, Waiting,
	Sources int
	Rejected, Failures map[string]int
	NotAsked           []notAskedResult `json:"not_asked"`

	UpdateRate float64 `json:"update_rate"`
	Budget     budgetResult
	Hints      hintsResult
	Refused    struct{ Reasons, Servers map[string]int }
	Feasible   feasibleResult
	Vanished   vanishedResult
}

type notAskedResult struct {
	By    string
	Pages int
	What  []string
	Why   string
}

type feasibleResult struct {
	Wanted     float64 `json:"wanted_per_day"`
	Possible   float64 `json:"possible_per_day"`
	Budget     float64 `json:"budget_per_day"`
	Value      float64
	ToServers  float64 `json:"lost_to_servers"`
	ToBudget   float64 `json:"lost_to_budget"`
	Workers    int
	Need       float64
	Infeasible []infeasibleResult
	Large      []largeResult
	Policy     string
}

type infeasibleResult struct {
	Server    string
	Pages     int
	Class     string
	Interval  int64   `json:"interval_ms"`
	Mean      float64 `json:"utilisation_mean"`
	Max       float64 `json:"utilisation_max"`
	Wanted    float64 `json:"wanted_per_day"`
	Lost      float64 `json:"lost_per_day"`
	LostValue float64 `json:"lost_value"`
	Value     float64
	Cures     []struct {
		What   string
		Value  float64
		Unit   string
		Visits float64 `json:"visits_per_day"`
		Worth  float64
	}
}

type largeResult struct {
	Address string
	Servers []string
	Pages   int
	PerDay  float64 `json:"visits_per_day"`
	Days    float64
	Delay   float64 `json:"delay_s"`
}

type hintsResult struct {
	Absent  int
	Servers []struct {
		Server, Kind                              string
		Sources, Pages, True, False, Missed, Same int
		LogRatio                                  float64 `json:"log_ratio"`
		Silence                                   float64
	}
}

type limitResult struct {
	Limit         string
	Used, Granted int64
}

type unfitResult struct {
	Server string
	Pages  int
	Value  float64
	Price  float64
	Limits []limitResult
}

type budgetResult struct {
	Fetches int
	Granted *int
	Promise *struct {
		Pages   int
		PerDay  float64 `json:"per_day"`
		Overdue int
		Servers []struct {
			Server string
			PerDay float64 `json:"per_day"`
			Most   float64
		}
	}
	Limits        []limitResult
	Price         float64
	LeastValue    float64 `json:"least_value"`
	Unused        int
	Unfit, Beyond []unfitResult
}

type planResult struct {
	RoundEnd time.Time `json:"round_end"`
	Visits   []plannedVisit
	Further  int
	Budget   budgetResult
	Hints    hintsResult
	NotAsked []notAskedResult `json:"not_asked"`
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
	Rejected bool
	URL      string
	State    string
	Status   int
	Server   string
	Depth    int
	Links    int
	Site     struct {
		Division string
		InUse    bool `json:"in_use"`
		Tops     []string
		IsTop    bool `json:"is_top"`
		Pages    int
	}
	Referer      string
	FirstCopy    *time.Time `json:"first_copy"`
	LastVisit    *time.Time `json:"last_visit"`
	LastChange   *time.Time `json:"last_change"`
	Visits       uint32
	Changes      uint32
	PerDay       *float64 `json:"changes_per_day"`
	Low          *float64 `json:"changes_per_day_low"`
	High         *float64 `json:"changes_per_day_high"`
	Fresh        *float64
	Errors       int
	Misses       int
	NoIndex      bool
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
	Evidence *struct {
		Policy      string
		At          time.Time
		Probability float64
		Start       float64
		Rebuilt     bool
		Experts     []struct {
			Name                string
			Weight, Probability float64
		}
		Contributions []struct {
			Evidence string
			Value    float64
			LogOdds  float64 `json:"log_odds"`
		}
	}
	Due    *time.Time
	Reason string
	Turn   int
	WhyNot string `json:"why_not"`
	Weight float64
	Hint   *struct {
		Kind      string
		Claimed   *time.Time
		EveryDays *float64 `json:"every_days"`
		LogRatio  float64  `json:"log_ratio"`
	}
}

type snapshotTotals struct{ Servers, Pages, Changed, Vanished int }

type paired struct {
	Value, Other, Difference, Ratio *float64
	DifferenceSpread                [2]*float64 `json:"difference_spread"`
	RatioSpread                     [2]*float64 `json:"ratio_spread"`
}

type comparison struct {
	Policy string
	Best   map[string]struct {
		Policy    string
		Threshold float64
		paired
	} `json:"best_published"`
	With []struct {
		Policy               string
		Threshold            float64
		Published, Reference bool
		Measures             map[string]paired
	}
	Without []struct {
		Policy, Part string
		Measures     map[string]paired
	}
}

type calibration struct {
	Count                     int
	Probability, Changed, ECE float64
	Brier                     float64
	LogLoss                   float64 `json:"log_loss"`
	Bins                      []struct {
		Low, High            float64
		Count                int
		Probability, Changed float64
	}
}

type snapshotRun struct {
	Protocol             string
	Absent               []string
	Corpus               snapshotTotals
	Base, Weeks, History int
	Budget, New          *float64 // null: a sweep has none
	Change               string
	Seed                 uint64
	Comparison           *comparison
	Results              []struct {
		Policy         string
		Threshold      float64
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
	Absent   []string
	Corpus   struct {
		Servers       int
		BasePages     int `json:"base_pages"`
		Pages, Events int
	}
	Base, Weeks, History int
	Budget, New          float64
	StepHours            float64 `json:"step_hours"`
	Change               string
	Seed                 uint64
	Runs                 int
	Comparison           *comparison
	Results              []struct {
		Policy string
		Runs   []struct {
			Seed       uint64
			Coverage   *float64
			UpdateRate *float64 `json:"update_rate"`
			Freshness  *float64
			Discovered *float64
		}
		Calibration                 *calibration
		CalibrationUnvisited        *calibration `json:"calibration_unvisited"`
		Fetched, Refetched, Changed int
		UpdateRate                  *float64 `json:"update_rate"`
		Coverage, Freshness         *float64
		MeanAgeDays                 *float64 `json:"mean_age_days"`
		SearchFreshness             *float64 `json:"search_freshness"`
		DetectionDelayHours         *float64 `json:"detection_delay_hours"`
		MedianDelayHours            *float64 `json:"median_detection_delay_hours"`
		Discovered                  *float64
		DiscoveryDelayDays          *float64 `json:"discovery_delay_days"`
		NewFetched                  int      `json:"new_fetched"`
		DeletionsFound              *float64 `json:"deletions_found"`
		DeletionDelayDays           *float64 `json:"deletion_delay_days"`
		DeletionVisits              int      `json:"deletion_visits"`
		Weekly                      []struct {
			Week       int
			UpdateRate *float64 `json:"update_rate"`
			Freshness  *float64
			Coverage   *float64
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
	InUse          string `json:"in_use"`
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
	Run    streamRun
	Sweep  snapshotRun
	Claims *struct {
		There []struct {
			Kind           string
			Files, Servers int
		}
		Runs []struct {
			Policy       string
			Sources      bool
			LastModified bool `json:"last_modified"`
			Result       struct {
				Fetched, Refetched, Changed, Sources int
				NewFetched                           int      `json:"new_fetched"`
				UpdateRate                           *float64 `json:"update_rate"`
				Coverage, Freshness, Discovered      *float64
				Claims                               []struct {
					Kind                                               string
					Servers, Sources, Pages, True, False, Missed, Same int
				}
			}
		}
	}
}

type vanishedResult struct {
	All         int
	Directories map[string]time.Time
}

type surveyPeriod struct {
	Weeks, Pages, Vanished, New, Returned, Updated, Differ, Tops int
	UpdatedShare                                                 *float64 `json:"updated_share"`
	DifferShare                                                  *float64 `json:"differ_share"`
	TopsUpdated                                                  int      `json:"tops_updated"`
	TopsUpdatedShare                                             *float64 `json:"tops_updated_share"`
	ByTop                                                        struct {
		Servers, Pages, Updated int
		OfUpdated               *float64 `json:"of_updated"`
		OfPages                 *float64 `json:"of_pages"`
		OfServers               *float64 `json:"of_servers"`
	} `json:"by_top"`
	Updates []int
}

type surveyGroup struct {
	Group                                  string
	Servers, Absent, Pages, Tops, Unlinked int
	PagesPerServer                         *float64 `json:"pages_per_server"`
	Periods                                []surveyPeriod
}

type surveyResult struct {
	Base      int
	Change    string
	Weeks     []int
	Groups    []surveyGroup
	Total     surveyGroup
	Intervals []struct {
		Unit         string
		Limit        int
		LastModified bool `json:"last_modified"`
		Days, Pages  int
		VisitedOnce  int `json:"visited_once"`
		NeverChanged int `json:"never_changed"`
		Points       []struct {
			Interval, Pages int
			Share, Weighted *float64
		}
	}
	Warnings []string
}

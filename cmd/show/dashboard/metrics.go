package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/recrawl/recrawl/cmd/show/view"
)

// requestMetrics count the requests to the server.
type requestMetrics struct {
	seconds *prometheus.HistogramVec // by route and class of status, for example "2xx"
}

// collector makes metrics from the desk when a scrape asks for them.
type collector struct {
	desk *view.Desk

	up, visits, failed, expected, found, bytes, known, waiting, underWay, chosen,
	refused *prometheus.Desc
	budget, left, price, limitUsed, limitGranted                                  *prometheus.Desc
	handedOut, moved, reads, stored                                               *prometheus.Desc
	pages, overdue, oldest, promised, tooOld, fresh, changes, surveyed, took, lag *prometheus.Desc
}

func newMetrics(d *view.Desk, version string) (*requestMetrics, http.Handler) {
	name := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("recrawl_"+name, help, labels, nil)
	}
	c := &collector{
		desk: d,
		up: name("planner_up",
			"1 if the planner answered this scrape, 0 if it was busy with its next round"),
		visits: name("visits_total", "Visits made, by result", "found"),
		failed: name("visits_failed_total", "Visits that failed, by the status of the answer",
			"status"),
		expected: name("changes_expected_total",
			"Sum of the change probabilities that the policy gave to its refetches"),
		found:    name("changes_found_total", "Changes that these refetches found"),
		bytes:    name("network_bytes_total", "Bytes read from the network"),
		known:    name("known_pages", "Known pages"),
		waiting:  name("waiting_pages", "New pages that wait for their first visit"),
		underWay: name("visits_under_way", "Visits under way"),
		chosen:   name("visits_chosen", "Chosen visits that wait for their turn"),
		refused: name("refused_addresses_total",
			"URLs that the limits of discovery kept out"),
		budget: name("round_budget_fetches",
			"Budget of the round in fetches; absent without a budget"),
		left: name("round_left_fetches",
			"Fetches of the round's budget that no chosen visit uses"),
		price: name("budget_price_changes",
			"Weighted expected changes of the last visit that fits into the budget"),
		limitUsed: name("limit_used", "Used part of a limit for all servers", "limit"),
		limitGranted: name("limit_granted",
			"Amount that a limit for all servers grants until the end of the round", "limit"),
		handedOut: name("store_handed_out_records_total",
			"Records that the store read when their pages became due"),
		moved: name("store_moved_records_total",
			"Records whose due time changed without a visit"),
		reads: name("store_reads_total", "Reads of records"),
		stored: name("store_bytes_total",
			"Bytes of records that the store read, received and wrote", "way"),
		pages:   name("pages", "Pages by state in the last survey", "state"),
		overdue: name("overdue_pages", "Pages whose due time passed more than a round ago"),
		oldest: name("oldest_due_seconds",
			"Time since the earliest due time of the overdue pages; 0: none"),
		promised: name("max_age_pages", "Copies with a greatest age"),
		tooOld:   name("max_age_exceeded_pages", "Copies older than their greatest age"),
		fresh: name("fresh_ratio", "Predicted share of copies that are up to date: "+
			"mean, and 5th and 95th percentile", "estimate"),
		changes: name("predicted_changes_per_day",
			"Changes of all pages a day, estimated from visits; absent while unknown"),
		surveyed: name("survey_timestamp_seconds", "Time of the last survey of all pages"),
		took:     name("survey_duration_seconds", "Duration of the last survey of all pages"),
		lag:      name("visit_lag_seconds", "Time from due time to visit, for refetches"),
	}
	r := &requestMetrics{prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "recrawl_dashboard_request_seconds", Help: "Time to answer a request",
		Buckets: []float64{0.005, 0.02, 0.1, 0.3, 1, 5, 30},
	}, []string{"route", "status"})}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c, r.seconds, buildInfo(version), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r, promhttp.HandlerFor(registry,
		promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: answerIn})
}

// buildInfo returns a metric with the version of the program.
func buildInfo(version string) prometheus.Collector {
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "recrawl_build_info",
		Help: "1; the version is a label", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	return build
}

// Describe sends nothing, as the set of metrics depends on the run.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect collects the metrics of a scrape.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	count := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	ctx, cancel := contextFor(2 * time.Second)
	defer cancel()
	now, err := c.desk.Now(ctx)
	if gauge(c.up, boolean(err == nil)); err == nil {
		gauge(c.known, float64(now.Known))
		gauge(c.waiting, float64(now.Waiting))
		gauge(c.underWay, float64(now.UnderWay))
		gauge(c.chosen, float64(now.Chosen))
		gauge(c.price, now.Price)
		count(c.refused, float64(now.Refused))
		count(c.handedOut, float64(now.Traffic.HandedOut))
		count(c.moved, float64(now.Traffic.Moved))
		count(c.reads, float64(now.Traffic.Reads))
		count(c.stored, float64(now.Traffic.ReadBytes), "read")
		count(c.stored, float64(now.Traffic.RecordBytes), "given")
		count(c.stored, float64(now.Traffic.WrittenBytes), "written")
		if now.Round.Budget != nil {
			gauge(c.budget, float64(*now.Round.Budget))
			gauge(c.left, float64(*now.Round.Left))
		}
		for _, l := range now.Limits {
			gauge(c.limitUsed, float64(l.Used), l.Name)
			gauge(c.limitGranted, float64(l.Granted), l.Name)
		}
	}
	total, failures := c.desk.Totals()
	for found, n := range map[string]int64{"first": total.First, "changed": total.Changed,
		"unchanged": total.Unchanged, "left": total.Left, "failed": total.Failed,
		"other": total.Other} {
		count(c.visits, float64(n), found)
	}
	for status, n := range failures {
		count(c.failed, float64(n), status)
	}
	count(c.expected, total.Expected)
	count(c.found, float64(total.Found))
	count(c.bytes, float64(total.Bytes))
	cumulative, all, seconds := c.desk.LagHistogram()
	buckets := map[float64]uint64{}
	for i, n := range cumulative {
		buckets[view.LagBounds[i]] = n
	}
	out <- prometheus.MustNewConstHistogram(c.lag, all, seconds, buckets)
	c.collectSurvey(gauge)
}

func (c *collector) collectSurvey(gauge func(*prometheus.Desc, float64, ...string)) {
	s := c.desk.Surveyed()
	if s.At.IsZero() {
		return
	}
	for state, n := range map[string]int{"alive": s.Alive, "new": s.New, "left": s.Left,
		"failing": s.Failing, "source": s.Sources} {
		gauge(c.pages, float64(n), state)
	}
	gauge(c.overdue, float64(s.Overdue))
	oldest := 0.0
	if !s.OldestDue.IsZero() {
		oldest = time.Since(s.OldestDue).Seconds()
	}
	gauge(c.oldest, oldest)
	gauge(c.promised, float64(s.Promised))
	gauge(c.tooOld, float64(s.TooOld))
	if s.Fresh != nil {
		gauge(c.fresh, s.Fresh.Mean, "mean")
		gauge(c.fresh, s.Fresh.Low, "p5")
		gauge(c.fresh, s.Fresh.High, "p95")
	}
	if s.Rate.Known() {
		gauge(c.changes, s.Rate.PerDay())
	}
	gauge(c.surveyed, float64(s.At.Unix()))
	gauge(c.took, s.Took.Seconds())
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// counted measures the time of the answers of a route.
func (s *Server) counted(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, out := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(out, r)
		took := time.Since(began)
		s.requests.seconds.WithLabelValues(route,
			strconv.Itoa(out.status/100)+"xx").Observe(took.Seconds())
		s.o.Log.Debug("answer", "path", r.URL.Path, "status", out.status, "elapsed", took)
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController find the writer that can flush.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

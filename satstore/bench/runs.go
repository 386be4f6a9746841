package bench

import (
	"context"

	"github.com/recrawl/recrawl/satstore/runs"
	"github.com/recrawl/recrawl/satstore/workload"
)

// runsKind takes no requests here: they come with ids, and it leaves it to its user to
// know the number of an id.
var runsKind = Kind{
	Name:           "runs",
	About:          "SAT with coarse buckets, without sorting and without a second write: the log is the bucket",
	bytesPerRecord: func(mean float64) float64 { return 2 * (mean + 12) },
	roomBytes:      128 << 20,
	open: func(dir string, p *workload.Plan, s Settings) (Engine, error) {
		levels := map[workload.Unit][]runs.Level{workload.Minute: runs.MinutesHoursAndDays, workload.Hour: runs.HoursAndDays, workload.Day: runs.Days}[p.Unit]
		store, err := runs.Open(dir, runs.Options{Levels: levels, BufferBytes: s.BufferBytes, DirectIO: true})
		if err != nil {
			return nil, err
		}
		e := &runsEngine{store: store}
		e.visit = func(r *runs.Record) (int64, []byte) { return int64(e.unit.Visit(r.Body)), r.Body }
		return e, nil
	},
}

// runsEngine drives package runs.
type runsEngine struct {
	store *runs.Store
	unit  *Unit
	visit func(r *runs.Record) (due int64, body []byte)
}

func (e *runsEngine) Load(ctx context.Context, p *workload.Plan, tick func(int)) error {
	return loadInTurn(ctx, p, tick, e.store.Commit, e.store.Put)
}

func (e *runsEngine) Visit(u *Unit) error {
	e.unit = u
	return e.store.Advance(int64(u.T), e.visit)
}

func (e *runsEngine) Commit() error { return e.store.Commit() }
func (e *runsEngine) Close() error  { return e.store.Close() }

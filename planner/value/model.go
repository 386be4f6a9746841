package value

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/recrawl/recrawl/estimator/logodds"
	"github.com/recrawl/recrawl/planner"
)

// Model is what value learnt from histories: a blend for each protocol, over the features
// of FeatureNames. A nil blend stands for a rule without parameters.
type Model struct {
	Source   string   `json:"source"`   // the command, and a fingerprint of its input
	Form     int      `json:"form"`     // of what is learnt: modelForm
	Features []string `json:"features"` // of a row, in their order
	Sweep    *Blend   `json:"sweep"`
	Stream   *Blend   `json:"stream"`
	// SweepCurve brings what the blend says of servers that it was not learnt from, and of the
	// pages that value chooses by it, to what came of it. Streams go by several experts, and are
	// calibrated by their own visits.
	SweepCurve Curve `json:"sweep_curve"`
}

// modelForm tells parameters from those of other versions of value: 2 adds Offset in streams, 4 the
// curves, 5 the factor in Offset, 6 changes that no visit saw in the factor, 7 visits that found a
// page gone when they were made, 8 nets beside the forests, 9 plain estimators as features and in
// Offset, and no curve of streams, 10 the beliefs of a page's own past among them.
const modelForm = 10

// NewModel returns one that knows nothing.
func NewModel() *Model {
	return &Model{Form: modelForm, Features: FeatureNames[:]}
}

//go:embed model.json
var learnt []byte

// DefaultModel is the one that comes with the program.
var DefaultModel = sync.OnceValue(func() *Model {
	var m Model
	if err := json.Unmarshal(learnt, &m); err != nil {
		panic(fmt.Sprintf("planner: model.json: %v", err))
	}
	if err := m.check(); err != nil {
		panic(fmt.Sprintf("planner: model.json: %v", err))
	}
	return &m
})

// ReadModel reads what recrawl learn wrote.
func ReadModel(r io.Reader) (*Model, error) {
	var m Model
	if err := json.NewDecoder(r).Decode(&m); err != nil {
		return nil, err
	}
	return &m, m.check()
}

func (m *Model) check() error {
	if m.Form != modelForm || !slices.Equal(m.Features, FeatureNames[:]) {
		return fmt.Errorf("it was learnt on other features than this program has: learn anew")
	}
	if err := m.SweepCurve.check(); err != nil {
		return err
	}
	for _, b := range []*Blend{m.Sweep, m.Stream} {
		if b == nil {
			continue
		}
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) blend(mode planner.Mode) *Blend {
	if mode == planner.Sweep {
		return m.Sweep
	}
	return m.Stream
}

// curve is the one of a protocol; streams have none.
func (m *Model) curve(mode planner.Mode) Curve {
	if mode == planner.Sweep {
		return m.SweepCurve
	}
	return nil
}

// probability of change of a page with these features, of which so much is learnt; claimed adds to
// the log odds.
func (m *Model) probability(mode planner.Mode, row *Row, learnt, claimed float32) float32 {
	return m.curve(mode).At(m.uncalibrated(mode, row, learnt, claimed))
}

// Uncalibrated is what the blend makes of a row, before its curve: for learning the curve.
func (m *Model) Uncalibrated(mode planner.Mode, row *Row) float32 {
	return m.uncalibrated(mode, row, m.learnt(mode, row), 0)
}

func (m *Model) uncalibrated(mode planner.Mode, row *Row, learnt, claimed float32) float32 {
	if m.blend(mode) == nil {
		return plain(row) // without what is claimed: it is for learning, and has no curve
	}
	return logodds.Probability(Offset(mode, row) + learnt + claimed)
}

// learnt is the log odds of a row by the blend; 0 where there is none.
func (m *Model) learnt(mode planner.Mode, row *Row) float32 {
	if b := m.blend(mode); b != nil {
		return b.LogOdds(row[:Features])
	}
	return 0
}

// learntOf is learnt of several rows, by columns.
func (m *Model) learntOf(mode planner.Mode, columns []logodds.Column) (sums logodds.Column) {
	if b := m.blend(mode); b != nil {
		b.LogOddsOf(columns, &sums)
	}
	return sums
}

// plain is the rule without learnt parameters: what is expected of the page, and a part of what is
// expected of its server.
func plain(row *Row) float32 {
	x := row[fShapeMass] + 0.3*row[fOwnExpected] + 0.1*row[fServerMass]
	return float32(-math.Expm1(-float64(x)))
}

// Offset is the log odds of a change by plain estimators. What is learnt is added to it: so a page
// unlike all that was learnt from is judged by its past. A sweep begins with no more than one copy
// of most pages: there it is 0.
func Offset(mode planner.Mode, row *Row) float32 {
	if mode == planner.Sweep {
		return 0
	}
	o := opinionsOf(row, 0)
	return o[expertModel]
}

// logOddsExpected are those of p = 1 - exp(-changes), of leastExpected to mostExpected changes.
func logOddsExpected(changes float32) float32 {
	return logOddsTable.at(tableCell(min(max(changes, leastExpected), mostExpected)))
}

var logOddsTable = newTable(func(x float64) float64 { return math.Log(math.Expm1(x)) })

const leastExpected, mostExpected = 1e-4, 6

// The odds of these.
var leastOdds, mostOdds = float32(math.Expm1(leastExpected)), float32(math.Expm1(mostExpected))

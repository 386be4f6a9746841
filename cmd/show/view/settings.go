package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
)

// Settings are what a user changes while the loop runs. They are kept in the store, so that the
// next run and commands that read it also have them.
type Settings struct {
	// Weights are rules as preferences.ParseWeight reads them. They come after those that the run
	// was started with, so that they overrule these.
	Weights []string `json:"weights"`
	// Resting are servers, host[:port], of which no page is visited.
	Resting []string `json:"resting"`
}

const (
	settingsName = "view/settings"
	// mostRules bounds both lists: they are read for each page that becomes known.
	mostRules = 1000
	// MostHints bounds the addresses of one hint.
	MostHints = 1000
)

// ErrSettings says that settings cannot be, and why.
var ErrSettings = errors.New("settings refused")

// Keeper has the settings of a store.
type Keeper interface {
	Setting(name string) (value []byte, ok bool, err error)
}

// LoadSettings reads those of a store; none where none were kept.
func LoadSettings(k Keeper) (s Settings, err error) {
	value, ok, err := k.Setting(settingsName)
	if err != nil || !ok {
		return Settings{Weights: []string{}, Resting: []string{}}, err
	}
	if err := json.Unmarshal(value, &s); err != nil {
		return s, fmt.Errorf("read the settings that were changed in the dashboard: %w", err)
	}
	return s, nil
}

// check makes settings what they are kept as.
func (s *Settings) check() error {
	if len(s.Weights) > mostRules || len(s.Resting) > mostRules {
		return fmt.Errorf("%w: at most %d rules and %d servers", ErrSettings, mostRules, mostRules)
	}
	if s.Weights == nil {
		s.Weights = []string{}
	}
	for _, text := range s.Weights {
		if _, err := preferences.ParseWeight(text); err != nil {
			return fmt.Errorf("%w: weight %q: %w", ErrSettings, text, err)
		}
	}
	resting := []string{}
	for _, name := range s.Resting {
		name = strings.ToLower(strings.TrimSpace(name))
		if url, err := sitegraph.Canonical("http://" + name + "/"); err != nil ||
			sitegraph.ServerName(url) != name {
			return fmt.Errorf("%w: %q is no server, as www.example.org or www.example.org:8080",
				ErrSettings, name)
		}
		resting = append(resting, name)
	}
	slices.Sort(resting)
	s.Resting = slices.Compact(resting)
	return nil
}

// Rules are the settings of a planner that may change while it plans: its weights, and the paused
// servers. Skip's function is for one goroutine, the loop's; the others for many.
type Rules struct {
	given   []string            // weights that the run was started with
	listed  *preferences.Listed // likewise; nil: none
	mu      sync.Mutex
	now     Settings
	changed bool // weights, since the round began

	version atomic.Int64 // of now.Resting
	// Of the loop: which servers rest, by number, as of a version. Names are looked up once.
	seen    int64
	resting map[sitegraph.ServerID]bool
	wanted  int // servers that rest, known or not
	known   int // servers of the graph then
}

// OpenRules are those kept in a store, after the weights that a run is started with: rules, and
// listed ones.
func OpenRules(k Keeper, given []string, listed *preferences.Listed) (*Rules, error) {
	kept, err := LoadSettings(k)
	if err != nil {
		return nil, err
	}
	return &Rules{given: slices.Clone(given), listed: listed, now: kept}, nil
}

// Weights are the rules for planner.Pages.SetWeights.
func (b *Rules) Weights() *preferences.Weights {
	b.mu.Lock()
	defer b.mu.Unlock()
	// both were checked
	w, _ := preferences.ParseWeights(append(slices.Clone(b.given), b.now.Weights...))
	return w.Times(b.listed)
}

// Skip is for planner.Options.Skip: no page of a paused server is visited.
func (b *Rules) Skip(g *sitegraph.Graph) func(sitegraph.PageID) bool {
	return func(p sitegraph.PageID) bool { return b.rests(g, g.Server(p)) }
}

func (b *Rules) get() Settings {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Settings{slices.Clone(b.now.Weights), slices.Clone(b.now.Resting)}
}

func (b *Rules) set(s Settings) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed = b.changed || !slices.Equal(b.now.Weights, s.Weights)
	b.now = s
	b.version.Add(1)
}

// take reports whether the weights were changed since it was called last.
func (b *Rules) take() (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	changed, b.changed = b.changed, false
	return changed
}

// rests reports whether a server rests. The loop calls it for each page that it might visit.
func (b *Rules) rests(g *sitegraph.Graph, s sitegraph.ServerID) bool {
	v := b.version.Load()
	if b.resting == nil || v != b.seen || len(b.resting) < b.wanted && g.Servers() != b.known {
		names := b.get().Resting
		b.seen, b.known, b.wanted, b.resting = v, g.Servers(), len(names),
			map[sitegraph.ServerID]bool{}
		for _, name := range names {
			if id, ok := g.LookupServer(name); ok {
				b.resting[id] = true
			}
		}
	}
	return len(b.resting) > 0 && b.resting[s]
}

func (b *Rules) restsNamed(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := slices.BinarySearch(b.now.Resting, name)
	return ok
}

// Settings are those that hold from the next round on.
func (d *Desk) Settings() Settings { return d.o.Rules.get() }

// GivenWeights are the rules that the run was started with.
func (d *Desk) GivenWeights() []string { return slices.Clone(d.o.Rules.given) }

// Change keeps other settings. Weights hold from the next round on; paused servers at once, except
// for visits that are chosen already. It is ErrSettings if they cannot be.
func (d *Desk) Change(ctx context.Context, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	value, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return d.change(ctx, func(*crawl.Loop) error {
		if err := d.o.Store.SaveSetting(settingsName, value); err != nil {
			return err
		}
		if err := d.o.Store.Commit(); err != nil {
			return err
		}
		d.o.Rules.set(s)
		return nil
	})
}

// Hint lets pages be visited before all others, as politeness and budget allow. Those of unknown
// servers become start pages. Addresses need not be canonical; the error names one that is none.
// It returns how many are visited.
func (d *Desk) Hint(ctx context.Context, addresses []string) (asked int, err error) {
	if len(addresses) > MostHints {
		return 0, fmt.Errorf("%w: at most %d addresses at a time", ErrSettings, MostHints)
	}
	var list []string
	form := listed.Form{Whole: true}
	for _, text := range addresses {
		switch url, kind := form.Read([]byte(text)); kind {
		case listed.Address:
			list = append(list, url)
		case listed.Blank, listed.Comment:
		default:
			return 0, fmt.Errorf("%w: %.120q is not a whole web address: %v", ErrSettings, text,
				kind)
		}
	}
	if len(list) == 0 {
		return 0, fmt.Errorf("%w: no address given", ErrSettings)
	}
	var n int
	err = d.change(ctx, func(l *crawl.Loop) (err error) {
		n, err = l.Ask(true, list...)
		return err
	})
	if err == nil {
		asked = n
	}
	return asked, err
}

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

// Settings are what a user changes while the loop runs. The store keeps them for the next run, and
// for commands that read the store.
type Settings struct {
	// Weights are rules for preferences.ParseWeight. They come after the weights of the command
	// line, and overrule them.
	Weights []string `json:"weights"`
	// Resting are servers, as host[:port], whose pages are not visited.
	Resting []string `json:"resting"`
}

const (
	settingsName = "view/settings"
	// mostRules bounds both lists: the loop reads them for each new page.
	mostRules = 1000
	// MostHints bounds the addresses of one hint.
	MostHints = 1000
)

// ErrSettings is the error of settings that are refused; it says why.
var ErrSettings = errors.New("settings refused")

// Keeper keeps the settings of a store.
type Keeper interface {
	Setting(name string) (value []byte, ok bool, err error)
}

// LoadSettings reads the settings of a store. They are empty if none were kept.
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

// check brings settings into the form in which they are kept.
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
			return fmt.Errorf("%w: %q is no server; want one such as www.example.org or www.example.org:8080",
				ErrSettings, name)
		}
		resting = append(resting, name)
	}
	slices.Sort(resting)
	s.Resting = slices.Compact(resting)
	return nil
}

// Rules are the settings of a planner that may change while it plans: weights and paused servers.
// Only the loop may call the function of Skip; many goroutines may use the rest.
type Rules struct {
	given   []string            // weights of the command line
	listed  *preferences.Listed // weights of a list; nil: none
	mu      sync.Mutex
	now     Settings
	changed bool // the weights were changed in this round

	version atomic.Int64 // version of now.Resting
	// Only the loop uses these: the numbers of resting servers as of a version. Each name is looked
	// up once.
	seen    int64
	resting map[sitegraph.ServerID]bool
	wanted  int // resting servers, known or not
	known   int // number of servers in the graph at that time
}

// OpenRules reads the settings of a store. They come after the weights that a run is started with:
// given rules and listed weights.
func OpenRules(k Keeper, given []string, listed *preferences.Listed) (*Rules, error) {
	kept, err := LoadSettings(k)
	if err != nil {
		return nil, err
	}
	return &Rules{given: slices.Clone(given), listed: listed, now: kept}, nil
}

// Weights returns the rules for planner.Pages.SetWeights.
func (b *Rules) Weights() *preferences.Weights {
	b.mu.Lock()
	defer b.mu.Unlock()
	// both were checked
	w, _ := preferences.ParseWeights(append(slices.Clone(b.given), b.now.Weights...))
	return w.Times(b.listed)
}

// Skip returns the function for planner.Options.Skip, which skips the pages of paused servers.
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

// take reports whether the weights were changed since the last call.
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

// Settings returns the settings that hold from the next round on.
func (d *Desk) Settings() Settings { return d.o.Rules.get() }

// GivenWeights returns the weights of the command line.
func (d *Desk) GivenWeights() []string { return slices.Clone(d.o.Rules.given) }

// Change replaces the settings. Weights hold from the next round on. Paused servers rest at once,
// except for chosen visits. It is ErrSettings if the settings are refused.
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

// Hint lets the loop visit pages before all others, as politeness and budget allow. Pages of
// unknown servers become start pages. Addresses need not be canonical; the error names one that is
// no address. Hint returns the number of pages.
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

package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/satstore/seen"
	"github.com/recrawl/recrawl/sitegraph/listed"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Options configure an import.
type Options struct {
	Set    *seen.Set
	Sizes  seen.Sizes // of the parts, without the set
	Keeper Keeper
	// Approximate believes the filter [SBFL 4.3]: false positives are lost.
	Approximate bool
	// Important are prefixes of addresses that the filter does not judge. The page "/" of a server
	// is always important.
	Important []string
	// Part of Parts is imported, from 0. Addresses of other parts are counted and skipped. Parts
	// below 2: all.
	Part, Parts int
	// Whole is set if only tabs separate columns of the list: see listed.Form.
	Whole    bool
	Progress func(bytes int64) // may be nil

	settled func() // called after each commit; may be nil
}

// filterRate and the hashes of the filter in front of the set are those that save most memory in
// [SBFL] (figure 10).
const (
	filterRate   = 0.01
	filterHashes = 4
)

// Run imports a list, and returns the result so far if there is an error.
func Run(ctx context.Context, list io.Reader, o Options) (*Result, error) {
	r := newResult(o)
	pipeline := newPipeline(o.Set, o.Sizes, o.Keeper, o)
	rules := &rules{o.Set.Key(), o.Part, o.Parts, importance(o.Important),
		listed.Form{Whole: o.Whole}}
	next, free, stop := pieces(ctx, list, rules, runtime.GOMAXPROCS(0))
	defer stop()
	err := r.addPieces(ctx, next, free, pipeline, o)
	if err == nil || errors.Is(err, errCut) {
		err = errors.Join(err, pipeline.Settle())
	}
	r.end(pipeline, o.Set)
	return r, err
}

// errCut reports that a list ends with an error. The lines before it are imported.
var errCut = errors.New("read the list")

// newPipeline returns the pipeline of an address: cache, filter, set, and keeper.
func newPipeline(set *seen.Set, sizes seen.Sizes, keeper Keeper, o Options) *seen.Pipeline {
	var filter seen.Filter
	if m := sizes.FilterCounters; m > 0 {
		filter = seen.NewLight(m, filterHashes, seen.Promised(float64(m), filterHashes, filterRate))
	}
	return seen.NewPipeline(seen.PipelineOptions{
		Cache: seen.NewWays(sizes.CacheEntries), Filter: filter, Set: set,
		Approximate: o.Approximate,
		WaitBytes:   sizes.WaitBytes, DoubtBytes: sizes.DoubtBytes,
		New: keeper.Add,
		Settled: func() error {
			if err := keeper.Commit(); err != nil {
				return err
			}
			if o.settled != nil {
				o.settled()
			}
			return set.Commit(keeper.Mark())
		},
	})
}

func (r *Result) addPieces(ctx context.Context, next func() (*piece, bool), free func(*piece),
	pipeline *seen.Pipeline, o Options) error {
	for p, ok := next(); ok; p, ok = next() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range p.found {
			f := &p.found[i]
			if _, err := pipeline.Offer(f.url, f.key, f.important); err != nil {
				return fmt.Errorf("after line %d: %w", p.lines, err)
			}
		}
		r.count(p)
		r.sample(pipeline, false)
		if o.Progress != nil {
			o.Progress(r.Bytes)
		}
		err := p.err
		free(p)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%w after line %d: %w", errCut, r.Lines, err)
		}
	}
	return ctx.Err()
}

// importance returns a function that reports whether a URL is important: the filter does not judge
// important URLs. Important are the page "/" of each server, and URLs that begin with a prefix.
func importance(prefixes []string) func(string) bool {
	return func(url string) bool {
		if n := len(url); url[n-1] == '/' && strings.Count(url, "/") == 3 {
			return true
		}
		for _, prefix := range prefixes {
			if strings.HasPrefix(url, prefix) {
				return true
			}
		}
		return false
	}
}

// Result is the result of an import.
type Result struct {
	Lines     int64 `json:"lines"`
	Bytes     int64 `json:"bytes"` // of whole lines
	Blank     int64 `json:"blank"`
	Addresses int64 `json:"addresses"` // neither blank nor bad, in this part
	Elsewhere int64 `json:"of_other_parts"`
	Bad       []Bad `json:"bad"`
	BadLines  int64 `json:"bad_lines"`

	New      int64  `json:"new"`
	Repeats  int64  `json:"repeats"`
	Mode     string `json:"mode"`
	CaughtUp int    `json:"caught_up"` // pages of the store that the set did not cover

	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	PerSecond  float64 `json:"addresses_per_second"`
	PeakBytes  int64   `json:"peak_memory_bytes"`  // of the whole program
	PartsBytes int64   `json:"parts_memory_bytes"` // cache, filter, queues, set
	// BytesEach is the peak divided by the addresses of the set.
	BytesEach float64 `json:"memory_bytes_per_known_address"`

	Pipeline seen.PipelineStats `json:"pipeline"`
	Set      seen.SetStats      `json:"set"`
	Sizes    seen.Sizes         `json:"sizes"`
	Curve    []Point            `json:"curve"`

	began machine.Reading
	every int64 // lines between points
	Known int64 `json:"-"` // addresses that the set had before
	kinds [listed.Kinds]Bad
}

// Useless returns an error if a list with lines has no address at all: probably the wrong file.
func (r *Result) Useless() error {
	if r.BadLines == 0 || r.Addresses+r.Elsewhere > 0 {
		return nil
	}
	first := slices.MaxFunc(r.Bad, func(a, b Bad) int { return cmp.Compare(a.Lines, b.Lines) })
	return fmt.Errorf("no address in %s: line %d is %.60q, %s",
		words.Plural(int(r.Lines), "line"), first.Examples[0].Line, first.Examples[0].Text,
		first.Kind)
}

// Point is the state of an import.
type Point struct {
	Lines    int64   `json:"lines"`
	New      int64   `json:"new"`
	Seconds  float64 `json:"seconds"`
	Resident int64   `json:"memory_bytes"`
}

func newResult(o Options) *Result {
	r := &Result{
		Bad:   []Bad{},
		Curve: []Point{},
		Mode:  "exact",
		Sizes: o.Sizes,
		began: machine.Measure(),
		every: 1 << 14,
	}
	if o.Approximate {
		r.Mode = "approximate"
	}
	if o.Set != nil {
		r.Known = int64(o.Set.Len())
	}
	return r
}

func (r *Result) count(p *piece) {
	r.Lines += p.count
	r.Bytes += int64(len(p.bytes))
	r.Blank += p.blank
	r.Addresses += int64(len(p.found))
	r.Elsewhere += p.elsewhere
	for _, b := range p.bad {
		k := &r.kinds[b.kind]
		if k.Lines++; len(k.Examples) < mostExamples {
			k.Examples = append(k.Examples, Example{b.line, strings.ToValidUTF8(b.text, "\uFFFD")})
		}
	}
}

// mostPoints bounds the curve: when it is full, every second point is dropped.
const mostPoints = 256

func (r *Result) sample(p *seen.Pipeline, last bool) {
	if n := len(r.Curve); !last && n > 0 && r.Lines-r.Curve[n-1].Lines < r.every {
		return
	}
	now := machine.Measure()
	r.Curve = append(r.Curve, Point{r.Lines, int64(p.Stats().New), now.At.Sub(r.began.At).Seconds(),
		now.Resident})
	if len(r.Curve) < mostPoints {
		return
	}
	kept := r.Curve[:0]
	for i := 0; i < mostPoints; i += 2 {
		kept = append(kept, r.Curve[i])
	}
	r.Curve, r.every = kept, 2*r.every
}

func (r *Result) end(p *seen.Pipeline, set *seen.Set) {
	r.sample(p, true)
	now := machine.Measure()
	r.Pipeline, r.Set = p.Stats(), set.Stats()
	r.New = int64(r.Pipeline.New)
	r.Repeats = r.Addresses - r.New
	r.Seconds = now.At.Sub(r.began.At).Seconds()
	r.CPUSeconds = (now.CPU - r.began.CPU).Seconds()
	r.PerSecond = float64(r.Addresses) / max(r.Seconds, 1e-9)
	r.PeakBytes, r.PartsBytes = now.Peak, int64(p.Bytes()+r.Set.Memory)
	if r.Set.Keys > 0 {
		r.BytesEach = float64(r.PeakBytes) / float64(r.Set.Keys)
	}
	for kind, b := range r.kinds {
		if b.Lines > 0 {
			b.Kind = listed.Kind(kind).String()
			r.Bad = append(r.Bad, b)
			r.BadLines += b.Lines
		}
	}
}

package planner

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// confusion is the confusion matrix of one kind of claims on one server: visits to claimed pages,
// by the claim and the outcome.
type confusion struct {
	True   uint32 `json:"true"`   // claimed to have changed, and had
	False  uint32 `json:"false"`  // claimed to have changed, and had not
	Missed uint32 `json:"missed"` // listed as unchanged, and had changed
	Same   uint32 `json:"same"`   // listed as unchanged, and was
}

func (p *confusion) add(q confusion) {
	p.True += q.True
	p.False += q.False
	p.Missed += q.Missed
	p.Same += q.Same
}

const (
	// maxLogRatio bounds the effect of a claim on a probability: the odds times 55.
	maxLogRatio = 4

	// visitsOfOthers is the weight of all visits to other servers, in visits of the server itself.
	// It is small because servers differ more than visits to one server.
	visitsOfOthers = 4
)

// logRatio returns ln P(said | changed) / P(said | unchanged), from the means of two Beta
// posteriors under Jeffreys' prior, and the number n of visits to pages with this claim.
func (p confusion) logRatio(said signal) (ratio float64, n float64) {
	share := func(yes, no uint32) float64 {
		return (float64(yes) + 0.5) / (float64(yes) + float64(no) + 1)
	}
	changed, same := share(p.True, p.Missed), share(p.False, p.Same)
	n = float64(p.True) + float64(p.False)
	if said == saysSame {
		changed, same = 1-changed, 1-same
		n = float64(p.Missed) + float64(p.Same)
	}
	return max(-maxLogRatio, min(maxLogRatio, math.Log(changed/same))), n
}

// logRatio returns the log-likelihood ratio of a claim, or of its absence, on a server. It weighs
// the ratios of this server and of all others. The more visits the server has, the more its own
// counts. It is 0 if nothing was measured.
func (h *Hints) logRatio(s sitegraph.ServerID, kind HintKind, said signal) float64 {
	if said == saysNothing {
		return 0
	}
	own, others := h.counts(s, kind)
	ownRatio, ownN := own.logRatio(said)
	ratio, n := others.logRatio(said)
	return (ownN*ownRatio + visitsOfOthers*ratio*n/(n+visitsOfOthers)) / (ownN + visitsOfOthers)
}

// counts returns the counts of a kind of claims on a server, and on all others.
func (h *Hints) counts(s sitegraph.ServerID, kind HintKind) (own, others confusion) {
	others = h.pooled[kind]
	if p := h.accuracy[serverKind{s, kind}]; p != nil {
		own = *p
		others.True, others.False = others.True-own.True, others.False-own.False
		others.Missed, others.Same = others.Missed-own.Missed, others.Same-own.Same
	}
	return own, others
}

const (
	// tellingVisits is the number of visits that must have tested claims before they can be idle.
	tellingVisits = 20
	// tellingRatio is the mean of |ln likelihood ratio| below which claims are idle: the odds times
	// 1.3.
	tellingRatio = 0.25
)

// Idle reports whether the claims of a source proved almost useless: for example if it names today
// for all pages, or if only pages change that it does not date.
func (h *Hints) Idle(source sitegraph.PageID) bool {
	if !h.any {
		return false
	}
	kind, server := h.KindOf(source), h.graph.Server(source)
	p := h.accuracy[serverKind{server, kind}]
	if p == nil {
		return false
	}
	ratio, changed := p.logRatio(saysChanged)
	silence, same := p.logRatio(saysSame)
	return changed+same >= tellingVisits &&
		changed*abs(ratio)+same*abs(silence) < tellingRatio*(changed+same)
}

// Test compares the claim about a page with the outcome of a visit. LastVisit must still be that of
// the visit before, since claims concern the time since then.
func (h *Hints) Test(p sitegraph.PageID, verdict sitegraph.Verdict) {
	if !h.any {
		return
	}
	modified := uint32(0)
	if h.header.page == p {
		modified = h.header.modified
	}
	if verdict != sitegraph.VerdictChanged && verdict != sitegraph.VerdictUnchanged {
		return
	}
	server := h.graph.Server(p)
	for _, kind := range [...]HintKind{Sitemap, Feed} {
		if t, ok := h.told[kind][p]; ok {
			h.count(server, kind, h.signal(p, t), verdict == sitegraph.VerdictChanged)
		}
	}
	if modified > 0 {
		said := saysSame
		if modified > h.visits.LastVisit(p) {
			said = saysChanged
		}
		h.count(server, LastModified, said, verdict == sitegraph.VerdictChanged)
	}
}

func (h *Hints) count(s sitegraph.ServerID, kind HintKind, said signal, changed bool) {
	var one confusion
	switch {
	case said == saysNothing:
		return
	case said == saysChanged && changed:
		one.True = 1
	case said == saysChanged:
		one.False = 1
	case changed:
		one.Missed = 1
	default:
		one.Same = 1
	}
	h.add(s, kind, one)
	h.changed[s] = true
}

func (h *Hints) add(s sitegraph.ServerID, kind HintKind, add confusion) {
	key := serverKind{s, kind}
	if h.accuracy[key] == nil {
		h.accuracy[key] = new(confusion)
	}
	h.accuracy[key].add(add)
	h.pooled[kind].add(add)
}

// Save passes to save a value for Restore for each server where claims were tested since the last
// Save, until save fails.
func (h *Hints) Save(save func(s sitegraph.ServerID, value []byte) error) error {
	if !h.any {
		return nil
	}
	for s := range h.changed {
		value := map[string]*confusion{}
		for kind := Sitemap; kind < kindCount; kind++ {
			if p := h.accuracy[serverKind{s, kind}]; p != nil {
				value[kind.String()] = p
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("hints: accuracy %v: %v", value, err)) // plain numbers always encode
		}
		if err := save(s, text); err != nil {
			return err
		}
		delete(h.changed, s)
	}
	return nil
}

// Restore restores the accuracy that an earlier run measured on a server.
func (h *Hints) Restore(s sitegraph.ServerID, value []byte) error {
	var kept map[string]confusion
	if err := json.Unmarshal(value, &kept); err != nil {
		return fmt.Errorf("read the accuracy of sources of %s: %w",
			h.graph.ServerName(s), err)
	}
	h.any = true
	for kind := Sitemap; kind < kindCount; kind++ {
		if p, ok := kept[kind.String()]; ok {
			h.add(s, kind, p)
		}
	}
	return nil
}

// HintCounts count the sources of one kind, their pages, and the outcomes of their claims.
type HintCounts struct {
	Sources int `json:"sources"` // with pages now
	Pages   int `json:"pages"`   // listed now

	// Visits that compared a page with its copy, by the claim about the time since the visit
	// before. Visits to pages without a claim do not count.
	True   int `json:"true"`   // claimed to have changed, and had
	False  int `json:"false"`  // claimed to have changed, and had not
	Missed int `json:"missed"` // listed as unchanged, and had changed
	Same   int `json:"same"`   // listed as unchanged, and was
}

// Add adds the counts of another server or kind.
func (c *HintCounts) Add(o HintCounts) {
	c.Sources += o.Sources
	c.Pages += o.Pages
	c.True += o.True
	c.False += o.False
	c.Missed += o.Missed
	c.Same += o.Same
}

// SourceInfo is the accuracy of one kind of claims on one server.
type SourceInfo struct {
	Server sitegraph.ServerID
	Kind   HintKind
	HintCounts
	// LogRatio is the log-likelihood ratio of a claim, and Silence that of its absence for a listed
	// page.
	LogRatio, Silence float64
}

// Sources returns the accuracy of claims by server and kind; none if no source was ever read.
func (h *Hints) Sources() []SourceInfo {
	if !h.any {
		return nil
	}
	found := map[serverKind]*SourceInfo{}
	of := func(s sitegraph.ServerID, kind HintKind) *SourceInfo {
		key := serverKind{s, kind}
		if found[key] == nil {
			found[key] = &SourceInfo{Server: s, Kind: kind}
		}
		return found[key]
	}
	for key, p := range h.accuracy {
		i := of(key.server, key.kind)
		i.True, i.False, i.Missed, i.Same = int(p.True), int(p.False), int(p.Missed), int(p.Same)
	}
	type sourceKind struct {
		source sitegraph.PageID
		kind   HintKind
	}
	seen := map[sourceKind]bool{}
	for kind, told := range h.told {
		for page, t := range told {
			i := of(h.graph.Server(page), HintKind(kind))
			i.Pages++
			if key := (sourceKind{t.by, HintKind(kind)}); t.by != sitegraph.NoPage && !seen[key] {
				seen[key] = true
				i.Sources++
			}
		}
	}
	infos := make([]SourceInfo, 0, len(found))
	for key, i := range found {
		i.LogRatio = h.logRatio(key.server, key.kind, saysChanged)
		i.Silence = h.logRatio(key.server, key.kind, saysSame)
		infos = append(infos, *i)
	}
	slices.SortFunc(infos, func(a, b SourceInfo) int {
		if a.Server != b.Server {
			return int(a.Server) - int(b.Server)
		}
		return int(a.Kind) - int(b.Kind)
	})
	return infos
}

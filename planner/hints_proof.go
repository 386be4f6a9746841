package planner

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/recrawl/recrawl/sitegraph"
)

// proof counts what claims of one kind on one server proved to be worth: visits to pages that
// a source had said something of.
type proof struct {
	True   uint32 `json:"true"`   // claimed to have changed, and had
	False  uint32 `json:"false"`  // claimed to have changed, and had not
	Missed uint32 `json:"missed"` // listed as unchanged, and had changed
	Same   uint32 `json:"same"`   // listed as unchanged, and was
}

func (p *proof) add(q proof) {
	p.True += q.True
	p.False += q.False
	p.Missed += q.Missed
	p.Same += q.Same
}

const (
	// maxLogRatio bounds what one claim can do to a probability: odds times 55.
	maxLogRatio = 4

	// proofsOfOthers is how many proofs of its own weigh, on a server, as much as all that other
	// servers showed: few, since servers differ more than visits of one.
	proofsOfOthers = 4
)

// logRatio is ln P(said | changed) / P(said | unchanged), from the means of two Beta posteriors
// under Jeffreys' prior; n is the number of visits to pages of which it was said.
func (p proof) logRatio(said signal) (ratio float64, n float64) {
	share := func(yes, no uint32) float64 { return (float64(yes) + 0.5) / (float64(yes) + float64(no) + 1) }
	changed, same := share(p.True, p.Missed), share(p.False, p.Same)
	n = float64(p.True) + float64(p.False)
	if said == saysSame {
		changed, same = 1-changed, 1-same
		n = float64(p.Missed) + float64(p.Same)
	}
	return max(-maxLogRatio, min(maxLogRatio, math.Log(changed/same))), n
}

// logRatio is what a claim, or its absence, is worth on a server: that of the server and that of
// all others, by what was proved of either. It is 0 where nothing was proved, and draws near to
// the server's own with its proofs.
func (c *Corpus) logRatio(s sitegraph.ServerID, kind HintKind, said signal) float64 {
	if said == saysNothing {
		return 0
	}
	others, own := c.hints.pooled[kind], proof{}
	if p := c.hints.proofs[serverKind{s, kind}]; p != nil {
		own = *p
		others.True, others.False = others.True-own.True, others.False-own.False
		others.Missed, others.Same = others.Missed-own.Missed, others.Same-own.Same
	}
	ownRatio, ownN := own.logRatio(said)
	ratio, n := others.logRatio(said)
	return (ownN*ownRatio + proofsOfOthers*ratio*n/(n+proofsOfOthers)) / (ownN + proofsOfOthers)
}

const (
	// tellingProofs is how many visits must have put claims to the test before they can be idle.
	tellingProofs = 20
	// tellingRatio is the mean of |ln likelihood ratio| below which claims are idle: odds times 1.3.
	tellingRatio = 0.25
)

// idle reports whether what a source claims proved to tell next to nothing, whatever it says: as of one
// that names today for all pages, or of which only the pages that it does not date change.
func (c *Corpus) idle(source sitegraph.PageID) bool {
	if c.hints == nil {
		return false
	}
	kind, server := c.kindOf(source), c.Graph.Server(source)
	p := c.hints.proofs[serverKind{server, kind}]
	if p == nil {
		return false
	}
	ratio, changed := p.logRatio(saysChanged)
	silence, same := p.logRatio(saysSame)
	return changed+same >= tellingProofs && changed*abs(ratio)+same*abs(silence) < tellingRatio*(changed+same)
}

// prove counts what was said of a page that was just visited. The corpus must not know the
// outcome yet: what was said counts since the visit before.
func (c *Corpus) prove(p sitegraph.PageID, verdict sitegraph.Verdict) {
	h := c.hints
	if h == nil {
		return
	}
	header := h.header == p
	h.header = sitegraph.NoPage
	if verdict != sitegraph.VerdictChanged && verdict != sitegraph.VerdictUnchanged {
		return
	}
	server := c.Graph.Server(p)
	for _, kind := range [...]HintKind{HintSitemap, HintFeed} {
		if t, ok := h.told[kind][p]; ok {
			h.count(server, kind, c.signal(p, t), verdict == sitegraph.VerdictChanged)
		}
	}
	if header && h.headed > 0 {
		said := saysSame
		if h.headed > c.pages[p].History.Last {
			said = saysChanged
		}
		h.count(server, HintLastModified, said, verdict == sitegraph.VerdictChanged)
	}
}

func (h *hints) count(s sitegraph.ServerID, kind HintKind, said signal, changed bool) {
	var one proof
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
	h.addProof(s, kind, one)
	h.changed[s] = true
}

func (h *hints) addProof(s sitegraph.ServerID, kind HintKind, add proof) {
	key := serverKind{s, kind}
	if h.proofs[key] == nil {
		h.proofs[key] = new(proof)
	}
	h.proofs[key].add(add)
	h.pooled[kind].add(add)
}

// SaveProofs hands out, for each server where something was proved since the last time, a
// value for RestoreProofs, until save fails.
func (c *Corpus) SaveProofs(save func(s sitegraph.ServerID, value []byte) error) error {
	if c.hints == nil {
		return nil
	}
	for s := range c.hints.changed {
		value := map[string]*proof{}
		for kind := HintSitemap; kind < hintKinds; kind++ {
			if p := c.hints.proofs[serverKind{s, kind}]; p != nil {
				value[kind.String()] = p
			}
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("planner: proofs %v: %v", value, err)) // plain numbers
		}
		if err := save(s, text); err != nil {
			return err
		}
		delete(c.hints.changed, s)
	}
	return nil
}

// RestoreProofs takes over what an earlier run proved of a server.
func (c *Corpus) RestoreProofs(s sitegraph.ServerID, value []byte) error {
	var kept map[string]proof
	if err := json.Unmarshal(value, &kept); err != nil {
		return fmt.Errorf("read what sources of %s proved to be worth: %w", c.Graph.ServerName(s), err)
	}
	h := c.listening()
	for kind := HintSitemap; kind < hintKinds; kind++ {
		if p, ok := kept[kind.String()]; ok {
			h.addProof(s, kind, p)
		}
	}
	return nil
}

// SourceInfo is what claims of one kind on one server are worth.
type SourceInfo struct {
	Server  sitegraph.ServerID
	Kind    HintKind
	Sources int // that list a page now
	Pages   int // listed now

	// Visits to pages that a source had said something of: claimed changed and had, claimed
	// and had not, listed as unchanged and had changed, listed as unchanged and was.
	True, False, Missed, Same int
	// LogRatio is what a claim is worth, and Silence what its absence is where the page is listed.
	LogRatio, Silence float64
}

// Sources returns what is known of claims, by server and kind; none where no source of any
// kind was ever heard.
func (c *Corpus) Sources() []SourceInfo {
	if c.hints == nil {
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
	for key, p := range c.hints.proofs {
		i := of(key.server, key.kind)
		i.True, i.False, i.Missed, i.Same = int(p.True), int(p.False), int(p.Missed), int(p.Same)
	}
	type sourceKind struct {
		source sitegraph.PageID
		kind   HintKind
	}
	seen := map[sourceKind]bool{}
	for kind, told := range c.hints.told {
		for page, t := range told {
			i := of(c.Graph.Server(page), HintKind(kind))
			i.Pages++
			if key := (sourceKind{t.by, HintKind(kind)}); t.by != sitegraph.NoPage && !seen[key] {
				seen[key] = true
				i.Sources++
			}
		}
	}
	infos := make([]SourceInfo, 0, len(found))
	for key, i := range found {
		i.LogRatio = c.logRatio(key.server, key.kind, saysChanged)
		i.Silence = c.logRatio(key.server, key.kind, saysSame)
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

package history

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/sitegraph"
)

var _ crawl.Store = (*MemoryStore)(nil)

func TestStoreKeepsRecords(t *testing.T) {
	s := NewMemoryStore()
	for i, url := range []string{topA, topB} {
		if err := s.Add(&sitegraph.Record{Page: sitegraph.PageID(i), URL: url,
			State: sitegraph.StateNew}); err != nil {
			t.Fatal(err)
		}
	}
	for _, page := range []sitegraph.PageID{0, 1, 3} {
		if err := s.Add(&sitegraph.Record{Page: page}); err == nil {
			t.Errorf("page %d was added as number 2", page)
		}
	}
	var r sitegraph.Record
	if err := s.Load(2, &r); err == nil {
		t.Error("a page that is not there was loaded")
	}
	if err := s.Load(1, &r); err != nil || r.URL != topB || r.State != sitegraph.StateNew {
		t.Errorf("%+v, %v", r, err)
	}
	r.State, r.Size = sitegraph.StateAlive, 42
	if err := s.Save(&r); err != nil {
		t.Fatal(err)
	}
	r.Size = 1 // the store has its own copy
	var again sitegraph.Record
	if err := s.Load(1, &again); err != nil || again.Size != 42 ||
		again.State != sitegraph.StateAlive {
		t.Errorf("%+v, %v", again, err)
	}
	if records := s.Records(); len(records) != 2 || records[0].URL != topA || records[1] != again {
		t.Errorf("%+v", records)
	}
}

func TestStoreKeepsSettings(t *testing.T) {
	s := NewMemoryStore()
	if _, ok, err := s.Setting("x"); ok || err != nil {
		t.Errorf("a setting never saved: %v, %v", ok, err)
	}
	for _, value := range []string{"1", "", "2"} {
		if err := s.SaveSetting("x", []byte(value)); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := s.Setting("x"); !ok || err != nil || !bytes.Equal(got, []byte(value)) {
			t.Errorf("%q, %v, %v; want %q", got, ok, err, value)
		}
	}
}

// TestCloneSharesNothing checks that a clone and its original are independent.
func TestCloneSharesNothing(t *testing.T) {
	s := NewMemoryStore()
	add := func(s *MemoryStore, r sitegraph.Record) {
		t.Helper()
		if err := s.Add(&r); err != nil {
			t.Fatal(err)
		}
	}
	add(s, sitegraph.Record{Page: 0, URL: topA, Size: 1})
	if err := s.SaveSetting("x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	c := s.Clone()
	for i, store := range []*MemoryStore{s, c} {
		if err := store.Save(&sitegraph.Record{Page: 0, URL: topA,
			Size: int64(10 + i)}); err != nil {
			t.Fatal(err)
		}
		if err := store.SaveSetting("x", []byte{byte('2' + i)}); err != nil {
			t.Fatal(err)
		}
		add(store, sitegraph.Record{Page: 1, URL: topB, Size: int64(20 + i)})
	}
	for i, store := range []*MemoryStore{s, c} {
		records := store.Records()
		value, _, _ := store.Setting("x")
		if len(records) != 2 || records[0].Size != int64(10+i) || records[1].Size != int64(20+i) ||
			string(value) != string(rune('2'+i)) {
			t.Errorf("store %d: %+v, %q", i, records, value)
		}
	}
}

// TestLoopOverWorld checks that after a round of the loop the observations are in the store.
func TestLoopOverWorld(t *testing.T) {
	store, graph := NewMemoryStore(), sitegraph.NewGraph()
	loop := crawl.New(crawl.Options{Planner: planner.New(planner.NewPages(graph), nil,
		planner.Options{}),
		Fetcher: &Fetcher{World: world()}, Store: store, Clock: crawl.NewVirtualClock(WorldEpoch),
		Discover: true})
	if err := loop.Seed(topA, topB); err != nil {
		t.Fatal(err)
	}
	round := planner.Round{Start: WorldEpoch.Add(-time.Hour), End: WorldEpoch,
		Budget: planner.Unlimited}
	if err := loop.Round(context.Background(), round); err != nil {
		t.Fatal(err)
	}
	want := map[string]sitegraph.State{topA: sitegraph.StateAlive, topB: sitegraph.StateAlive,
		topA + "x": sitegraph.StateGone, topA + "y": sitegraph.StateGone}
	for _, r := range store.Records() {
		if r.State != want[r.URL] || !r.Tried.Equal(WorldEpoch) {
			t.Errorf("%s is %v since %v, want %v", r.URL, r.State, r.Tried, want[r.URL])
		}
		delete(want, r.URL)
	}
	if len(want) > 0 {
		t.Errorf("never seen: %v", want)
	}
}

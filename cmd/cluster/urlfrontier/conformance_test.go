package urlfrontier_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// The tests of this file check the published contract of the API. Most are named after a call. The
// first five cover the black-box tests of the reference implementation (URLFrontierServiceTest).

func (h *host) wantURLs(got []string, want ...string) {
	h.t.Helper()
	if !slices.Equal(got, want) {
		h.t.Fatalf("got %q, want %q", got, want)
	}
}

// Of KnownURLItem: "If the date is not set, the URL will be considered done and won't be resubmitted".
func TestKnownWithoutDateIsNeverGiven(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stored(known("http://key1.com/", "key1.com", "", time.Time{}))
	h.wantURLs(h.get(of("DEFAULT", &pb.GetParams{Key: "key1.com"})))
	if s := h.stats("", "key1.com"); s.Size != 0 || s.Counts["completed"] != 1 ||
		s.NumberOfQueues != 1 {
		t.Fatalf("%v", s)
	}
	h.restart()
	h.wantURLs(h.get(&pb.GetParams{}))
	// A discovered item does not bring it back.
	if acks := h.put(discovered("http://key1.com/", "key1.com",
		"")); acks[0].Status != pb.AckMessage_SKIPPED {
		t.Fatalf("%v", acks)
	}
	h.wantURLs(h.get(&pb.GetParams{}))
	// A known item does, because it "always overwrites".
	h.stored(known("http://key1.com/", "key1.com", "", h.now()))
	h.wantURLs(h.get(&pb.GetParams{}), "http://key1.com/")
}

// GetURLs must "Stream URLs due for fetching", by date within a queue.
func TestGetURLsOrderByDate(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stored(
		known("http://key1.com/later", "key1.com", "", h.now()),
		known("http://key1.com/sooner", "key1.com", "", h.now().Add(-10000*time.Second)),
		known("http://key1.com/tomorrow", "key1.com", "", h.now().Add(24*time.Hour)),
	)
	h.wantURLs(h.get(of("DEFAULT", &pb.GetParams{Key: "key1.com"})), "http://key1.com/sooner",
		"http://key1.com/later")
	h.pass(24*time.Hour - time.Second)
	// the leases have ended
	h.wantURLs(h.get(&pb.GetParams{DelayRequestable: 1000}), "http://key1.com/sooner",
		"http://key1.com/later")
	h.pass(time.Second)
	h.wantURLs(h.get(&pb.GetParams{}), "http://key1.com/tomorrow")
}

// Of GetParams.delay_requestable: "delay in seconds before a URL can be unlocked and sent again".
func TestGetURLsInTransit(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	if acks := h.put(discovered("http://key1.com/", "key1.com", ""),
		discovered("http://key1.com/", "key1.com", "")); len(acks) != 2 ||
		acks[0].Status != pb.AckMessage_OK || acks[1].Status != pb.AckMessage_SKIPPED ||
		acks[0].ID != "http://key1.com/" {
		t.Fatalf("%v", acks)
	}
	request := of("DEFAULT", &pb.GetParams{Key: "key1.com", MaxUrlsPerQueue: 1,
		DelayRequestable: 2})
	h.wantURLs(h.get(request), "http://key1.com/")
	if s := h.stats("", "key1.com"); s.InProcess != 1 || s.NumberOfQueues != 1 || s.Size != 1 {
		t.Fatalf("%v", s)
	}
	h.pass(1999 * time.Millisecond)
	h.wantURLs(h.get(request))
	h.restart()
	h.wantURLs(h.get(request))
	h.pass(time.Millisecond)
	if s := h.stats("", "key1.com"); s.InProcess != 0 {
		t.Fatalf("%v", s)
	}
	h.wantURLs(h.get(request), "http://key1.com/")
	// 0 means 30 seconds, as in the reference implementation.
	h.pass(2 * time.Second)
	h.wantURLs(h.get(&pb.GetParams{}), "http://key1.com/")
	h.pass(29 * time.Second)
	h.wantURLs(h.get(&pb.GetParams{}))
	h.pass(time.Second)
	h.wantURLs(h.get(&pb.GetParams{}), "http://key1.com/")
	// An outcome ends the lease.
	h.stored(known("http://key1.com/", "key1.com", "", h.now()))
	h.pass(time.Second)
	h.wantURLs(h.get(&pb.GetParams{}), "http://key1.com/")
}

// Of URLInfo.key: "If not set, the service will use a sensible default like hostname".
func TestKeyIsHostByDefault(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for url, key := range map[string]string{
		"http://gac.icann.org?language_id=9": "gac.icann.org",
		"https://a.example:8443/x":           "a.example",
		"http://u:p@b.example/":              "b.example",
		"http://[2001:db8::1]:80/":           "[2001:db8::1]",
		"c.example/path":                     "c.example",
	} {
		h.stored(discovered(url, "", ""))
		if s := h.stats("", key); s.Size != 1 {
			t.Errorf("%s: no queue %s", url, key)
		}
	}
	for _, url := range []string{"", "http://", "/path",
		strings.Repeat("http://a.example/x", 1000)} {
		acks := h.put(&pb.URLItem{ID: "mine", Item: discovered(url, "", "").Item})
		if acks[0].Status != pb.AckMessage_SKIPPED || acks[0].ID != "mine" {
			t.Errorf("%.20q: %v", url, acks)
		}
	}
	if acks := h.put(&pb.URLItem{}); acks[0].Status != pb.AckMessage_SKIPPED {
		t.Errorf("empty item: %v", acks)
	}
}

// Crawls are name spaces: "a URL is considered unique to a crawl". "" means DEFAULT.
func TestCrawls(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	crawls := func() []string {
		l, err := h.client.ListCrawls(t.Context(), &pb.Local{})
		h.must(err)
		return l.Values
	}
	h.wantURLs(crawls())
	h.stored(discovered("http://urlfrontier.net/", "", "BESPOKE"),
		discovered("http://urlfrontier.net/", "", ""))
	if acks := h.put(discovered("http://urlfrontier.net/", "",
		"DEFAULT")); acks[0].Status != pb.AckMessage_SKIPPED {
		t.Fatalf("%v", acks)
	}
	h.wantURLs(crawls(), "BESPOKE", "DEFAULT")
	for name, want := range map[string]string{"": "DEFAULT", "BESPOKE": "BESPOKE"} {
		if s := h.stats(name, ""); s.Size != 1 || s.CrawlID != want || s.NumberOfQueues != 1 {
			t.Fatalf("%v", s)
		}
	}
	if infos := h.infos(of("BESPOKE", &pb.GetParams{})); len(infos) != 1 ||
		infos[0].CrawlID != "BESPOKE" || infos[0].Key != "urlfrontier.net" {
		t.Fatalf("%v", infos)
	}
	any := h.infos(&pb.GetParams{Item: &pb.GetParams_AnyCrawlID{AnyCrawlID: &pb.AnyCrawlID{}}})
	if len(any) != 1 || any[0].CrawlID != "DEFAULT" {
		t.Fatalf("%v", any)
	}
	deleted, err := h.client.DeleteCrawl(t.Context(), &pb.DeleteCrawlMessage{Value: "BESPOKE"})
	h.must(err)
	if s := h.stats("BESPOKE", ""); deleted.Value != 1 || s.Size != 0 || s.NumberOfQueues != 0 ||
		s.CrawlID != "BESPOKE" {
		t.Fatalf("deleted %d, %v", deleted.Value, s)
	}
	h.restart()
	h.wantURLs(crawls(), "DEFAULT")
	deleted, err = h.client.DeleteCrawl(t.Context(), &pb.DeleteCrawlMessage{})
	h.must(err)
	if len(crawls()) != 0 || deleted.Value != 1 {
		t.Fatalf("deleted %d, left %q", deleted.Value, crawls())
	}
}

// PutDiscovered returns a status for each URL in the order of the batch. An empty batch is a probe.
func TestPutDiscovered(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	batch := func(id string, urls ...string) []pb.AckMessage_Status {
		b := &pb.DiscoveredBatch{ID: id}
		for _, u := range urls {
			b.Items = append(b.Items, &pb.URLInfo{Url: u})
		}
		stream, err := h.client.PutDiscovered(t.Context())
		h.must(err)
		h.must(stream.Send(b))
		ack, err := stream.Recv() // before the stream is closed
		h.must(err)
		h.must(stream.CloseSend())
		if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last: %v", err)
		}
		if ack.ID != id {
			t.Fatalf("acknowledged %q, want %q", ack.ID, id)
		}
		return ack.Statuses
	}
	const ok, skipped = pb.AckMessage_OK, pb.AckMessage_SKIPPED
	for _, c := range []struct {
		urls []string
		want []pb.AckMessage_Status
	}{
		{nil, nil},
		{[]string{"http://a.com/1", "http://b.com/1", "http://a.com/2"},
			[]pb.AckMessage_Status{ok, ok, ok}},
		{[]string{"http://a.com/3", "http://a.com/3", "http://a.com/1"},
			[]pb.AckMessage_Status{ok, skipped, skipped}},
		{[]string{"", "http://a.com/4"}, []pb.AckMessage_Status{skipped, ok}},
	} {
		if got := batch("b1", c.urls...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.urls, got, c.want)
		}
	}
	if s := h.stats("", ""); s.Size != 5 || s.NumberOfQueues != 2 {
		t.Fatalf("%v", s)
	}
}

// GetURLs takes at most max_queues queues in rotation, and at most max_urls_per_queue URLs of each.
func TestGetURLsRotation(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for q := range 5 {
		for p := range 4 {
			h.stored(discovered(fmt.Sprintf("http://q%d/%d", q, p), "", ""))
		}
	}
	h.must2(h.client.SetDelay(t.Context(), &pb.QueueDelayParams{}))
	request := &pb.GetParams{MaxQueues: 2, MaxUrlsPerQueue: 2, DelayRequestable: 60}
	h.wantURLs(h.get(request), "http://q0/0", "http://q0/1", "http://q1/0", "http://q1/1")
	h.wantURLs(h.get(request), "http://q2/0", "http://q2/1", "http://q3/0", "http://q3/1")
	h.wantURLs(h.get(request), "http://q4/0", "http://q4/1") // of all others two are in transit
	h.stored(known("http://q3/1", "", "", time.Time{}))
	request.MaxUrlsPerQueue = 3
	h.wantURLs(h.get(request), "http://q4/2", "http://q4/3", "http://q0/2", "http://q0/3")
	if got := h.get(&pb.GetParams{}); len(got) != 6 { // no limit
		t.Fatalf("%q", got)
	}
	h.wantURLs(h.get(&pb.GetParams{}))
}

func (h *host) must2(_ proto.Message, err error) {
	h.t.Helper()
	h.must(err)
}

// Of SetDelay: "No URLs will be obtained via GetURLs for this queue until the number of seconds
// specified has elapsed since the last time URLs were retrieved". An empty key sets the default.
func TestSetDelay(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for p := range 9 {
		h.stored(discovered(fmt.Sprintf("http://slow/%d", p), "", ""),
			discovered(fmt.Sprintf("http://usual/%d", p), "", ""))
		h.pass(time.Second) // after a restart, URLs of the same second come in any order
	}
	h.must2(h.client.SetDelay(t.Context(), &pb.QueueDelayParams{Key: "slow", DelayRequestable: 10}))
	// The server ignores it.
	h.must2(h.client.SetDelay(t.Context(), &pb.QueueDelayParams{Key: "none", DelayRequestable: 10}))
	one := &pb.GetParams{MaxUrlsPerQueue: 1, DelayRequestable: 1}
	// The default delay is a second, as in the reference implementation.
	h.wantURLs(h.get(one), "http://slow/0", "http://usual/0")
	h.pass(999 * time.Millisecond)
	h.wantURLs(h.get(one))
	h.restart() // during the delays
	h.pass(time.Millisecond)
	h.wantURLs(h.get(one), "http://usual/0")
	h.must2(h.client.SetDelay(t.Context(), &pb.QueueDelayParams{DelayRequestable: 5}))
	h.restart()
	h.pass(4999 * time.Millisecond)
	h.wantURLs(h.get(of("", &pb.GetParams{Key: "usual"})))
	h.pass(time.Millisecond)
	h.wantURLs(h.get(of("", &pb.GetParams{Key: "usual", MaxUrlsPerQueue: 1})), "http://usual/0")
	h.pass(3999 * time.Millisecond) // 9.999 s since the last URL of slow
	h.wantURLs(h.get(one))
	h.pass(time.Millisecond)
	h.wantURLs(h.get(one), "http://slow/0")
	if s := h.stats("", "none"); s.NumberOfQueues != 0 {
		t.Fatalf("%v", s)
	}
}

// A call that gets no URL starts no delay.
func TestNothingGivenDoesNotDelay(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stored(known("http://a/1", "", "", h.now().Add(10*time.Second)))
	h.must2(h.client.SetDelay(t.Context(), &pb.QueueDelayParams{Key: "a", DelayRequestable: 60}))
	h.pass(9 * time.Second)
	h.wantURLs(h.get(of("", &pb.GetParams{Key: "a"})))
	h.pass(time.Second)
	h.wantURLs(h.get(of("", &pb.GetParams{Key: "a"})), "http://a/1")
}

// Of BlockQueueUntil: "0 will unblock the queue. The block will get removed once the time is reached".
func TestBlockQueueUntil(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stored(discovered("http://a/1", "", ""), discovered("http://a/2", "", "other"))
	block := func(until time.Time) {
		r := &pb.BlockQueueParams{Key: "a"}
		if !until.IsZero() {
			r.Time = uint64(until.Unix())
		}
		h.must2(h.client.BlockQueueUntil(t.Context(), r))
	}
	block(h.now().Add(100 * time.Second))
	h.restart()
	h.wantURLs(h.get(&pb.GetParams{}), "http://a/2") // of another crawl
	h.wantURLs(h.get(of("", &pb.GetParams{Key: "a"})))
	if l, err := h.client.ListQueues(t.Context(), &pb.Pagination{}); err != nil ||
		len(l.Values) != 0 || l.CrawlID != "DEFAULT" {
		t.Fatalf("%v, %v", l, err)
	}
	if l, err := h.client.ListQueues(t.Context(),
		&pb.Pagination{IncludeInactive: true}); err != nil ||
		!slices.Equal(l.Values, []string{"a"}) {
		t.Fatalf("%v, %v", l, err)
	}
	h.pass(100 * time.Second)
	h.wantURLs(h.get(of("", &pb.GetParams{})))
	h.pass(time.Second)
	h.wantURLs(h.get(of("", &pb.GetParams{})), "http://a/1")
	h.pass(time.Minute)
	block(h.now().Add(time.Hour))
	h.wantURLs(h.get(of("", &pb.GetParams{})))
	block(time.Time{})
	h.wantURLs(h.get(of("", &pb.GetParams{})), "http://a/1")
	block(time.Unix(1<<62, 0)) // must not overflow
	h.pass(time.Hour)
	h.wantURLs(h.get(of("", &pb.GetParams{})))
}

// SetCrawlLimit closes a queue once it has that number of completed URLs. 0 removes the limit.
func TestSetCrawlLimit(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for p := range 5 {
		h.stored(discovered(fmt.Sprintf("http://a/%d", p), "", ""))
		h.pass(time.Second)
	}
	limit := func(n uint32) {
		h.must2(h.client.SetCrawlLimit(t.Context(), &pb.CrawlLimitParams{Key: "a", Limit: n}))
	}
	limit(2)
	for p := range 2 {
		url := fmt.Sprintf("http://a/%d", p)
		h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}), url)
		h.stored(known(url, "", "", time.Time{}))
		h.pass(time.Second)
	}
	h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}))
	h.restart()
	h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}))
	limit(3)
	h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}), "http://a/2")
	h.stored(known("http://a/2", "", "", time.Time{}))
	h.pass(time.Second)
	h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}))
	limit(0)
	h.wantURLs(h.get(&pb.GetParams{MaxUrlsPerQueue: 1}), "http://a/3")
}

// Of SetActive: "GetURLs will not return anything until SetActive is set to true. PutURLs will
// still take incoming data".
func TestSetActive(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	active := func() bool {
		b, err := h.client.GetActive(t.Context(), &pb.Local{})
		h.must(err)
		return b.State
	}
	if !active() {
		t.Fatal("not active at first")
	}
	h.must2(h.client.SetActive(t.Context(), &pb.Active{State: false}))
	h.stored(discovered("http://a/1", "", ""))
	h.restart()
	if active() {
		t.Fatal("active again after a restart")
	}
	h.wantURLs(h.get(&pb.GetParams{}))
	h.must2(h.client.SetActive(t.Context(), &pb.Active{State: true}))
	h.wantURLs(h.get(&pb.GetParams{}), "http://a/1")
}

// ListQueues lists 100 active queues from offset 0. DeleteQueue and PurgeURLs return counts.
func TestListQueuesDeletePurge(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for q := range 120 {
		h.stored(discovered(fmt.Sprintf("http://q%03d/1", q), "", ""))
	}
	h.stored(known("http://q007/1", "", "", time.Time{}))
	list := func(r *pb.Pagination) *pb.QueueList {
		l, err := h.client.ListQueues(t.Context(), r)
		h.must(err)
		return l
	}
	if l := list(&pb.Pagination{}); len(l.Values) != 100 || l.Size != 100 || l.Total != 119 ||
		slices.Contains(l.Values, "q007") {
		t.Fatalf("%v", l)
	}
	if l := list(&pb.Pagination{Start: 110, Size: 5, IncludeInactive: true}); l.Start != 110 ||
		l.Total != 120 ||
		!slices.Equal(l.Values, []string{"q110", "q111", "q112", "q113", "q114"}) {
		t.Fatalf("%v", l)
	}
	remove := func(key string) uint64 {
		n, err := h.client.DeleteQueue(t.Context(), &pb.QueueWithinCrawlParams{Key: key})
		h.must(err)
		return n.Value
	}
	if remove("q000") != 1 || remove("q000") != 0 || remove("") != 0 ||
		h.stats("", "").NumberOfQueues != 119 {
		t.Fatalf("%v", h.stats("", ""))
	}
	h.pass(48 * time.Hour)
	h.stored(discovered("http://q001/2", "", ""), known("http://q002/1", "", "", h.now()))
	purge := func(key string, days uint32) uint64 {
		n, err := h.client.PurgeURLs(t.Context(), &pb.PurgeUrlParams{Key: key, Days: days})
		h.must(err)
		return n.Value
	}
	if n := purge("", 3); n != 0 {
		t.Fatalf("purged %d", n)
	}
	if n := purge("", 1<<31); n != 0 {
		t.Fatalf("purged %d", n)
	}
	if n := purge("q003", 1); n != 1 {
		t.Fatalf("purged %d", n)
	}
	// By creation date: the URL of q002 is older than its known item.
	if n := purge("", 1); n != 118 {
		t.Fatalf("purged %d", n)
	}
	h.restart()
	h.wantURLs(h.get(&pb.GetParams{}), "http://q001/2")
	if s := h.stats("", ""); s.NumberOfQueues != 1 || s.Size != 1 {
		t.Fatalf("%v", s)
	}
}

// GetURLStatus, ListURLs and CountURLs read without scheduling. A client can put listed items back
// (DumpURLsTest of the reference implementation).
func TestLookAndRoundTrip(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	later := h.now().Add(time.Hour).Truncate(time.Second)
	first := discovered("http://example.com/discovered", "example.com", "")
	first.GetDiscovered().Info.Metadata = map[string]*pb.StringList{
		"source": {Values: []string{"seed", "é"}}, "empty": {}}
	h.stored(first, known("http://example.com/done", "example.com", "", time.Time{}),
		known("http://example.com/Later", "example.com", "", later),
		discovered("http://bespoke.com/", "bespoke.com", "BESPOKE"))
	list := func(r *pb.ListUrlParams) (all []*pb.URLItem) {
		stream, err := h.client.ListURLs(t.Context(), r)
		h.must(err)
		for {
			it, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return all
			}
			h.must(err)
			all = append(all, it)
		}
	}
	created := uint64(h.now().Unix())
	h.pass(time.Minute)
	h.restart()
	dump := append(list(&pb.ListUrlParams{}), list(&pb.ListUrlParams{CrawlID: "BESPOKE"})...)
	if len(dump) != 4 || len(list(&pb.ListUrlParams{Start: 1, Size: 1})) != 1 ||
		len(list(&pb.ListUrlParams{Key: "none"})) != 0 {
		t.Fatalf("%v", dump)
	}
	for _, it := range dump {
		if it.GetKnown() == nil || it.CreationDate != created {
			t.Fatalf("%v", it)
		}
	}
	for _, crawl := range []string{"", "BESPOKE"} {
		h.must2(h.client.DeleteCrawl(t.Context(), &pb.DeleteCrawlMessage{Value: crawl}))
	}
	h.stored(dump...)
	look := func(url, key, crawl string) *pb.URLItem {
		it, err := h.client.GetURLStatus(t.Context(),
			&pb.URLStatusRequest{Url: url, Key: key, CrawlID: crawl})
		h.must(err)
		return it
	}
	if it := look("http://example.com/done", "example.com",
		"DEFAULT"); it.GetKnown().RefetchableFromDate != 0 {
		t.Fatalf("%v", it)
	}
	if it := look("http://example.com/Later", "",
		""); it.GetKnown().RefetchableFromDate != uint64(later.Unix()) {
		t.Fatalf("%v", it)
	}
	it := look("http://example.com/discovered", "example.com", "")
	if !proto.Equal(it.GetKnown().Info, &pb.URLInfo{
		Url: "http://example.com/discovered", Key: "example.com", CrawlID: "DEFAULT",
		Metadata: first.GetDiscovered().Info.Metadata,
	}) || it.CreationDate != created+60 {
		t.Fatalf("%v", it)
	}
	count := func(r *pb.CountUrlParams) uint64 {
		n, err := h.client.CountURLs(t.Context(), r)
		h.must(err)
		return n.Value
	}
	yes := true
	for want, r := range map[uint64]*pb.CountUrlParams{
		3: {}, 1: {CrawlID: "BESPOKE"}, 0: {Filter: proto.String("later")},
		2: {Filter: proto.String("D"), IgnoreCase: &yes},
	} {
		if n := count(r); n != want {
			t.Errorf("%v: %d, want %d", r, n, want)
		}
	}
	_, err := h.client.GetURLStatus(t.Context(),
		&pb.URLStatusRequest{Url: "http://example.com/unknown"})
	if status.Code(err) != codes.NotFound {
		t.Fatalf("%v", err)
	}
	// The calls above took no URL.
	if got := h.get(&pb.GetParams{}); len(got) != 2 {
		t.Fatalf("%q", got)
	}
}

// ListNodes and SetLogLevel answer. A caller that leaves during a stream does not disturb others.
func TestNodesLevelsAndQuitters(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	nodes, err := h.client.ListNodes(t.Context(), &pb.Empty{})
	h.must(err)
	h.wantURLs(nodes.Values, h.server.Address())
	h.must2(h.client.SetLogLevel(t.Context(),
		&pb.LogLevelParams{Package: "x", Level: pb.LogLevelParams_ERROR}))
	if _, err := h.client.SetLogLevel(t.Context(),
		&pb.LogLevelParams{Level: 77}); status.Code(err) != codes.InvalidArgument {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := h.client.PutURLs(ctx)
	h.must(err)
	for i := range 500 {
		h.must(stream.Send(discovered(fmt.Sprintf("http://a/%d", i), "", "")))
	}
	acked, err := stream.Recv()
	h.must(err)
	cancel()
	if _, err := h.client.GetURLStatus(t.Context(),
		&pb.URLStatusRequest{Url: acked.ID}); err != nil {
		t.Fatal(err)
	}
	if got := h.get(&pb.GetParams{}); len(got) == 0 {
		t.Fatal("nothing is left")
	}
}

package urlfrontier_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	"github.com/recrawl/recrawl/cmd/cluster/urlfrontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
	"github.com/recrawl/recrawl/satstore"
)

// host is a real server with a real store in a directory, and a clock that the test moves.
type host struct {
	t      *testing.T
	dir    string
	clock  atomic.Int64 // milliseconds since 1970
	client pb.URLFrontierClient
	conn   *grpc.ClientConn
	server *urlfrontier.Server
	stop   func()
}

// newHost starts a server, with its clock at noon of a day in 2026.
func newHost(t *testing.T) *host {
	h := &host{t: t, dir: t.TempDir()}
	h.clock.Store(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	h.start(urlfrontier.Options{})
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *host) now() time.Time { return time.UnixMilli(h.clock.Load()) }

func (h *host) pass(d time.Duration) { h.clock.Add(d.Milliseconds()) }

func (h *host) start(o urlfrontier.Options, dial ...grpc.DialOption) {
	h.t.Helper()
	store, err := satstore.OpenQueues(h.dir, nil)
	h.must(err)
	ranking, err := frontier.NewPolicyJudge("sites")
	h.must(err)
	f, err := frontier.Open(store, frontier.Options{Seed: [16]byte{7}, Judge: ranking}, h.now())
	h.must(err)
	o.Listen, o.Web = "127.0.0.1:0", "127.0.0.1:0"
	o.Now, o.Level = h.now, new(slog.LevelVar)
	o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	o.Failed, o.Err = store.Failed(), store.Err
	h.server, err = urlfrontier.Listen(f, o)
	h.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.server.Serve(ctx) }()
	if len(dial) == 0 {
		dial = append(dial, grpc.WithTransportCredentials(insecure.NewCredentials()))
	}
	h.conn, err = grpc.NewClient(h.server.Address(), dial...)
	h.must(err)
	h.client = pb.NewURLFrontierClient(h.conn)
	h.stop = func() {
		h.t.Helper()
		h.conn.Close()
		cancel()
		h.must(<-ended)
		h.must(store.Close())
		h.stop = func() {}
	}
}

func (h *host) restart() {
	h.t.Helper()
	h.stop()
	h.start(urlfrontier.Options{})
}

func (h *host) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func discovered(url, key, crawl string) *pb.URLItem {
	return &pb.URLItem{Item: &pb.URLItem_Discovered{Discovered: &pb.DiscoveredURLItem{
		Info: &pb.URLInfo{Url: url, Key: key, CrawlID: crawl},
	}}}
}

// known returns an item that may be fetched again at a given time; the zero time: never.
func known(url, key, crawl string, again time.Time) *pb.URLItem {
	k := &pb.KnownURLItem{Info: &pb.URLInfo{Url: url, Key: key, CrawlID: crawl}}
	if !again.IsZero() {
		k.RefetchableFromDate = uint64(again.Unix())
	}
	return &pb.URLItem{Item: &pb.URLItem_Known{Known: k}}
}

// put sends items in one stream and returns their acknowledgements.
func (h *host) put(items ...*pb.URLItem) []*pb.AckMessage {
	h.t.Helper()
	stream, err := h.client.PutURLs(h.t.Context())
	h.must(err)
	for _, it := range items {
		h.must(stream.Send(it))
	}
	h.must(stream.CloseSend())
	var acks []*pb.AckMessage
	for {
		ack, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return acks
		}
		h.must(err)
		acks = append(acks, ack)
	}
}

// stored sends items, and fails the test unless the server stores all of them.
func (h *host) stored(items ...*pb.URLItem) {
	h.t.Helper()
	acks := h.put(items...)
	if len(acks) != len(items) {
		h.t.Fatalf("%d acknowledgements of %d items", len(acks), len(items))
	}
	for i, a := range acks {
		if a.Status != pb.AckMessage_OK {
			h.t.Fatalf("item %d, %s: %s", i, a.ID, a.Status)
		}
	}
}

// get asks for URLs and returns them in the order of the stream.
func (h *host) get(r *pb.GetParams) []string {
	h.t.Helper()
	var urls []string
	for _, info := range h.infos(r) {
		urls = append(urls, info.Url)
	}
	return urls
}

func (h *host) infos(r *pb.GetParams) []*pb.URLInfo {
	h.t.Helper()
	stream, err := h.client.GetURLs(h.t.Context(), r)
	h.must(err)
	var infos []*pb.URLInfo
	for {
		info, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return infos
		}
		h.must(err)
		infos = append(infos, info)
	}
}

func (h *host) stats(crawl, key string) *pb.Stats {
	h.t.Helper()
	s, err := h.client.GetStats(h.t.Context(), &pb.QueueWithinCrawlParams{CrawlID: crawl, Key: key})
	h.must(err)
	return s
}

// of restricts a request to one crawl.
func of(crawl string, r *pb.GetParams) *pb.GetParams {
	r.Item = &pb.GetParams_CrawlID{CrawlID: crawl}
	return r
}

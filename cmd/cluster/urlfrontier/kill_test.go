package urlfrontier_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// TestKill kills the server while two streams put URLs and one caller gets them. Afterwards the
// server has every acknowledged URL, gives none again during its lease, and keeps delays, blocks
// and limits.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	p := startProcess(t, dir)
	call := func(_ any, err error) { t.Helper(); must(err) }
	put := func(items ...*pb.URLItem) {
		t.Helper()
		stream, err := p.client.PutURLs(ctx)
		must(err)
		for _, it := range items {
			must(stream.Send(it))
		}
		must(stream.CloseSend())
		for range items {
			_, err := stream.Recv()
			must(err)
		}
	}
	put(discovered("http://blocked/1", "", ""), discovered("http://full/1", "", ""),
		known("http://full/2", "", "", time.Time{}),
		discovered("http://slow/1", "", ""), discovered("http://slow/2", "", ""))
	call(p.client.BlockQueueUntil(ctx,
		&pb.BlockQueueParams{Key: "blocked", Time: uint64(time.Now().Add(time.Hour).Unix())}))
	call(p.client.SetCrawlLimit(ctx, &pb.CrawlLimitParams{Key: "full", Limit: 1}))
	call(p.client.SetDelay(ctx, &pb.QueueDelayParams{Key: "slow", DelayRequestable: 3600}))
	call(p.client.SetDelay(ctx, &pb.QueueDelayParams{}))
	get := func(r *pb.GetParams, see func(url string)) error {
		stream, err := p.client.GetURLs(ctx, r)
		if err != nil {
			return err
		}
		for {
			info, err := stream.Recv()
			if err != nil {
				return err
			}
			see(info.Url)
		}
	}
	slow := 0
	get(of("", &pb.GetParams{Key: "slow", MaxUrlsPerQueue: 1, DelayRequestable: 1}), func(string) {
		slow++
	})
	if slow != 1 {
		t.Fatalf("slow gave %d", slow)
	}
	given, acked := map[string]bool{}, map[string]bool{}
	for round := range 2 {
		var mu sync.Mutex
		var streams sync.WaitGroup
		enough, want := make(chan bool), len(acked)+3000 // more come before the kill
		for s := range 2 {
			stream, err := p.client.PutURLs(ctx)
			must(err)
			go func() {
				for i := 0; stream.Send(discovered(fmt.Sprintf("http://h%d/%d/%d/%d",
					i%50, round, s, i), "", "")) == nil; i++ {
				}
			}()
			streams.Go(func() {
				for {
					ack, err := stream.Recv()
					if err != nil {
						return
					}
					mu.Lock()
					if acked[ack.ID] = true; len(acked) == want {
						want = -1
						close(enough)
					}
					mu.Unlock()
				}
			})
		}
		streams.Go(func() {
			ended := false
			for !ended {
				n := 0
				err := get(&pb.GetParams{MaxQueues: 10, MaxUrlsPerQueue: 3, DelayRequestable: 3600},
					func(url string) {
						n++
						mu.Lock()
						defer mu.Unlock()
						if given[url] {
							t.Errorf("%s was given twice", url)
						}
						given[url] = true
					})
				ended = n == 0 && err.Error() != "EOF"
				time.Sleep(time.Millisecond)
			}
		})
		<-enough
		p.kill()
		streams.Wait()
		p = startProcess(t, dir)
		for url := range acked {
			if _, err := p.client.GetURLStatus(ctx, &pb.URLStatusRequest{Url: url}); err != nil {
				t.Fatalf("%s was acknowledged: %v", url, err)
			}
		}
		get(&pb.GetParams{DelayRequestable: 3600}, func(url string) {
			switch {
			case given[url]:
				t.Errorf("%s was given again", url)
			case url == "http://blocked/1" || url == "http://full/1" || url == "http://slow/1" ||
				url == "http://slow/2":
				t.Errorf("%s must not be given", url)
			}
			given[url] = true
		})
	}
	if len(given) < 3000 {
		t.Fatalf("only %d were given", len(given))
	}
	p.kill()
}

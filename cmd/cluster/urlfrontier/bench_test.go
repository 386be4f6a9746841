package urlfrontier_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// BenchmarkFrontier measures a client on the same machine. It puts FRONTIER_BENCH_URLS URLs of
// 10,000 queues one by one, then the same number in batches of 50. It gets them from 100 queues a
// call, ten from each, and reports an outcome of each.
//
//	go test ./cmd/cluster/urlfrontier -run '^$' -bench Frontier -benchtime 1x
func BenchmarkFrontier(b *testing.B) {
	n := 100_000
	if s := os.Getenv("FRONTIER_BENCH_URLS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for b.Loop() {
		p := startProcess(b, b.TempDir())
		measure := func(what string, done int, work func()) {
			start, ticks := time.Now(), p.processor(b)
			work()
			b.ReportMetric(float64(done)/time.Since(start).Seconds(), what+"/s")
			b.ReportMetric(float64(p.processor(b)-ticks)*1e6/float64(done), what+"-cpu-µs")
		}
		before := p.memory(b)
		measure("PutURLs", n, func() { putURLs(b, p, n) })
		measure("PutDiscovered", n, func() { putDiscovered(b, p, n) })
		b.ReportMetric(float64(p.memory(b)-before)/float64(2*n), "bytes/URL")
		calls := 0
		measure("GetURLs+ack", n/2, func() { calls = getAll(b, p, n/2) })
		b.ReportMetric(float64(calls), "calls")
		b.ReportMetric(float64(p.memory(b)-before)/float64(2*n), "bytes/URL-after")
		p.kill()
	}
}

func benchURL(i int) (url, key string) {
	key = fmt.Sprintf("host%d.example.com", i%10_000)
	return fmt.Sprintf("http://%s/some/path/page-%d.html", key, i), key
}

func putURLs(b *testing.B, p *process, n int) {
	stream, err := p.client.PutURLs(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for i := range n {
			if stream.Send(discovered2(benchURL(i))) != nil {
				break
			}
		}
		stream.CloseSend()
	}()
	drain(b, n, func() (int, error) { _, err := stream.Recv(); return 1, err })
}

func discovered2(url, key string) *pb.URLItem { return discovered(url, key, "") }

func putDiscovered(b *testing.B, p *process, n int) {
	const size = 50
	stream, err := p.client.PutDiscovered(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	go func() {
		for i := n; i < 2*n; i += size {
			batch := &pb.DiscoveredBatch{ID: "b"}
			for k := i; k < i+size; k++ {
				url, key := benchURL(k)
				batch.Items = append(batch.Items, &pb.URLInfo{Url: url, Key: key})
			}
			if stream.Send(batch) != nil {
				break
			}
		}
		stream.CloseSend()
	}()
	drain(b, n, func() (int, error) {
		ack, err := stream.Recv()
		return len(ack.GetStatuses()), err
	})
}

func drain(b *testing.B, want int, recv func() (int, error)) {
	b.Helper()
	for got := 0; ; {
		n, err := recv()
		switch {
		case errors.Is(err, io.EOF):
			if got != want {
				b.Fatalf("%d acknowledged of %d", got, want)
			}
			return
		case err != nil:
			b.Fatal(err)
		}
		got += n
	}
}

// getAll gets n URLs, reports their outcomes, and returns the number of calls.
func getAll(b *testing.B, p *process, n int) (calls int) {
	ctx := context.Background()
	if _, err := p.client.SetDelay(ctx, &pb.QueueDelayParams{}); err != nil {
		b.Fatal(err)
	}
	acks, err := p.client.PutURLs(ctx)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan bool)
	sent := 0
	go func() {
		defer close(done)
		for {
			if _, err := acks.Recv(); err != nil {
				return
			}
		}
	}()
	for sent < n {
		stream, err := p.client.GetURLs(ctx, &pb.GetParams{MaxQueues: 100, MaxUrlsPerQueue: 10,
			DelayRequestable: 600})
		if err != nil {
			b.Fatal(err)
		}
		calls++
		for {
			info, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			sent++
			if err := acks.Send(known(info.Url, info.Key, "", time.Time{})); err != nil {
				b.Fatal(err)
			}
		}
	}
	acks.CloseSend()
	<-done
	return calls
}

// processor returns the processor time of the server, in seconds.
func (p *process) processor(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return float64(user+system) / 100
}

// memory returns the resident memory of the server, in bytes.
func (p *process) memory(b *testing.B) int64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		b.Skip(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return int64(pages) * int64(os.Getpagesize())
}

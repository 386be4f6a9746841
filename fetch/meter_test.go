package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// meteredRelay passes connections on to a server and counts the octets for the visitor. With its
// tiny send buffer that is what crossed the network.
func meteredRelay(t *testing.T, to string) (address string, passed *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	passed = new(atomic.Int64)
	go func() {
		for {
			visitor, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer visitor.Close()
				visitor.(*net.TCPConn).SetWriteBuffer(1)
				server, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				go io.Copy(server, visitor)
				for buffer := make([]byte, 512); ; {
					n, err := server.Read(buffer)
					if err != nil {
						return
					}
					n, err = visitor.Write(buffer[:n])
					passed.Add(int64(n))
					if err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), passed
}

// TestMeter checks that a visit counts what crossed the network, also if its body is unwanted or
// too long, and never exceeds its limit.
func TestMeter(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what the system received and nobody read is counted on Linux only")
	}
	const large = 8 << 20
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			return
		}
		size, kind := large, "text/html"
		switch r.URL.Path {
		case "/small":
			size = 5000
		case "/video":
			kind = "video/mp4"
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		}
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, strings.Repeat("x", size))
	}))
	defer web.Close()
	address, passed := meteredRelay(t, web.Listener.Addr().String())
	const mostBody = 1_000_000
	client, err := NewMeteredClient(Options{UserAgent: "test/1.0 (+http://crawler.example/)",
		Interval: NoInterval, MaxBody: mostBody, AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path     string
		most     int64
		outcome  sitegraph.Outcome
		low, top int64 // range of the counted octets
	}{
		{"/small", 0, sitegraph.OutcomeFetched, 5000, 7000},
		{"/small", 20_000, sitegraph.OutcomeFetched, 5000, 7000},
		{"/large", 100_000, sitegraph.OutcomeFailed, 100_000, 100_000},
		{"/large", 3_000, sitegraph.OutcomeFailed, 3_000, 3_000},
		{"/large", 4_000_000, sitegraph.OutcomeFetched, mostBody, mostBody + 128<<10},
		{"/video", 4_000_000, sitegraph.OutcomeExcluded, mostBody, mostBody + 128<<10},
		{"/gone", 4_000_000, sitegraph.OutcomeGone, 1, 128 << 10},
	} {
		t.Run(fmt.Sprint(test.path, "/", test.most), func(t *testing.T) {
			before := passed.Load()
			o, _, err := client.Try(t.Context(),
				&sitegraph.Record{URL: "http://" + address + test.path}, test.most)
			if err != nil {
				t.Fatal(err)
			}
			if test.outcome == sitegraph.OutcomeFailed && o.Trouble != sitegraph.TroubleUnknown {
				t.Errorf("trouble of the server: %v; it was cut by us", o.Trouble)
			}
			time.Sleep(20 * time.Millisecond) // more octets may come
			got := passed.Load() - before
			t.Logf("%v, %d read, %d passed", o.Outcome, o.Transferred, got)
			if o.Outcome != test.outcome || o.Transferred < test.low || o.Transferred > test.top {
				t.Errorf("%v, %d bytes; want %v, %d to %d", o.Outcome, o.Transferred, test.outcome,
					test.low, test.top)
			}
			// inSockets is the send buffer of the relay, at least 4.5 KB, and what the system
			// rounds up.
			const inSockets = 16 << 10
			if test.most > 0 && got > test.most+inSockets {
				t.Errorf("%d bytes passed of at most %d", got, test.most)
			}
			if got < o.Transferred && o.Transferred != test.most || test.most > 0 &&
				got > o.Transferred+inSockets+(64<<10) {
				t.Errorf("%d bytes are said to be read, %d passed", o.Transferred, got)
			}
		})
	}
}

// TestMeterOfVisitGivenUp checks that a visit given up in the middle ends at once and counts what
// it has read.
func TestMeterOfVisitGivenUp(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, strings.Repeat("x", 3000))
		if r.URL.Path != "/robots.txt" {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
	}))
	defer web.Close()
	client, err := NewMeteredClient(Options{UserAgent: "test/1.0 (+http://crawler.example/)",
		Interval: NoInterval, AllowPrivate: true, Timeout: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	o, _, err := client.Try(ctx, &sitegraph.Record{URL: web.URL + "/"}, 1<<20)
	if err == nil || o.Transferred < 6000 {
		t.Errorf("%v, %d bytes", err, o.Transferred)
	}
}

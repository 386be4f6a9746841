package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/nodes"
)

// free returns an address of loopback where nobody listens.
func free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// cluster starts n nodes with a server each.
func cluster(t testing.TB, n int) []*Bus {
	t.Helper()
	var routes []string
	if n > 1 {
		for range n {
			routes = append(routes, free(t))
		}
	}
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-of-a-test-of-nodes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := make([]*Bus, n)
	var wait sync.WaitGroup
	for i := range n {
		s := Settings{Cluster: "test", Listen: "127.0.0.1:0", Routes: routes, TokenFile: token}
		if n > 1 {
			s.RouteAt = routes[i]
		}
		wait.Go(func() {
			var err error
			if all[i], err = Open(t.Context(), s, fmt.Sprintf("n%d", i), t.TempDir(),
				func(error) {}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	t.Cleanup(func() {
		for _, b := range all {
			if b != nil {
				b.Close()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// kept checks the promises of nodes.KV.
func kept(t *testing.T, a, b nodes.KV) {
	t.Helper()
	ctx := t.Context()
	if _, ok, err := a.Get(ctx, "x.1"); ok || err != nil {
		t.Fatalf("before it is set: %v, %v", ok, err)
	}
	one, err := a.Set(ctx, "x.1", []byte("one"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Set(ctx, "x.1", []byte("two"), 0); !errors.Is(err, nodes.ErrConflict) {
		t.Errorf("made twice: %v", err)
	}
	two, err := b.Set(ctx, "x.1", []byte("two"), one)
	if err != nil || two <= one {
		t.Fatalf("replaced: %d after %d, %v", two, one, err)
	}
	if _, err := a.Set(ctx, "x.1", []byte("three"), one); !errors.Is(err, nodes.ErrConflict) {
		t.Errorf("replaced with an old revision: %v", err)
	}
	if err := a.Remove(ctx, "x.1", one); !errors.Is(err, nodes.ErrConflict) {
		t.Errorf("removed with an old revision: %v", err)
	}
	if err := a.Remove(ctx, "x.1", two); err != nil {
		t.Errorf("not removed: %v", err)
	}
	if _, err := b.Set(ctx, "x.1", []byte("four"), two); !errors.Is(err, nodes.ErrConflict) {
		t.Errorf("replaced after it was removed: %v", err)
	}
	if _, err := b.Set(ctx, "x.1", []byte("five"), 0); err != nil {
		t.Errorf("made anew: %v", err)
	}
}

// atOnce adds to a number by simultaneous writes of an entry. Each write takes effect or meets
// another one.
func atOnce(t *testing.T, all []*Bus) {
	const times = 20
	var wait sync.WaitGroup
	for _, b := range all {
		wait.Go(func() {
			for range times {
				for {
					l, _, err := nodes.Read[int](t.Context(), b.Nodes, "number")
					if err == nil {
						_, err = b.Nodes.Set(t.Context(), "number", nodes.Encode(l.Value+1),
							l.Revision)
					}
					if err == nil {
						break
					} else if !errors.Is(err, nodes.ErrConflict) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	if wait.Wait(); t.Failed() {
		return
	}
	eventually(t, "all were added", func() bool { // the server that answers may be behind
		l, _, err := nodes.Read[int](t.Context(), all[0].Nodes, "number")
		return err == nil && l.Value == times*len(all)
	})
}

// testShards are enough shards for several families.
const testShards = 2 * familyShards

// logged checks the log of a shard, beside another log in its stream.
func logged(t *testing.T, a, b *Bus) {
	t.Helper()
	ctx, l, other := t.Context(), a.Shard(1, testShards), b.Shard(1, testShards)
	eventually(t, "logs and copies have leaders", func() bool {
		for _, n := range []int{1, 2} {
			for _, of := range []*Bus{a, b} {
				if _, err := of.open(ctx, n); err != nil {
					return false
				}
			}
		}
		return true
	})
	var numbers []uint64
	last := uint64(0)
	for i := range 5 {
		if _, ok, err := b.Shard(1+spread(testShards), testShards).Append(ctx, []byte("x"),
			uint64(max(0, 2*i-1))); !ok || err != nil {
			t.Fatalf("another shard's part %d: %v, %v", i, ok, err)
		}
		n, ok, err := l.Append(ctx, fmt.Append(nil, i), last)
		if err != nil || !ok {
			t.Fatalf("part %d: %v, %v", i, ok, err)
		}
		numbers, last = append(numbers, n), n
	}
	if _, ok, err := other.Append(ctx, []byte("late"), numbers[3]); ok || err != nil {
		t.Errorf("after a part that is not the last: %v, %v", ok, err)
	}
	if n, part, err := other.Last(ctx); n != last || string(part) != "4" || err != nil {
		t.Errorf("last: %d %q, %v", n, part, err)
	}
	if n, _, err := other.Last(ctx); n != last || err != nil {
		t.Errorf("last: %d, %v", n, err)
	}
	if err := l.Drop(ctx, numbers[2]); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := other.Read(ctx, numbers[2], func(n uint64, part []byte) error {
		got = append(got, fmt.Sprint(n, string(part)))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint([]string{fmt.Sprint(numbers[3], "3"), fmt.Sprint(last, "4")})
	if fmt.Sprint(got) != want {
		t.Errorf("read %v, want %v", got, want)
	}
	if n, _, err := b.Shard(2, testShards).Last(ctx); n != 0 || err != nil {
		t.Errorf("a log that nobody wrote: %d, %v", n, err)
	}
}

// copied checks the copies of a shard.
func copied(t *testing.T, a, b *Bus) {
	t.Helper()
	ctx := t.Context()
	text := bytes.Repeat([]byte("0123456789"), 150_000) // three pieces
	for i, name := range []string{CopyName(1, 2, 0), CopyName(1, 2, 1), CopyName(1, 3, 0),
		CopyName(1+spread(testShards), 1, 0)} {
		if err := a.Shard(1, testShards).Put(ctx, name, bytes.NewReader(text[i:])); err != nil {
			t.Fatal(err)
		}
	}
	from, err := b.Shard(1, testShards).Get(ctx, CopyName(1, 2, 1))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(from)
	if err := errors.Join(err, from.Close()); err != nil || !bytes.Equal(got, text[1:]) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
	f, err := b.open(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the older one of the shard is removed, and no other", func() bool {
		err := b.Shard(1, testShards).Clear(ctx, 2, CopyName(1, 2, 1))
		list, listed := f.copies.List(ctx)
		var left []string
		for _, o := range list {
			left = append(left, o.Name)
		}
		slices.Sort(left)
		return errors.Join(err, listed) == nil && slices.Equal(left, []string{CopyName(1, 2, 1),
			CopyName(1, 3, 0), CopyName(1+spread(testShards), 1, 0)})
	})
	if err := a.Shard(1, testShards).Put(ctx, CopyName(1, 9, 0),
		bytes.NewReader(make([]byte, ahead+chunkBytes))); err != nil {
		t.Fatal(err)
	}
	torn, end := io.Pipe()
	ended, cut := context.WithCancel(ctx)
	go func() {
		end.Write(text)
		cut()
		end.Close()
	}()
	if err := a.Shard(1, testShards).Put(ended, CopyName(1, 4, 0), torn); err == nil {
		t.Error("a copy was put that was cut off")
	}
	pieces := func() (n uint64) {
		eventually(t, "the pieces are counted", func() bool {
			info, err := f.pieces.Info(ctx)
			if err == nil {
				n = info.State.Msgs
			}
			return err == nil
		})
		return n
	}
	// pieces of three copies and of one that is paced, and their notes
	const whole = 3*(3+1) + 5 + 1
	eventually(t, "pieces are left", func() bool { return pieces() == whole+3 })
	for range 3 {
		eventually(t, "they are seen", func() bool {
			return a.Shard(1, testShards).Sweep(ctx, time.Hour) == nil
		})
		if n := pieces(); n != whole+3 {
			t.Errorf("%d pieces, want %d until they were seen for an hour", n, whole+3)
		}
	}
	eventually(t, "they are gone", func() bool {
		return a.Shard(1, testShards).Sweep(ctx, 0) == nil && pieces() == whole
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 2400 {
		if is() {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("it never happened that %s", what)
}

// TestThree: three servers agree, deliver messages, and go on without one of them.
func TestThree(t *testing.T) {
	t.Parallel()
	all := cluster(t, 3)
	kept(t, all[0].Nodes, all[1].Nodes)
	kept(t, all[1].Addresses, all[2].Addresses)
	t.Run("at once", func(t *testing.T) { atOnce(t, all) })
	logged(t, all[0], all[1])
	copied(t, all[1], all[2])
	eventually(t, "the third one lists the entry", func() bool {
		list, err := all[2].Nodes.List(t.Context(), "x.")
		return err == nil && len(list) == 1 && string(list[0].Value) == "five"
	})
	got := make(chan string, 10)
	stop, err := all[2].Listen(KindHint, 5, func(b []byte, reply func([]byte)) {
		got <- string(b)
		reply([]byte("yes"))
	})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first one is answered by the third", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		answer, err := all[0].Ask(ctx, KindHint, 5, []byte("hello"))
		return err == nil && string(answer) == "yes" && <-got == "hello"
	})
	stop()
	if _, err := all[0].Ask(t.Context(), KindHint, 6, nil); err == nil ||
		!strings.Contains(err.Error(), "no node works on shard 6") {
		t.Errorf("nobody listens: %v", err)
	}
	all[0].Close()
	eventually(t, "two of three write", func() bool {
		e, ok, err := all[1].Nodes.Get(t.Context(), "x.1")
		if err != nil || !ok {
			return false
		}
		_, err = all[2].Nodes.Set(t.Context(), "x.1", []byte("six"), e.Revision)
		return err == nil
	})
	all[2].Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := all[1].Nodes.Set(ctx, "y", nil, 0); err == nil {
		t.Error("one of three writes")
	}
}

// TestOne: one server keeps its data over a restart, and lets nobody in without the token.
func TestOne(t *testing.T) {
	t.Parallel()
	dir, token := t.TempDir(), filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-of-a-test-of-nodes"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Settings{Cluster: "test", Listen: free(t), TokenFile: token}
	b, err := Open(t.Context(), s, "one", dir, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	kept(t, b.Nodes, b.Nodes)
	b.Close()
	if b, err = Open(t.Context(), s, "one", dir, func(error) {}); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if list, err := b.Nodes.List(t.Context(), ""); err != nil || len(list) != 1 ||
		string(list[0].Value) != "five" {
		t.Errorf("after a restart there are %v, %v", list, err)
	}
	look, err := Look(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	look.Close()
	s.TokenFile = ""
	if look, err := Look(t.Context(), s); err == nil {
		look.Close()
		t.Error("let in without the token")
	}
}

func TestSettings(t *testing.T) {
	short := filepath.Join(t.TempDir(), "short")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := Settings{Cluster: "c", Listen: "127.0.0.1:1"}
	if _, err := good.check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Settings){
		"letters":       func(s *Settings) { s.Cluster = "a.b" },
		"without a":     func(s *Settings) { s.Listen = "192.0.2.1:1" },
		"16 to":         func(s *Settings) { s.TokenFile = short },
		"--route-at":    func(s *Settings) { s.Routes = []string{"127.0.0.1:2"} },
		"majority":      func(s *Settings) { s.Replicas = 2 },
		"listen at":     func(s *Settings) { s.Listen = "nowhere" },
		"no such file":  func(s *Settings) { s.TokenFile = short + "er" },
		"this machine ": func(s *Settings) { s.RouteAt = "0.0.0.0:1" },
	} {
		s := good
		change(&s)
		if _, err := s.check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in %v", want, err)
		}
	}
	for n, want := range map[int]int{0: 1, 2: 1, 3: 3, 4: 3, 7: 5} {
		if got := (Settings{Routes: make([]string, n)}).copies(); got != want {
			t.Errorf("%d routes: %d copies", n, got)
		}
	}
}

// A write to each bucket, with one server and with three.
func BenchmarkSet(b *testing.B) {
	for _, n := range []int{1, 3} {
		all := cluster(b, n)
		for name, bucket := range map[string]*Bucket{"nodes": all[0].Nodes,
			"addresses": all[0].Addresses} {
			revision, err := bucket.Set(b.Context(), "x", []byte("x"), 0)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/servers=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if revision, err = bucket.Set(b.Context(), "x", []byte("x"),
						revision); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// A copy of a store put and got, with three servers.
func BenchmarkCopies(b *testing.B) {
	all := cluster(b, 3)
	text := make([]byte, 64<<20)
	for i := range text {
		text[i] = byte(i * 7 >> 3)
	}
	put := all[0].Shard(1, testShards)
	n := 0
	b.Run("put", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if err := put.Put(b.Context(), CopyName(1, 1, n), bytes.NewReader(text)); err != nil {
				b.Fatal(err)
			}
			if err := put.Clear(b.Context(), 1, CopyName(1, 1, n)); err != nil {
				b.Fatal(err)
			}
			n++
		}
	})
	b.Run("get", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			from, err := all[1].Shard(1, testShards).Get(b.Context(), CopyName(1, 1, n-1))
			if err != nil {
				b.Fatal(err)
			}
			if got, err := io.Copy(io.Discard, from); err != nil || got != int64(len(text)) {
				b.Fatal(got, err)
			}
			from.Close()
		}
	})
}

// Parts of a log read one by one, with three servers.
func BenchmarkRead(b *testing.B) {
	all := cluster(b, 3)
	l, last := all[0].Shard(1, testShards), uint64(0)
	part := make([]byte, 2000)
	for range 200 {
		var err error
		if last, _, err = l.Append(b.Context(), part, last); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := all[1].Shard(1, testShards).Read(b.Context(), 0, func(uint64, []byte) error {
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(200*b.N), "us/part")
}

// TestPaced: a copy is sent no further ahead than a bound, and an error of the wait ends it.
func TestPaced(t *testing.T) {
	const size = 5*ahead + 17
	given, waits := 0, 0
	p := &paced{from: bytes.NewReader(make([]byte, size)), left: ahead}
	p.wait = func() error {
		if waits++; given > waits*ahead+chunkBytes {
			t.Errorf("%d bytes after %d waits", given, waits)
		}
		return nil
	}
	b := make([]byte, chunkBytes)
	for {
		n, err := p.Read(b)
		if given += n; err != nil {
			break
		}
	}
	if given != size || waits != 5 {
		t.Errorf("%d bytes, %d waits", given, waits)
	}
	lost := errors.New("no answer")
	p = &paced{from: bytes.NewReader(make([]byte, 10)), wait: func() error { return lost }}
	if _, err := p.Read(b); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
}

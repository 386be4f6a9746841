package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/sitegraph"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// exchange returns one that brought a page, second seconds after noon.
func exchange(url string, second int, status int, body string) fetch.Exchange {
	at := noon.Add(time.Duration(second) * time.Second)
	head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n",
		status, len(body))
	if status == 304 {
		head, body = "HTTP/1.1 304 Not Modified\r\n\r\n", ""
	}
	return fetch.Exchange{URL: url, Address: netip.MustParseAddr("127.0.0.1"), Began: at,
		Ended:  at.Add(50 * time.Millisecond),
		Status: status, Request: []byte("GET /x HTTP/1.1\r\nHost: h.example\r\n\r\n"),
		Response: []byte(head + body)}
}

func open(t testing.TB, dir string, o Options) *Archive {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return noon }
	}
	a, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(t testing.TB, a *Archive, x ...fetch.Exchange) {
	t.Helper()
	if err := a.Put(visitOf(&x[len(x)-1]), x); err != nil {
		t.Fatal(err)
	}
}

func visitOf(x *fetch.Exchange) *Visit {
	return &Visit{URL: x.URL, Time: x.Ended, Reason: reason("due\nWARC-Type: x"), Probability: 0.5,
		Outcome: "fetched", First: true, Referer: "http://h.example/"}
}

type reason string

func (r reason) String() string { return string(r) }

func closed(t testing.TB, a *Archive) {
	t.Helper()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

// kept is a record as read from a file.
type kept struct {
	warc.Record
	seen  warc.Seen
	block string
}

// read returns all records of all files.
func read(t testing.TB, dir string) (records []kept) {
	t.Helper()
	names, err := warcFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		r := warc.NewReader(bytes.NewReader(file), 0)
		for {
			rec, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var block bytes.Buffer
			rec.Block = io.TeeReader(rec.Block, &block)
			seen, err := r.Verify(rec)
			if err != nil || seen.Block.Wrong() || seen.Payload.Wrong() {
				t.Fatalf("%s: %+v, %v", name, seen, err)
			}
			records = append(records, kept{*rec, seen, block.String()})
		}
	}
	return records
}

func types(records []kept) (all []string) {
	for i := range records {
		all = append(all, records[i].Type())
	}
	return all
}

// TestRecordsOfAVisit checks that a visit is a response, its request, and its metadata.
func TestRecordsOfAVisit(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{Software: "test"})
	put(t, a, exchange("http://h.example/robots.txt", 0, 200, "User-agent: *"),
		exchange("http://h.example/x", 1, 200, "body"))
	closed(t, a)
	records := read(t, dir)
	if got := types(records); !slices.Equal(got,
		[]string{"warcinfo", "response", "request", "response", "request", "metadata"}) {
		t.Fatalf("records: %v", got)
	}
	page, request, why := &records[3], &records[4], &records[5]
	for _, r := range []*kept{request, why} {
		if r.Get(warc.ConcurrentField) != page.Get(warc.IDField) || r.URI() != page.URI() ||
			r.Get(warc.DateField) != page.Get(warc.DateField) {
			t.Errorf("%s is not of the response: %v", r.Type(), r.Header)
		}
	}
	if page.Get(warc.AddressField) != "127.0.0.1" ||
		page.seen.Sum != page.Get(warc.PayloadDigestField) ||
		!strings.HasSuffix(page.block, "\r\n\r\nbody") {
		t.Errorf("response: %v, %q", page.Header, page.block)
	}
	if request.block != "GET /x HTTP/1.1\r\nHost: h.example\r\n\r\n" {
		t.Errorf("request: %q", request.block)
	}
	want := "fetchTimeMs: 50\r\nvisitOutcome: fetched\r\nfirstVisit: true\r\nvisitReason: due " +
		"WARC-Type: x\r\n" +
		"visitTime: 2026-01-31T12:00:01.05Z\r\nchangeProbability: 0.5\r\nvia: http://h.example/\r\n"
	if why.block != want {
		t.Errorf("metadata: %q, want %q", why.block, want)
	}
	if info := records[0].block; !strings.Contains(info, "software: test\r\n") ||
		records[0].Get(warc.FilenameField) != "recrawl-20260131120000-00000.warc.gz" {
		t.Errorf("warcinfo: %v %q", records[0].Header, info)
	}
}

// TestRevisits checks that a body which is already there becomes a revisit, also after a restart,
// and that any other body is kept.
func TestRevisits(t *testing.T) {
	dir := t.TempDir()
	const url = "http://h.example/x"
	steps := []struct {
		url    string
		status int
		body   string
		want   string // type of the record
		refers int    // second of the original record
	}{
		{url, 304, "", "response", 0}, // no record that it could refer to
		{url, 200, "one", "response", 0},
		{url, 200, "one", "revisit", 1},
		{url, 304, "", "revisit", 1},
		{"http://h.example/other", 200, "one", "response", 0}, // another URL
		{url, 200, "two", "response", 0},
		{url, 304, "", "revisit", 5},
		{url, 500, "oops", "response", 0},
		{url, 304, "", "revisit", 5}, // not the failure
		{url, 500, "oops", "revisit", 7},
		{url, 200, "one", "revisit", 1}, // an earlier body
		{url, 304, "", "revisit", 1},
		{url, 200, "", "response", 0},
		{url, 200, "", "response", 0}, // a revisit would not be smaller
	}
	for second, step := range steps {
		a := open(t, dir, Options{})
		held, err := a.Begin(&Visit{URL: step.url})
		if want := step.want == "revisit" && step.status == 304; err != nil || want && !held {
			t.Errorf("step %d: holds %v, %v", second, held, err)
		}
		put(t, a, exchange(step.url, second, step.status, step.body))
		closed(t, a)
		records := read(t, dir)
		r := &records[len(records)-3]
		if r.Type() != step.want {
			t.Errorf("step %d is a %s, want a %s", second, r.Type(), step.want)
		}
		if step.want != "revisit" {
			continue
		}
		profile := warc.SamePayload
		if step.status == 304 {
			profile = warc.NotModified
		}
		to := warc.FormatDate(noon.Add(time.Duration(step.refers) * time.Second))
		if r.Get(warc.ProfileField) != profile || r.Get(warc.RefersURIField) != step.url ||
			r.Get(warc.RefersDateField) != to {
			t.Errorf("step %d: %v, want it to refer to %s", second, r.Header, to)
		}
		if !strings.HasSuffix(r.block, "\r\n\r\n") ||
			(step.status == 304) != (r.Get(warc.PayloadDigestField) == "") {
			t.Errorf("step %d: %v %q", second, r.Header, r.block)
		}
	}
}

// TestTruncated checks that a cut body is marked, and that no revisit refers to it.
func TestTruncated(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	for i, test := range []struct {
		response string
		cut      fetch.Cut
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", fetch.CutTime},
		// still cut
		{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", fetch.CutNot},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", fetch.CutLength},
		{"HTTP/1.1 200 OK\r\n\r\nhello", fetch.CutLength},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
			fetch.CutDisconnect},
	} {
		x := exchange("http://h.example/", i, 200, "")
		x.Response, x.Cut = []byte(test.response), test.cut
		put(t, a, x)
	}
	closed(t, a)
	var got []string
	for _, r := range read(t, dir) {
		if r.Type() == warc.Response {
			got = append(got, r.Get(warc.TruncatedField))
		}
	}
	if !slices.Equal(got, []string{"time", "disconnect", "", "length", "disconnect"}) {
		t.Errorf("truncated: %q", got)
	}
}

// TestStored checks that an uncompressed answer is compressed, unless the archive is told not to,
// and that its records are the same in both cases.
func TestStored(t *testing.T) {
	page := strings.Repeat("<p>some words of a page</p>", 800)
	var bodies [2]string
	for i, o := range []Options{{}, {Stored: true}} {
		dir := t.TempDir()
		a := open(t, dir, o)
		put(t, a, exchange("http://h.example/", 0, 200, page))
		closed(t, a)
		names, _ := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
		whole, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		if asSent := bytes.Contains(whole, []byte(page)); asSent != o.Stored {
			t.Errorf("%+v: %d octets, as sent: %v", o, len(whole), asSent)
		}
		for _, r := range read(t, dir) {
			if r.Type() == warc.Response {
				bodies[i] += r.block
			}
		}
	}
	if bodies[0] != bodies[1] || !strings.HasSuffix(bodies[0], page) {
		t.Errorf("%d and %d octets", len(bodies[0]), len(bodies[1]))
	}
}

// TestRotation checks that files end at their size, in one archive.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{MaxFile: 3000})
	if _, err := Open(dir, Options{}); !errors.Is(err, directory.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	for i := range 20 {
		put(t, a, exchange(fmt.Sprintf("http://h.example/%d", i), i, 200, random(500)))
		if i == 10 {
			closed(t, a)
			a = open(t, dir, Options{MaxFile: 3000})
		}
	}
	closed(t, a)
	names, _ := warcFiles(dir)
	if len(names) < 5 || !slices.IsSorted(names) {
		t.Errorf("files: %v", names)
	}
	for _, name := range names {
		if info, _ := os.Stat(filepath.Join(dir, name)); info.Size() > 5000 {
			t.Errorf("%s has %d octets", name, info.Size())
		}
	}
	if n := len(read(t, dir)); n != 60+len(names) {
		t.Errorf("%d records in %d files", n, len(names))
	}
}

func random(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// TestCrashAnywhere cuts the last file at any octet, with the index of any earlier moment, as a
// crash does. Open removes the cut record and no whole one, and the archive continues.
func TestCrashAnywhere(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	for i := range 3 {
		put(t, a, exchange("http://h.example/x", i, 200, random(40+i)))
	}
	closed(t, a)
	name := "recrawl-20260131120000-00000.warc.gz"
	whole, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	for _, r := range read(t, dir) {
		ends = append(ends, r.Offset+r.Stored)
	}
	for cut := range int64(len(whole)) {
		near := slices.ContainsFunc(ends, func(end int64) bool {
			return cut-end >= -1 && cut-end <= 1
		})
		if os.Getenv("RECRAWL_LONG") == "" && !near && cut%61 != 0 && cut > 2 {
			continue // each Open syncs
		}
		for _, withIndex := range []bool{false, true} {
			crashed := t.TempDir()
			if withIndex { // the index covers more than the file has
				if err := os.CopyFS(filepath.Join(crashed, "index"),
					os.DirFS(filepath.Join(dir, "index"))); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(crashed, name), whole[:cut], 0o644); err != nil {
				t.Fatal(err)
			}
			a := open(t, crashed, Options{})
			before := 0
			for before < len(ends) && ends[before] <= cut {
				before++
			}
			put(t, a, exchange("http://h.example/next", 9, 200, "next"))
			closed(t, a)
			records := read(t, crashed)
			if before == 0 {
				before = 1 // the first record of a new file
			}
			if len(records) != before+3 || records[before].URI() != "http://h.example/next" {
				t.Fatalf("cut at %d, index %v: %d records, want %d; %v",
					cut, withIndex, len(records), before+3, a.Notes())
			}
			responses := 0
			for _, r := range records[:before] {
				if r.Type() == warc.Response {
					responses++
				}
			}
			if got := indexed(t, crashed); len(got) != responses+1 {
				t.Fatalf("cut at %d, index %v: %d captures in the index, want %d",
					cut, withIndex, len(got), responses+1)
			}
		}
	}
}

// indexed returns the captures in the runs of an index.
func indexed(t testing.TB, dir string) (all []*Capture) {
	t.Helper()
	x, err := openIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	for _, r := range x.runs {
		if err := r.From("", func(line []byte) bool {
			c, err := ParseIndexLine(line)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(c.Key, contentMark) {
				all = append(all, c)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// TestDamageInside checks that a file damaged in its middle stays unchanged. Its other records are
// in the index, and nothing is added to it.
func TestDamageInside(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	for i := range 3 {
		put(t, a, exchange(fmt.Sprintf("http://h.example/%d", i), i, 200, random(100+i)))
	}
	closed(t, a)
	path := filepath.Join(dir, "recrawl-20260131120000-00000.warc.gz")
	records := read(t, dir)
	file, _ := os.ReadFile(path)
	file[records[4].Offset+60] ^= 0xff // the second page
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a = open(t, dir, Options{})
		if len(a.Notes()) != 1 || !strings.Contains(a.Notes()[0], "stays as it is") {
			t.Errorf("notes: %q", a.Notes())
		}
		closed(t, a)
	}
	a = open(t, dir, Options{})
	put(t, a, exchange("http://h.example/9", 9, 200, "nine"))
	closed(t, a)
	if now, _ := os.ReadFile(path); !bytes.Equal(now, file) {
		t.Errorf("the damaged file was changed")
	}
	var urls []string
	for _, c := range indexed(t, dir) {
		urls = append(urls, c.URL)
	}
	slices.Sort(urls)
	if urls = slices.Compact(urls); !slices.Equal(urls,
		[]string{"http://h.example/0", "http://h.example/2", "http://h.example/9"}) {
		t.Errorf("in the index: %v", urls)
	}
}

// TestIndexIsMadeAnew checks that the index is rebuilt if a part of it is missing, wrong, or about
// a missing file.
func TestIndexIsMadeAnew(t *testing.T) {
	for name, harm := range map[string]func(dir string) error{
		"no index": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "index")) },
		"no run": func(dir string) error {
			return os.Remove(filepath.Join(dir, "index", "000000.cdxj"))
		},
		"cut run": func(dir string) error {
			return os.Truncate(filepath.Join(dir, "index", "000000.cdxj"), 10)
		},
		"bad list": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "index", stateName), []byte("{"), 0o644)
		},
		"no list": func(dir string) error {
			return os.Remove(filepath.Join(dir, "index", stateName))
		},
		"WARC gone": func(dir string) error {
			return os.Remove(filepath.Join(dir, "recrawl-20260131120000-00000.warc.gz"))
		},
	} {
		dir := t.TempDir()
		a := open(t, dir, Options{MaxFile: 1000})
		for i := range 4 {
			put(t, a, exchange(fmt.Sprintf("http://h.example/%d", i), i, 200, random(600)))
		}
		closed(t, a)
		if err := harm(dir); err != nil {
			t.Fatal(err)
		}
		a = open(t, dir, Options{})
		closed(t, a)
		want := 4
		if name == "WARC gone" {
			want = 3
		}
		if got := len(indexed(t, dir)); got != want {
			t.Errorf("%s: %d captures in the index, want %d; %q", name, got, want, a.Notes())
		}
	}
}

// faulty is a file on which one operation fails.
type faulty struct {
	*os.File
	faults *faults
}

type faults struct {
	left   int  // operations before the fault
	cannot bool // truncate
}

func (f *faults) hit() bool { f.left--; return f.left == 0 }

func (f *faulty) WriteAt(p []byte, at int64) (int, error) {
	if f.faults.hit() {
		n, _ := f.File.WriteAt(p[:len(p)/2], at)
		return n, syscall.ENOSPC
	}
	return f.File.WriteAt(p, at)
}

func (f *faulty) Sync() error {
	if f.faults.hit() {
		return syscall.EIO
	}
	return f.File.Sync()
}

func (f *faulty) Truncate(n int64) error {
	if f.faults.cannot {
		return syscall.EIO
	}
	return f.File.Truncate(n)
}

// TestFaults lets each file operation fail in turn, until none does. Everything that a Sync made
// durable is there afterwards, and no record is incomplete.
func TestFaults(t *testing.T) {
	for _, cannot := range []bool{false, true} {
		for step := 1; ; step++ {
			dir := t.TempDir()
			f := &faults{left: step, cannot: cannot}
			a := open(t, dir, Options{MaxFile: 2000, create: func(path string) (file, error) {
				made, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
				return &faulty{made, f}, err
			}})
			durable, taken := 0, 0
			var failed error
			for i := range 12 {
				x := exchange(fmt.Sprintf("http://h.example/%d", i), i, 200, random(300))
				if err := a.Put(visitOf(&x), []fetch.Exchange{x}); err != nil {
					failed = err
				} else {
					taken++
				}
				if i%3 == 2 {
					if err := a.Sync(); err != nil {
						failed = err
						if a.Sync() == nil || a.Put(visitOf(&x), []fetch.Exchange{x}) == nil {
							t.Fatalf("step %d: goes on after a failed sync", step)
						}
						break
					}
					durable = taken
				}
			}
			if err := a.Close(); failed == nil {
				failed = err
			}
			if failed != nil && !errors.Is(failed, syscall.ENOSPC) &&
				!errors.Is(failed, syscall.EIO) {
				t.Errorf("step %d: %v", step, failed)
			}
			again := open(t, dir, Options{})
			closed(t, again)
			got := 0
			for _, r := range read(t, dir) {
				if r.Type() == warc.Metadata {
					got++
				}
			}
			if got < durable {
				t.Fatalf("step %d: %d visits are there of %d that were durable: %v",
					step, got, durable, failed)
			}
			if f.left > 0 {
				if failed != nil || step < 10 {
					t.Fatalf("step %d: %v, and no operation failed", step, failed)
				}
				break
			}
		}
	}
}

// TestConcurrent stores captures concurrently. Each record is whole, and the index has its place.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{MaxFile: 20_000})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 30 {
				x := exchange(fmt.Sprintf("http://h%d.example/%d", worker, i%10), i, 200,
					fmt.Sprint("body ", i%10))
				if err := a.Put(visitOf(&x), []fetch.Exchange{x}); err != nil {
					t.Error(err)
				}
				if i%7 == 0 {
					if err := a.Sync(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	closed(t, a)
	read(t, dir)
	captures := indexed(t, dir)
	if len(captures) != 240 {
		t.Errorf("%d captures", len(captures))
	}
	for _, c := range captures {
		f, err := os.Open(filepath.Join(dir, c.Filename))
		if err != nil {
			t.Fatal(err)
		}
		rec, err := warc.NewReader(io.NewSectionReader(f, c.Offset, c.Length), c.Offset).Next()
		if err != nil || rec.URI() != c.URL || rec.Get(warc.DateField) != c.Date {
			t.Errorf("%+v: %v", c, err)
		}
		f.Close()
	}
}

// TestIndexMerges checks that merging keeps the runs few, and that the newest captures of a URL are
// found in all of them.
func TestIndexMerges(t *testing.T) {
	dir := t.TempDir()
	x := newIndex(dir)
	for i := range 40 {
		for k := range 50 {
			url := fmt.Sprintf("http://h.example/%d", k)
			at := noon.Add(time.Duration(i) * time.Minute)
			x.add([]*Capture{{Key: SURT(url), Time: at, URL: url,
				Date: warc.FormatDate(at), Filename: "f"}}, "f", int64(i*50+k))
		}
		if err := x.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(x.runs); n > 7 {
		t.Errorf("%d runs", n)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "index", "*.cdxj"))
	if len(files) != len(x.runs) {
		t.Errorf("%d files of %d runs", len(files), len(x.runs))
	}
	past, err := x.last("http://h.example/7")
	if err != nil || len(past) != 40 || past[0].Date != warc.FormatDate(noon.Add(39*time.Minute)) ||
		past[39].Date != warc.FormatDate(noon) {
		t.Errorf("%d captures, %v", len(past), err)
	}
	x.close()
	if got := indexed(t, dir); len(got) != 2000 {
		t.Errorf("%d captures", len(got))
	}
}

func BenchmarkPut(b *testing.B) {
	page := strings.Repeat("<p>some words of a page, "+random(8)+"</p>", 700)[:22_000]
	for _, test := range []struct {
		name string
		body func(int) string
	}{
		{"changed", func(i int) string { return fmt.Sprint(i) + page }},
		{"same", func(int) string { return page }},
	} {
		b.Run(test.name, func(b *testing.B) {
			a := open(b, b.TempDir(), Options{})
			i := 0
			for b.Loop() {
				put(b, a, exchange(fmt.Sprintf("http://h.example/%d", i%1000), i, 200,
					test.body(i)))
				if i++; i%64 == 0 {
					if err := a.Sync(); err != nil {
						b.Fatal(err)
					}
				}
			}
			closed(b, a)
		})
	}
}

// TestTake checks that a visit is unconditional if a "not modified" could refer to nothing, and
// that nothing of an interrupted visit is kept.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, Options{})
	rec := &sitegraph.Record{URL: "http://h.example/x", ETag: `"x"`, LastModified: noon}
	asked := 0
	visit := func(_ context.Context, r *sitegraph.Record) (*sitegraph.Observation, error) {
		if asked++; r.ETag != "" || !r.LastModified.IsZero() {
			t.Errorf("asked with %q and %v", r.ETag, r.LastModified)
		}
		return &sitegraph.Observation{URL: r.URL, Time: noon, Outcome: sitegraph.OutcomeFetched},
			nil
	}
	if o, err := a.Take(t.Context(), Visit{}, rec, visit); err != nil ||
		o.Outcome != sitegraph.OutcomeFetched {
		t.Errorf("%+v, %v", o, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := a.Take(ctx, Visit{}, rec,
		func(context.Context, *sitegraph.Record) (*sitegraph.Observation, error) {
			cancel()
			return new(sitegraph.Observation), ctx.Err()
		}); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
	closed(t, a)
	if _, err := a.Take(t.Context(), Visit{}, rec, visit); err != nil || asked != 2 {
		t.Errorf("a visit without an answer leaves nothing to write: %v", err)
	}
	var none *Archive
	if _, err := none.Take(t.Context(), Visit{}, new(sitegraph.Record), visit); err != nil ||
		errors.Join(none.Sync(), none.Close()) != nil || none.Notes() != nil {
		t.Errorf("no archive: %v", err)
	}
}

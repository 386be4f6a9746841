package core_test

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/satstore/journal"
)

// captured is the archive's record of visits: the MD5 of the body by URL and time, content coding
// undone; "" without a body.
type captured map[string]string

func visitKey(url string, at time.Time) string {
	return url + " " + at.UTC().Format(time.RFC3339Nano)
}

// readArchive reads all records. Only the last file may be cut, and only with cutAllowed.
func readArchive(t *testing.T, dir string, cutAllowed bool) captured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all := captured{}
	for i, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r := warc.NewReader(f, 0)
		digests := map[string]string{} // by record ID
		for {
			rec, err := r.Next()
			var block bytes.Buffer
			if err == nil {
				rec.Block = io.TeeReader(rec.Block, &block)
				var seen warc.Seen
				if seen, err = r.Verify(rec); err == nil &&
					(seen.Block.Wrong() || seen.Payload.Wrong()) {
					t.Errorf("%s at %d: wrong digest: %+v", name, rec.Offset, seen)
				}
			}
			if err == io.EOF || warc.IsCut(err) && cutAllowed && i == len(files)-1 {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch rec.Type() {
			case warc.Response:
				digests[rec.Get(warc.IDField)] = bodyDigest(t, block.Bytes())
			case warc.Revisit:
				if rec.Get(warc.RefersDateField) == "" || rec.Get(warc.RefersURIField) == "" {
					t.Errorf("%s at %d: a revisit of nothing: %v", name, rec.Offset, rec.Header)
				}
				digests[rec.Get(warc.IDField)] = ""
			case warc.Metadata:
				_, rest, _ := strings.Cut(block.String(), "visitTime: ")
				at, err := time.Parse(time.RFC3339Nano, strings.SplitN(rest, "\r\n", 2)[0])
				if err != nil {
					t.Fatalf("%s at %d: %q: %v", name, rec.Offset, block.String(), err)
				}
				digest, ok := digests[rec.Get(warc.ConcurrentField)]
				if !ok {
					t.Errorf("%s at %d: no answer belongs to this visit", name, rec.Offset)
				}
				all[visitKey(rec.URI(), at)] = digest
			}
		}
	}
	return all
}

func bodyDigest(t *testing.T, block []byte) string {
	m, err := warc.ParseResponse(block)
	if err != nil {
		t.Fatal(err)
	}
	body := m.Body
	if m.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	sum := md5.Sum(body)
	return hex.EncodeToString(sum[:])
}

// acknowledgedAreKept compares the journal with the archive.
func acknowledgedAreKept(t *testing.T, data, dir string, cutAllowed bool) (visits int) {
	t.Helper()
	kept := readArchive(t, dir, cutAllowed)
	_, err := journal.Read(filepath.Join(data, "journal"), nil, func(e *journal.Entry) {
		if e.Status == 0 {
			return // no answer came
		}
		visits++
		digest, ok := kept[visitKey(e.URL, e.Time)]
		switch {
		case !ok:
			t.Errorf("%s was acknowledged at %v and is not in the archive", e.URL, e.Time)
		case e.Digest != "" && digest != "" && digest != e.Digest:
			t.Errorf("%s at %v has digest %s in the journal and %s in the archive",
				e.URL, e.Time, e.Digest, digest)
		}
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, journal.ErrNone) {
		t.Fatal(err)
	}
	return visits
}

// TestArchiveKilled kills a run with an archive at random times. The archive has everything that
// the journal acknowledged, before and after its repair.
func TestArchiveKilled(t *testing.T) {
	t.Parallel()
	kills := 6
	if long() {
		kills = 100
	}
	random := moments(t, 2)
	lab := serve(t, library(shelves{servers: 3, sections: 4, pages: 20, days: 3000,
		every: func(server, section, page int) int {
			return (7*server + 5*section + 3*page) % 20
		}}))
	dir := t.TempDir()
	data, kept := filepath.Join(dir, "data"), filepath.Join(dir, "kept")
	args := append([]string{"run", "--data", data, "--archive", kept, "--archive-file", "1000000",
		"--user-agent", contact,
		"--allow-private", "--delay", "2ms", "--round", "2s", "--unlimited", "--workers", "4",
		"--quiet"}, lab.starts()...)
	for range kills {
		before := lab.count()
		p := start(t, dir, nil, args...)
		eventually(t, "visits", func() bool { return lab.count() > before+10 })
		time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
		p.kill()
		acknowledgedAreKept(t, data, kept, true)
		if t.Failed() {
			return
		}
	}
	before := lab.count()
	p := start(t, dir, nil, args...)
	eventually(t, "visits after the last kill", func() bool { return lab.count() > before+100 })
	p.interrupt()
	if n := acknowledgedAreKept(t, data, kept, false); n < 100 {
		t.Errorf("%d visits were acknowledged", n)
	}
}

// TestArchiveBeginsLate checks that an archive which begins beside an old store gets the pages that
// it refers to.
func TestArchiveBeginsLate(t *testing.T) {
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 5, days: 3000,
		every: func(int, int, int) int { return 0 }}))
	dir := t.TempDir()
	args := append([]string{"run", "--data", "data", "--user-agent", contact, "--allow-private",
		"--delay", "0s", "--unlimited",
		"--round", "2s", "--rounds", "1", "--quiet"}, lab.starts()...)
	recrawlIn(t, dir, nil, args...).ok(t)
	recrawlIn(t, dir, nil, append(args, "--rounds", "2", "--archive", "data/kept")...).ok(t)
	if err := os.Rename(filepath.Join(dir, "data", "kept"),
		filepath.Join(dir, "kept")); err != nil {
		t.Fatal(err)
	}
	acknowledgedLater := readArchive(t, filepath.Join(dir, "kept"), false)
	if len(acknowledgedLater) == 0 {
		t.Fatal("nothing was kept")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "kept", "*.warc.gz"))
	r := recrawlIn(t, dir, nil, "show", "warc", "--json", files[0]).ok(t)
	shown := decode[inside.WARC](t, r, true)
	bodies := map[string]bool{}
	for _, record := range shown.Records {
		switch {
		case record.Type == warc.Response:
			bodies[record.URI+record.Date] = true
		case record.Type == warc.Revisit && !bodies[record.RefersURI+record.RefersDate]:
			t.Errorf("%+v refers to what is not there", record)
		}
	}
	exported := decode[archive.Exported](t, recrawlIn(t, dir, nil, "export", "--archive", "kept",
		"--warc", "copy", "--cdxj", "i.cdxj", "--wacz", "x.wacz", "--json").ok(t), true)
	if exported.Captures < 10 || exported.Pages < 10 || len(exported.Made) != len(files)+2 {
		t.Errorf("exported: %+v", exported)
	}
	recrawlIn(t, dir, nil, "export", "--wacz", "x.wacz").refused(t, 2, "--archive")
	again := []string{"export", "--archive", "kept", "--warc", "copy", "--cdxj", "i.cdxj", "--json"}
	recrawlIn(t, dir, nil, again...).refused(t, 2, "--force replaces it")
	if forced := decode[archive.Exported](t, recrawlIn(t, dir, nil,
		append(again, "--force")...).ok(t),
		true); len(forced.Replaced) != len(files)+1 {
		t.Errorf("exported with --force: %+v", forced)
	}
	recrawlIn(t, dir, nil, "export", "--data", "data", "--history", "h", "--force").refused(t, 2,
		"--force goes with")
	index, err := os.ReadFile(filepath.Join(dir, "i.cdxj"))
	if err != nil {
		t.Fatal(err)
	}
	if r := recrawlIn(t, dir, nil, "export", "--archive", "kept", "--cdxj", "-").ok(t); r.stdout !=
		string(index) {
		t.Errorf("%d bytes of an index of %d on standard output", len(r.stdout), len(index))
	}
	for _, args := range [][]string{{"--cdxj", "-", "--wacz", "-"}, {"--warc", "-", "--json"}} {
		args = append([]string{"export", "--archive", "kept"}, args...)
		recrawlIn(t, dir, nil, args...).refused(t, 2, "")
	}
	recrawlIn(t, dir, nil, "export", "--data", "data", "--history", "-").refused(t, 2, "directory")
	recrawlIn(t, dir, nil, "export", "--archive", "data", "--wacz", "y.wacz").refused(t, 1,
		"no WARC file")
	at := freeAddress(t)
	replayed := start(t, dir, nil, "replay", "--archive", "kept", "--listen", at)
	var answer *http.Response
	eventually(t, "an answer of replay", func() bool {
		answer, err = http.Get("http://" + at + "/web/2026/" + lab.starts()[0])
		return err == nil
	})
	body, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil || answer.StatusCode != 200 ||
		!strings.Contains(string(body), "/"+lab.bases[0]+"/s0/") {
		t.Errorf("replayed: %d, %v, %s", answer.StatusCode, err, body)
	}
	replayed.interrupt()
	recrawlIn(t, dir, nil, "replay", "--archive", "kept", "--listen", "0.0.0.0:8088").refused(t, 2,
		"loopback")
	recrawlIn(t, dir, nil, append(args, "--archive", "./data")...).refused(t, 2,
		"a directory of its own")
	recrawlIn(t, dir, nil, "replay").refused(t, 2, "--archive")
	compared := decode[archive.Difference](t, recrawlIn(t, dir, nil, "diff", "--archive", "kept",
		"--json", "--of", "main", lab.starts()[0], "2026").ok(t), true)
	if compared.Kind != "main" || compared.Old.Pieces == 0 || compared.Removed+compared.Added > 0 {
		t.Errorf("compared: %+v", compared)
	}
	recrawlIn(t, dir, nil, "diff", "--archive", "kept", "http://none.example/").refused(t, 2,
		"no page")
	recrawlIn(t, dir, nil, "diff", "--archive", "kept", lab.starts()[0], "yesterday").refused(t, 2,
		"digits")
	recrawlIn(t, dir, nil, "diff", lab.starts()[0]).refused(t, 2, "--archive")
	if shown.Wrong > 0 || shown.Damage != "" || len(shown.Records) < 20 {
		t.Errorf("%d records, %d wrong, %q", len(shown.Records), shown.Wrong, shown.Damage)
	}
}

// TestShowWARC checks that show warc reports the fault of a file, and shows its readable part.
func TestShowWARC(t *testing.T) {
	var w warc.Writer
	var file []byte
	for i := range 3 {
		var err error
		if file, err = w.Append(file, &warc.NewRecord{Type: warc.Metadata, ID: warc.NewID(),
			Date: time.Unix(1, 0),
			Fields: []warc.Field{{Name: warc.URIField,
				Value: fmt.Sprintf("http://h.example/%d\u001b[31m", i)[:18]}},
			Block: [][]byte{[]byte("a: b\r\n")}}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	good := writeFile(t, filepath.Join(dir, "good.warc.gz"), string(file))
	if out := recrawl(t, "show", "warc", good).ok(t).stdout; strings.Count(out,
		"http://h.example/") != 3 || !strings.Contains(out, "3 records, WARC/1.1") {
		t.Errorf("printed %s", out)
	}
	cut := writeFile(t, filepath.Join(dir, "cut.warc.gz"), string(file[:len(file)-3]))
	r := recrawl(t, "show", "warc", cut).exit(t, 4)
	if strings.Count(r.stdout, "http://h.example/") != 2 ||
		!strings.Contains(r.stderr, "cut.warc.gz: record at octet") {
		t.Errorf("printed %s and %s", r.stdout, r.stderr)
	}
	recrawl(t, "show", "warc", filepath.Join(dir, "none")).refused(t, 1, "none")
	if r := recrawl(t, "show", "nothing"); r.code != 2 ||
		!slices.Contains(strings.Fields(r.stderr), `"nothing"`) {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}

// TestArchiveOnFullDisk fills the disk of an archive repeatedly. The run ends and says why, the
// archive is readable and has everything acknowledged, and the run continues when there is room.
func TestArchiveOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "recrawl-test",
		disk).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a small file system: %v %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	lab := serve(t, library(shelves{servers: 2, sections: 4, pages: 20, days: 3000,
		every: func(_, _, page int) int { return page % 9 }}))
	data, kept := filepath.Join(t.TempDir(), "data"), filepath.Join(disk, "kept")
	args := append([]string{"run", "--data", data, "--archive", kept, "--user-agent", contact,
		"--allow-private", "--delay", "1ms", "--round", "1s",
		"--unlimited", "--workers", "4", "--quiet", "--min-free", "0"}, lab.starts()...)
	recrawl(t, append(args, "--rounds", "1")...).ok(t)
	filler := filepath.Join(disk, "filler")
	for _, room := range []int64{0, 4_096, 50_000} {
		fill(t, disk, filler, room)
		recrawl(t, args...).refused(t, 1, "disk is full", "space")
		acknowledgedAreKept(t, data, kept, false)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
	}
	before := acknowledgedAreKept(t, data, kept, false)
	recrawl(t, append(args, "--rounds", "2")...).ok(t)
	if after := acknowledgedAreKept(t, data, kept, false); after <= before {
		t.Errorf("%d visits were acknowledged while the disk filled up, %d after it", before, after)
	} else {
		t.Logf(
			"%d visits were acknowledged while the disk filled up, %d after it, and all are kept",
			before, after)
	}
}

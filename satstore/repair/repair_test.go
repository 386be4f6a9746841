package repair

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore"
	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/journal"
	"github.com/recrawl/recrawl/sitegraph"
)

var day0 = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func urlOf(p sitegraph.PageID) string { return fmt.Sprintf("http://h.example/page-%03d.html", p) }

const pages = 300

// recordOf returns the record of a page after a number of visits.
func recordOf(p sitegraph.PageID, visits int) sitegraph.Record {
	return sitegraph.Record{Page: p, URL: urlOf(p), Referer: urlOf(p / 2), Status: 200,
		State: sitegraph.StateAlive, ETag: fmt.Sprintf("%q", fmt.Sprint(p, visits)),
		Tried: day0.Add(time.Duration(visits)*time.Hour + time.Duration(p)*time.Second),
		Due:   day0.Add(time.Duration(24+p%50+sitegraph.PageID(visits)) * time.Hour)}
}

// visitsOf returns the number of visits to a page in makeStore's store; 0: the page was removed.
func visitsOf(p sitegraph.PageID) int {
	switch {
	case p%30 == 7:
		return 0
	case p >= pages-20:
		return 3
	case p%3 == 0:
		return 2
	}
	return 1
}

// makeStore makes a store with runs of several commits, tables, and data that only the log has.
// killed is a copy as a kill leaves it; closed is the closed store.
func makeStore(t *testing.T) (killed, closed string) {
	killed, closed = t.TempDir()+"/killed", t.TempDir()+"/closed"
	s, err := satstore.Open(closed, satstore.Options{Now: day0, BufferBytes: 32 << 10,
		PageBytes: 1 << 10})
	must(t, err)
	j, err := journal.Open(closed + "/journal")
	must(t, err)
	commit := func() { must(t, s.Commit()) }
	for p := range sitegraph.PageID(pages) {
		r := recordOf(p, 1)
		must(t, s.Add(&r))
	}
	commit()
	for p := range sitegraph.PageID(pages) {
		must(t, s.SaveLinks(p, []sitegraph.PageID{(p + 1) % pages, (p + 2) % pages}, nil))
	}
	must(t, s.SaveStart(0))
	must(t, s.SaveSetting("budget", []byte("spent")))
	commit()
	must(t, s.Checkpoint(t.TempDir()+"/flushes"))
	for p := range sitegraph.PageID(pages) {
		if visitsOf(p) >= 2 {
			r := recordOf(p, 2)
			must(t, s.Save(&r))
		}
		if visitsOf(p) == 0 {
			must(t, s.Remove(p))
		}
		if p%50 == 49 {
			commit()
		}
	}
	for p := range sitegraph.PageID(pages) {
		if visitsOf(p) == 3 {
			r := recordOf(p, 3)
			must(t, s.Save(&r))
			must(t, j.Append(journal.Entry{URL: r.URL, Time: r.Tried}))
		}
	}
	must(t, s.SaveSetting("budget", []byte("spent more")))
	commit()
	must(t, j.Close())
	must(t, exec.Command("cp", "-a", closed, killed).Run())
	must(t, s.Close())
	return killed, closed
}

// result describes how a repaired store differs from the store before the damage.
type result struct {
	lost, older, links  int // records, older versions of records, lists of links
	noStart, noSetting  bool
	named               map[string][]string
	resurrected, placed int // removed pages that came back; pages without address
}

func compare(t *testing.T, dir string) (d result) {
	s, err := satstore.Open(dir, satstore.Options{})
	must(t, err)
	defer s.Close()
	d.named = map[string][]string{}
	if f, err := os.Open(dir + "/" + LostName); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var l struct {
				Address string
				Lost    []string
			}
			must(t, json.Unmarshal(lines.Bytes(), &l))
			d.named[l.Address] = l.Lost
		}
	}
	report, err := s.Check(t.Context(), nil, nil)
	must(t, err)
	if len(report.Damage) > 0 {
		t.Errorf("the new store is damaged: %v", report.Damage)
	}
	g := sitegraph.NewGraph()
	seen := map[sitegraph.PageID]bool{}
	must(t, s.Restore(g, func(r *sitegraph.Record) {
		seen[r.Page] = true
		visits := visitsOf(r.Page)
		want := recordOf(r.Page, visits)
		named := d.named[r.URL]
		switch {
		case visits == 0:
			d.resurrected++
		case r.Reason == satstore.ReasonLost:
			d.lost++
			if r.URL != want.URL || !slices.Contains(named, "record") {
				t.Errorf("page %d of %q is lost and not named: %v", r.Page, r.URL, named)
			}
		case slices.Contains(named, "links"):
			want.ETag, want.More, want.Due = "", true, r.Due
			if *r != want {
				t.Errorf("page %d: %+v, want %+v", r.Page, r, want)
			}
		case *r != want:
			d.older++
			if *r != recordOf(r.Page, 1) && *r != recordOf(r.Page, 2) {
				t.Errorf("page %d: %+v, want %+v", r.Page, r, want)
			}
			if visits == 3 && !slices.Contains(named, "visits") {
				t.Errorf("visits of page %d are lost and not named: %v", r.Page, named)
			}
		}
	}))
	for p := range sitegraph.PageID(g.Pages()) {
		if g.URL(p) != urlOf(p) {
			d.placed++
			continue
		}
		if visitsOf(p) == 0 {
			continue
		}
		if !seen[p] {
			t.Errorf("page %d is gone", p)
		}
		if links := g.Links(p); !slices.Equal(links,
			[]sitegraph.PageID{(p + 1) % pages, (p + 2) % pages}) && !slices.Equal(links,
			[]sitegraph.PageID{(p + 2) % pages, (p + 1) % pages}) {
			d.links++
		}
	}
	d.noStart = !isStart(s)
	v, ok, err := s.Setting("budget")
	must(t, err)
	d.noSetting = !ok || !strings.HasPrefix(string(v), "spent")
	return d
}

func isStart(s *satstore.Store) (is bool) {
	_ = s.Starts(func(p sitegraph.PageID) { is = is || p == 0 })
	return is
}

// The test damages, cuts and deletes every file of a store. Only what was hit is lost, and named,
// and the new store goes on.
func TestRepair(t *testing.T) {
	killed, closed := makeStore(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for state, dir := range map[string]string{"killed": killed, "closed": closed} {
		var files []string
		must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
			if rel, _ := filepath.Rel(dir, path); err == nil && !info.IsDir() &&
				!strings.HasPrefix(rel, "journal") {
				files = append(files, rel)
			}
			return err
		}))
		try := func(name, file string, damage func(path string, b []byte)) {
			broken, to := t.TempDir()+"/broken", t.TempDir()+"/new"
			must(t, exec.Command("cp", "-a", dir, broken).Run())
			path := filepath.Join(broken, file)
			b, err := os.ReadFile(path)
			must(t, err)
			damage(path, b)
			before := contents(t, broken)
			r, err := Run(t.Context(), broken, to, nil)
			if err != nil {
				t.Errorf("%s %s: %s: %v", state, file, name, err)
				return
			}
			if after := contents(t, broken); after != before {
				t.Errorf("%s %s: %s: the old store was changed", state, file, name)
			}
			d := compare(t, to)
			flip := strings.HasPrefix(name, "byte")
			isRun := strings.HasPrefix(file, "sat/run-")
			isLog := strings.HasPrefix(file, "sat/MANIFEST-")
			isTable := strings.HasSuffix(file, ".sst")
			bad := d.lost > 0 && !isRun && !isLog || d.lost > 1 && isRun && flip ||
				d.older > 0 && !isLog || d.older > 50 && flip ||
				(d.links > 0 || d.noStart || d.noSetting) && !isTable && !isLog ||
				d.resurrected > 0 && !isTable && !isLog || d.placed > 0 && !isTable && !isLog
			d.named = nil
			if bad {
				t.Errorf("%s %s: %s: too much is lost: %+v, %+v", state, file, name, d, r)
			}
			if n := r.Lost.Records; n < d.lost || n > d.lost+d.resurrected+d.placed ||
				r.Lost.Visits > d.older || isTable && r.Lost.Links != d.links ||
				r.Any() == (d.lost+d.older+d.links == 0 && len(r.Unknown) == 0) {
				t.Errorf("%s %s: %s: reported %+v, found %+v", state, file, name, r, d)
			}
		}
		for _, file := range files {
			try("deleted", file, func(path string, _ []byte) { must(t, os.Remove(path)) })
			info, err := os.Stat(filepath.Join(dir, file))
			must(t, err)
			if info.Size() == 0 {
				continue
			}
			try("cut", file, func(path string, b []byte) {
				must(t, os.WriteFile(path, b[:len(b)/2], 0o644))
			})
			times := 3
			if testing.Short() {
				times = 1
			}
			for range times {
				at := rng.IntN(int(info.Size()))
				try(fmt.Sprint("byte ", at), file, func(path string, b []byte) {
					b[at] ^= 1 << rng.IntN(8)
					must(t, os.WriteFile(path, b, 0o644))
				})
			}
		}
	}
}

// contents describes all files of a directory except its locks.
func contents(t *testing.T, dir string) string {
	out, err := exec.Command("sh", "-c", "cd "+dir+
		" && find . -type f ! -name LOCK -exec md5sum {} + | sort").Output()
	must(t, err)
	return string(out)
}

// Repair of an undamaged store loses nothing. A directory that is not empty is refused. The remains
// of an interrupted repair do not matter.
func TestRepairOfWholeStore(t *testing.T) {
	killed, closed := makeStore(t)
	for _, dir := range []string{killed, closed} {
		to := t.TempDir() + "/new"
		must(t, os.MkdirAll(to+"/"+partial+"/store/sat", 0o755))
		must(t, os.MkdirAll(to+"/"+partial+"/scratch", 0o755))
		must(t, os.MkdirAll(to+"/sat", 0o755)) // a repair ended just before its last step
		for _, name := range []string{partial + "/scratch/000001.sst", "sat/run-00000001",
			LostName} {
			must(t, os.WriteFile(filepath.Join(to, name), []byte("left over"), 0o644))
		}
		must(t, os.Mkdir(to+"/journal", 0o755)) // a user moved it there
		if _, err := Run(t.Context(), dir, to, nil); err == nil {
			t.Error("a journal was removed")
		}
		must(t, os.Remove(to+"/journal"))
		r, err := Run(t.Context(), dir, to, nil)
		must(t, err)
		d := compare(t, to)
		if r.Any() || d.lost+d.older+d.links+d.resurrected+d.placed > 0 || d.noStart ||
			d.noSetting || r.Pages != pages || r.Linked != pages || r.Settings != 1 ||
			len(r.Damage) > 0 || !slices.Equal(r.Beside, []string{dir + "/journal"}) {
			t.Errorf("%+v, %+v", r, d)
		}
		if _, err := os.Stat(to + "/" + partial); !os.IsNotExist(err) {
			t.Errorf("the directory of the work: %v", err)
		}
		if _, err := Run(t.Context(), dir, to, nil); err == nil ||
			!strings.Contains(err.Error(), "choose an empty or a new directory") {
			t.Errorf("into a store: %v", err)
		}
		link := t.TempDir() + "/link"
		must(t, os.Symlink(dir, link))
		for _, to := range []string{dir, dir + "/new", dir + "/..", dir + "/sat/../new",
			link + "/sat/new/newer"} {
			if _, err := Run(t.Context(), dir, to, nil); err == nil ||
				!strings.Contains(err.Error(), "within the other") {
				t.Errorf("to %s: %v", to, err)
			}
		}
	}
}

// Repair leaves a store alone that a newer program wrote or that is in use.
func TestRepairRefuses(t *testing.T) {
	_, dir := makeStore(t)
	s, err := satstore.Open(dir, satstore.Options{})
	must(t, err)
	_, err = Run(t.Context(), dir, t.TempDir()+"/new", nil)
	if !errors.Is(err, satstore.ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	must(t, s.Close())
	must(t, os.WriteFile(dir+"/FORMAT", directory.Sealed([]byte("recrawl satstore 9\n")), 0o644))
	var format *satstore.FormatError
	if _, err := Run(t.Context(), dir, t.TempDir()+"/new", nil); !errors.As(err, &format) ||
		!strings.Contains(err.Error(), "was written by a newer version") {
		t.Errorf("newer: %v", err)
	}
}

// An unreadable journal is named as damage. The store is repaired without it.
func TestRepairWithoutJournal(t *testing.T) {
	killed, _ := makeStore(t)
	must(t, os.RemoveAll(killed+"/pebble"))
	days, err := filepath.Glob(killed + "/journal/*.jsonl")
	must(t, err)
	for _, day := range days {
		must(t, os.Remove(day))
		must(t, os.Mkdir(day, 0o755)) // reading it fails
	}
	r, err := Run(t.Context(), killed, t.TempDir()+"/new", nil)
	must(t, err)
	if r.Pages != pages || !slices.ContainsFunc(r.Damage, func(d string) bool {
		return strings.Contains(d, "journal")
	}) {
		t.Errorf("%+v", r)
	}
}

// If nothing is left of a store, Repair reads no page and says so. It refuses a directory of
// something else.
func TestRepairOfNothing(t *testing.T) {
	_, dir := makeStore(t)
	for _, name := range []string{"sat", "pebble", "journal"} {
		must(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	r, err := Run(t.Context(), dir, t.TempDir()+"/new", nil)
	must(t, err)
	if !r.Any() || r.Pages != 0 {
		t.Errorf("%+v", r)
	}
	must(t, os.Remove(dir+"/FORMAT"))
	to := t.TempDir() + "/new"
	if _, err := Run(t.Context(), dir, to, nil); !errors.Is(err, satstore.ErrNoStore) {
		t.Error(err)
	}
	if _, err := os.Stat(to); !os.IsNotExist(err) {
		t.Errorf("the new directory: %v", err)
	}
}

// If the whole catalogue is missing, the report says so, and not that nothing was lost.
func TestRepairWithoutCatalogue(t *testing.T) {
	_, dir := makeStore(t)
	must(t, os.RemoveAll(dir+"/pebble"))
	to := t.TempDir() + "/new"
	r, err := Run(t.Context(), dir, to, nil)
	must(t, err)
	if !r.Any() || len(r.Unknown) != 1 || r.Lost.Links == 0 {
		t.Errorf("%+v", r)
	}
	if d := compare(t, to); d.links == 0 || d.lost > 0 {
		t.Errorf("%+v", d)
	}
}

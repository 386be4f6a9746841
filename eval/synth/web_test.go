package synth

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/temoto/robotstxt"
)

// small returns a web that a test can read completely.
func small(seed uint64) *Web { return New(Options{Seed: seed, Servers: 20, Pages: 700, Weeks: 60}) }

// fingerprint returns a digest of everything that a web ever answers.
func fingerprint(w *Web) [md5.Size]byte {
	h := md5.New()
	for _, server := range w.Servers() {
		for _, path := range w.Paths(server) {
			for _, t := range w.Times(server, path) {
				r := w.Resource(server, path, t)
				fmt.Fprintln(h, server, path, t.Unix(), r.Status, r.Type, r.LastModified.Unix(),
					r.Location)
				h.Write(r.Body)
			}
		}
	}
	return [md5.Size]byte(h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	one := fingerprint(New(Options{Seed: 7, Servers: 12, Pages: 250}))
	if one != fingerprint(New(Options{Seed: 7, Servers: 12, Pages: 250})) {
		t.Error("two webs of one seed differ")
	}
	if one == fingerprint(New(Options{Seed: 8, Servers: 12, Pages: 250})) {
		t.Error("webs of two seeds are the same")
	}
}

func TestServersAreIndependentOfEachOther(t *testing.T) {
	o := Options{Seed: 3, Servers: 30, Pages: 900}.defaults()
	plans := census(o)
	w := New(o)
	for i := len(plans) - 1; i >= 0; i -= 7 { // backwards, and only some
		s := newServer(o, i, plans[i])
		known := w.byName[s.name]
		if known == nil || len(s.pages) != len(known.pages) {
			t.Fatalf("server %d made alone differs from the one made in order", i)
		}
		for k, p := range s.pages {
			if p.path != known.pages[k].path || !slices.Equal(p.versions, known.pages[k].versions) {
				t.Fatalf("page %s of server %d made alone differs", p.path, i)
			}
		}
	}
}

func TestSizes(t *testing.T) {
	for _, o := range []Options{{Seed: 1}, {Seed: 2, Servers: 1, Pages: 40},
		{Seed: 3, Servers: 5, Pages: 10},
		{Seed: 4, Servers: 2500, Pages: 6000, Weeks: 2}, {Seed: 5, Servers: 100, Pages: 12000}} {
		w := New(o)
		o = w.Options()
		if len(w.byName) != o.Servers {
			t.Errorf("%+v: %d server names", o, len(w.byName))
		}
		pages := Compare(w, w.Start()).Pages[DomainUnknown]
		if pages < o.Pages*9/10 || pages > o.Pages*6/5+2*o.Servers {
			t.Errorf("%+v: %d pages at the start", o, pages)
		}
	}
}

// TestVersions checks that bodies differ exactly between versions, and what a server reports about
// them.
func TestVersions(t *testing.T) {
	w := small(1)
	for _, server := range w.Servers() {
		for _, path := range w.Pages(server) {
			times := w.Versions(server, path)
			gone, dies := w.Gone(server, path)
			for i, at := range times {
				if i > 0 && !at.After(times[i-1]) || dies && !at.Before(gone) {
					t.Fatalf("%s%s: version %d at %v is not after the one before, or not before "+
						"the end", server, path, i, at)
				}
				now, until := w.Resource(server, path, at), w.End()
				if i+1 < len(times) {
					until = times[i+1]
				} else if dies {
					until = gone
				}
				last := w.Resource(server, path, until.Add(-time.Second))
				if now.Status != 200 || !bytes.Equal(now.Body, last.Body) ||
					!now.LastModified.Equal(last.LastModified) {
					t.Fatalf("%s%s: version %d does not hold until %v", server, path, i, until)
				}
				if i == 0 && (now.LastModified.After(at) || at.After(w.Start()) &&
					!now.LastModified.Equal(at)) ||
					i > 0 && !now.LastModified.Equal(at) {
					t.Fatalf("%s%s: version %d of %v was last modified %v",
						server, path, i, at, now.LastModified)
				}
				if i > 0 && bytes.Equal(now.Body,
					w.Resource(server, path, at.Add(-time.Second)).Body) {
					t.Fatalf("%s%s: version %d of %v has the body of the one before",
						server, path, i, at)
				}
			}
			if born := times[0]; born.After(w.Start()) &&
				w.Resource(server, path, born.Add(-time.Second)).Status != 404 {
				t.Errorf("%s%s is there before its birth", server, path)
			}
			if after := w.Resource(server, path, gone); dies && after.Status != 404 &&
				after.Status != 410 {
				t.Errorf("%s%s is there after its end: %d", server, path, after.Status)
			}
		}
	}
}

// TestTimesAreComplete asks at random times: between two Times nothing may change.
func TestTimesAreComplete(t *testing.T) {
	w := small(2)
	for _, server := range w.Servers() {
		paths := append(w.Paths(server), "/index.html", "/nothing")
		for k, path := range paths {
			times := w.Times(server, path)
			for day := k % 50; day < 420; day += 50 {
				at := w.Start().Add(time.Duration(day)*24*time.Hour + 11*time.Hour)
				i, found := slices.BinarySearchFunc(times, at, time.Time.Compare)
				if found || i == 0 {
					continue
				}
				one, other := w.Resource(server, path, at), w.Resource(server, path, times[i-1])
				if one.Status != other.Status || !bytes.Equal(one.Body, other.Body) {
					t.Fatalf("%s%s changed between %v and %v", server, path, times[i-1], at)
				}
			}
		}
	}
}

func TestNoStormAtTheStart(t *testing.T) {
	var weekly [60]int
	for seed := range uint64(4) {
		w := New(Options{Seed: seed})
		for _, s := range w.servers {
			for _, p := range s.pages {
				for _, v := range p.versions {
					if v.at > p.born {
						weekly[v.at/weekSeconds]++
					}
				}
			}
		}
	}
	mean := 0
	for _, n := range weekly {
		mean += n
	}
	mean /= len(weekly)
	for i, n := range weekly {
		if n < mean*6/10 || n > mean*16/10 {
			t.Errorf("week %d has %d changes, the mean week %d", i, n, mean)
		}
	}
}

func TestRobotsParse(t *testing.T) {
	w := New(Options{Seed: 5})
	found := 0
	for _, server := range w.Servers() {
		r := w.Resource(server, "/robots.txt", w.Start())
		if r.Status == 404 {
			continue
		}
		found++
		robots, err := robotstxt.FromBytes(r.Body)
		if err != nil {
			t.Fatalf("%s: %v\n%s", server, err, r.Body)
		}
		for _, path := range w.Pages(server) {
			if !robots.TestAgent(path, "recrawl") {
				t.Errorf("%s%s is excluded", server, path)
			}
		}
		for _, address := range robots.Sitemaps {
			u, err := url.Parse(address)
			if err != nil || u.Host != server ||
				w.Resource(server, u.Path, w.Start()).Status != 200 {
				t.Errorf("%s: sitemap %q is not there", server, address)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d servers of 60 have a robots.txt", found)
	}
}

func TestUnknownAddresses(t *testing.T) {
	w := small(1)
	server := w.Servers()[0]
	if r := w.Resource(server, "/nothing", w.Start()); r.Status != 404 {
		t.Errorf("a page that is not there: %d", r.Status)
	}
	if r := w.Resource("www.nothing.example", "/", w.Start()); r.Status != 404 {
		t.Errorf("a server that is not there: %d", r.Status)
	}
	if r := w.Resource(server, "/index.html", w.Start()); r.Status != 301 || r.Location != "/" {
		t.Errorf("index.html: %d %q", r.Status, r.Location)
	}
}

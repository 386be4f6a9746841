package core_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
)

// TestExport crawls a web that changes, exports the visits, and reads them back: each page has a
// version for each change in the journal, and its links, so that eval accepts it.
func TestExport(t *testing.T) {
	t.Parallel() // it waits for rounds to end
	lab := serve(t, library(shelves{servers: 2, sections: 3, pages: 6, days: 3000,
		every: func(server, section, page int) int { return 1 + page }}))
	dir := t.TempDir()
	w := newWitness(t, lab, filepath.Join(dir, "data"), 2*time.Second)
	args := append([]string{"run", "--data", w.dir, "--user-agent", contact, "--allow-private",
		"--delay", "4ms", "--round", "2s", "--rounds", "3",
		"--budget", "100000000", "--quiet"}, lab.starts()...)
	recrawlIn(t, dir, nil, args...).ok(t)
	w.look()
	to := filepath.Join(dir, "histories")
	got := decode[struct{ Servers, Pages, Versions, Torn int }](t,
		recrawl(t, "export", "--data", w.dir, "--history", to, "--json").ok(t), true)
	want := map[string]int{} // versions of each page
	for _, e := range w.lines {
		switch {
		case e.Verdict == "first" || e.Verdict == "changed":
			want[e.URL]++
		case e.Verdict == "left" && want[e.URL] > 0:
			want[e.URL]++
		}
	}
	read, linked := 0, 0
	files, err := filepath.Glob(filepath.Join(to, "*.jsonl.gz"))
	if err != nil || len(files) != got.Servers {
		t.Fatalf("%d files of %d servers, %v", len(files), got.Servers, err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := history.Read(f, file)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Pages {
			read++
			if len(p.Versions) != want[p.URL] {
				t.Errorf("%s has %d versions, the journal tells of %d",
					p.URL, len(p.Versions), want[p.URL])
			}
			if len(p.Versions[0].Links) > 0 {
				linked++
			}
			delete(want, p.URL)
		}
	}
	changing := got.Versions > got.Pages
	if read != got.Pages || linked == 0 || !changing || len(want) > 0 {
		t.Errorf("%d pages were read, %d with links, of %+v; missing: %v", read, linked, got, want)
	}
	recrawl(t, "export", "--data", w.dir, "--history", to).refused(t, 2, "already exists")
	recrawl(t, "export", "--data", w.dir).refused(t, 2, "--history")
}

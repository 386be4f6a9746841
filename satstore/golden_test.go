package satstore

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/sitegraph"
)

const goldenDir = "testdata/format2"

func goldenRecord(p sitegraph.PageID, due time.Time) *sitegraph.Record {
	r := newRecord(p, due)
	r.State, r.Status, r.ETag, r.Referer = sitegraph.StateAlive, 200, `"v2"`, modelURL(0)
	r.Tried, r.Interval = day0.Add(-time.Hour), 36*time.Hour
	r.Digests.Text = sitegraph.DigestOf([]byte{byte(p)})
	return r
}

// makeGolden makes the store in testdata: a checkpoint, and after it a log with records, catalogue,
// messages, a removal and a clock.
func makeGolden(t *testing.T, disk vfs.FS) {
	s := mustOpen(t, "a/store", Options{FS: disk, Now: day0, Apply: appendMessages})
	for p := range sitegraph.PageID(12) {
		must(t, s.Add(goldenRecord(p, at(1+int(p)*int(p)))))
	}
	must(t, s.SaveStart(0))
	must(t, s.SaveLinks(0, []sitegraph.PageID{3, 1, 2}, []sitegraph.PageID{2}))
	must(t, s.SaveSetting("round", []byte("1")))
	must(t, s.Message(5, []byte("<1>")))
	must(t, s.Commit())
	must(t, s.Close())
	s = mustOpen(t, "a/store", Options{FS: disk, Apply: appendMessages})
	must(t, s.Add(goldenRecord(12, at(3))))
	must(t, s.Remove(4))
	must(t, s.SaveLinks(3, []sitegraph.PageID{12}, nil))
	must(t, s.SaveSetting("round", []byte("2")))
	must(t, s.Message(5, []byte("<2>")))
	must(t, s.Message(12, []byte("<3>")))
	must(t, s.Commit())
	must(t, s.Advance(at(2), func(r *sitegraph.Record) { r.Due = at(40) }))
	must(t, s.Reschedule([]sitegraph.PageID{11}, dueAt(at(3))))
	must(t, s.Commit())
}

// A store of format 2 can always be opened. RECRAWL_GOLDEN=1 writes the files: only for a new
// format.
func TestFormat2Opens(t *testing.T) {
	if os.Getenv("RECRAWL_GOLDEN") != "" {
		mem := vfs.NewMem()
		makeGolden(t, mem)
		for _, dir := range []string{"", "sat", "pebble"} {
			to := filepath.Join(goldenDir, dir)
			must(t, os.MkdirAll(to, 0o755))
			names, err := mem.List("a/store/" + dir)
			must(t, err)
			for _, name := range names {
				path := "a/store/" + name
				if dir != "" {
					path = "a/store/" + dir + "/" + name
				}
				if stat, err := mem.Stat(path); err == nil && !stat.IsDir() {
					must(t, os.WriteFile(filepath.Join(to, name), readAll(t, mem, path), 0o644))
				}
			}
		}
	}
	want := newModel()
	want.clock = 48
	for p := range sitegraph.PageID(13) {
		due := at(1 + int(p)*int(p))
		switch p {
		case 0, 1:
			due = at(40)
		case 11, 12:
			due = at(3)
		}
		want.records = append(want.records, *goldenRecord(p, due))
		want.unit = append(want.unit, int64(due.Sub(day0)/time.Hour))
	}
	want.unit[4] = removed
	want.messages[5], want.messages[12] = "<1><2>", "<3>"
	want.start[0] = true
	want.links[0] = [2][]sitegraph.PageID{{3, 1, 2}, {2}}
	want.links[3] = [2][]sitegraph.PageID{{12}, nil}
	for _, readOnly := range []bool{true, false} {
		disk := vfs.NewMem()
		must(t, filepath.WalkDir(goldenDir, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(goldenDir, path)
			must(t, err)
			to := filepath.ToSlash(filepath.Join("a/store", name))
			if e.IsDir() {
				return disk.MkdirAll(to, 0o755)
			}
			b, err := os.ReadFile(path)
			must(t, err)
			writeAll(t, disk, to, b)
			return nil
		}))
		o := Options{FS: disk, Apply: appendMessages, ReadOnly: readOnly}
		s := mustOpen(t, "a/store", o)
		must(t, newDriver(nil, o).compare(s, want))
		if v, ok, err := s.Setting("round"); err != nil || !ok || string(v) != "2" {
			t.Errorf("setting %q %v %v", v, ok, err)
		}
		if !readOnly {
			var got []sitegraph.PageID
			must(t, s.Advance(at(500), func(r *sitegraph.Record) {
				got = append(got, r.Page)
				r.Due = at(600)
			}))
			must(t, s.Commit())
			if slices.Sort(got); len(got) != 12 || slices.Contains(got, 4) {
				t.Errorf("handed out %v", got)
			}
			report, err := s.Check(context.Background(), nil, nil)
			if must(t, err); len(report.Damage) > 0 {
				t.Error(report.Damage)
			}
		}
		must(t, s.Close())
	}
}

// Load returns messages until Save; Advance returns them once. They wait if the options have no
// Apply.
func TestMessages(t *testing.T) {
	disk := vfs.NewMem()
	o := Options{FS: disk, Now: day0, Apply: appendMessages}
	s := mustOpen(t, "s", o)
	for p := range sitegraph.PageID(2) {
		must(t, s.Add(newRecord(p, at(2))))
		must(t, s.Message(p, []byte("1")))
		must(t, s.Message(p, []byte("2")))
	}
	must(t, s.Commit())
	reason := func(p sitegraph.PageID) string {
		t.Helper()
		var r sitegraph.Record
		must(t, s.Load(p, &r))
		return r.Reason
	}
	for range 2 {
		if got := reason(0); got != "12" {
			t.Errorf("loaded %q", got)
		}
	}
	var r sitegraph.Record
	must(t, s.Load(0, &r))
	must(t, s.Message(0, []byte("3"))) // between Load and Save
	must(t, s.Reschedule([]sitegraph.PageID{0}, dueAt(at(1))))
	must(t, s.Advance(at(0).Add(time.Hour), func(r *sitegraph.Record) { t.Errorf("due: %+v", r) }))
	must(t, s.Save(&r))
	if got := reason(0); got != "123" {
		t.Errorf("after Save %q", got)
	}
	must(t, s.Commit())
	must(t, s.Close())

	o.Apply = nil
	s = mustOpen(t, "s", o)
	must(t, s.Advance(at(3), func(r *sitegraph.Record) { r.Due = at(5) }))
	must(t, s.Commit())
	must(t, s.Close())

	o.Apply = appendMessages
	s = mustOpen(t, "s", o)
	got := map[sitegraph.PageID]string{}
	must(t, s.Advance(at(5), func(r *sitegraph.Record) { got[r.Page] = r.Reason; r.Due = at(9) }))
	if got[0] != "123" || got[1] != "12" || reason(1) != "12" {
		t.Errorf("after Advance %v, %q", got, reason(1))
	}
	must(t, s.Close())
}

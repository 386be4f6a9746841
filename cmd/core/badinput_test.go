package core_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// historyFile writes a history of a start page and pages of one directory, one of which changes
// weekly over the window of the evaluation.
func historyFile(t *testing.T, server string, pages int) string {
	t.Helper()
	text, err := historyOf(server, pages)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func historyOf(server string, pages int) (string, error) {
	const from, week = 1_700_000_000, 7 * 24 * 3600
	base := "http://" + server
	var links []string
	for i := range pages {
		links = append(links, fmt.Sprintf("%s/news/%d.html", base, i))
	}
	var all []*history.Page
	add := func(url string, versions int, links ...string) {
		p := &history.Page{URL: url}
		for v := range versions {
			digest := sitegraph.DigestOf(fmt.Appendf(nil, "%s %d", url, v))
			p.Versions = append(p.Versions, history.Version{T: from + int64(v)*week,
				Digests: sitegraph.Digests{Bytes: digest}, Links: links, LinksKnown: true})
		}
		all = append(all, p)
	}
	add(base+"/", 1, base+"/news/")
	add(base+"/news/", 60, links...)
	for i, url := range links {
		add(url, 1+i%2*59, base+"/")
	}
	var b bytes.Buffer
	err := history.Write(&b, history.NewServer(server, from, all))
	return b.String(), err
}

// TestFullDisk runs until a small file system is full, frees space, and continues: everything
// acknowledged is there.
func TestFullDisk(t *testing.T) {
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
	lab := serve(t, library(shelves{servers: 3, sections: 5, pages: 30, days: 3000,
		every: func(_, _, page int) int { return page % 9 }}))
	w := newWitness(t, lab, filepath.Join(disk, "data"), time.Second)
	args := append([]string{"run", "--data", w.dir, "--user-agent", contact, "--allow-private",
		"--delay", "1ms", "--round", "1s", "--unlimited", "--workers", fmt.Sprint(workers),
		"--quiet", "--min-free", "0"}, lab.starts()...)

	// A first part with room makes data that could be lost.
	w.runs = append(w.runs, time.Now())
	recrawl(t, append(args, "--rounds", "1")...).ok(t)
	w.look()
	filler := filepath.Join(disk, "filler")
	for _, room := range []int64{0, 20_000, 100_000, 300_000} {
		fill(t, disk, filler, room)
		w.runs = append(w.runs, time.Now())
		r := recrawl(t, args...).refused(t, 1, "disk is full", "space")
		if strings.Count(r.stderr, "\n") != 2 {
			t.Errorf("an error and a hint about a full disk became\n%s", r.stderr)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		w.look()
	}
	w.runs = append(w.runs, time.Now())
	before := len(w.lines)
	recrawl(t, append(args, "--rounds", "2")...).ok(t)
	w.look()
	w.judge()
	if len(w.lines) == before {
		t.Error("nothing was visited after space was free again")
	}
}

// TestDiskNearlyFull checks that with less than --min-free no visit begins, that run says so, and
// that it continues by itself when there is space.
func TestDiskNearlyFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "recrawl-test",
		disk).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a small file system: %v %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 10, days: 3000,
		every: func(_, _, page int) int { return page % 9 }}))
	filler := filepath.Join(disk, "filler")
	fill(t, disk, filler, 20_000_000)
	p := start(t, disk, nil,
		append([]string{"run", "--data", filepath.Join(disk, "data"), "--user-agent", contact,
			"--allow-private", "--delay", "1ms",
			"--round", "1s", "--unlimited", "--min-free", "30000000"}, lab.starts()...)...)
	eventually(t, "a word of the disk", func() bool {
		return strings.Contains(p.stderr.String(), "bytes free")
	})
	if n := lab.count(); n > 0 {
		t.Errorf("%d requests with less than --min-free", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	eventually(t, "visits when there is space", func() bool {
		return lab.count() > 10 && strings.Contains(p.stderr.String(), "going on")
	})
	p.interrupt()
}

// fill leaves room bytes free.
func fill(t *testing.T, disk, filler string, room int64) {
	t.Helper()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(disk, &fs); err != nil {
		t.Fatal(err)
	}
	size := int64(fs.Bavail)*int64(fs.Bsize) - room
	f, err := os.Create(filler)
	if err == nil {
		_, err = f.Write(make([]byte, max(size, 0)))
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

package core

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/recrawl/recrawl/satstore/directory"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostDrift is the largest difference between wall clock and monotonic clock during the comparison,
// as a share: adjusted clocks run at most 500 ppm too fast, and a busy machine reads them late.
const mostDrift = 0.05

// clock compares the wall clock with the monotonic one.
func clock(pause time.Duration) doctorCheck {
	const what = "clock"
	began := time.Now()
	time.Sleep(pause)
	ended := time.Now()
	steady, wall := ended.Sub(began), ended.Round(0).Sub(began.Round(0))
	drift := (wall - steady).Abs()
	if drift > time.Duration(mostDrift*float64(steady))+time.Millisecond {
		return doubt(what, "let one service alone set the clock: due times and budgets go by it",
			"it moved by %v while %v passed", wall, steady)
	}
	return good(what, "%s, running evenly", ended.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// mostClockAhead is how far in the future a file may be: file systems round times.
const mostClockAhead = 2 * time.Second

// newest looks for files of the future: the clock was ahead once, or is behind now.
func newest(dir string) doctorCheck {
	const what = "clock and data"
	var last time.Time
	var which string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // the check of the directory reports it
		}
		if info, err := d.Info(); err == nil && info.ModTime().After(last) {
			last, which = info.ModTime(), path
		}
		return nil
	})
	if ahead := time.Until(last); ahead > mostClockAhead {
		return bad(what, "set the clock: pages would look as if they were visited in the future",
			"%s is %s newer than now", which, words.Duration(ahead.Round(time.Second)))
	}
	return good(what, "no file of %s is newer than now", cmp.Or(dir, "the data"))
}

// disk writes, syncs and removes a file in a directory, or in the nearest existing one above it.
func disk(what, flag, dir string, least int64) doctorCheck {
	if dir == "" {
		return bad(what, "say where the store is: --data crawl", "none is given")
	}
	at := dir
	for {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return bad(what, "name a directory with "+flag, "%s is no directory", at)
		}
		if err == nil {
			break
		}
		up := filepath.Dir(at)
		if !errors.Is(err, fs.ErrNotExist) || up == at {
			return bad(what, "check the path given with "+flag, "%v", err)
		}
		at = up
	}
	took, err := tryWrite(at)
	if err != nil {
		return bad(what, "give the user of the crawl the right to write there, or another "+flag,
			"%v", err)
	}
	free, err := directory.Free(at)
	switch {
	case err != nil:
		return doubt(what, "look at the disk yourself",
			"%s can be written; its free space is not known: %v", at, err)
	case free < least:
		return bad(what, "free some space, or name another disk: no visit begins below --min-free",
			"%s has %d MB free, fewer than --min-free %d MB", at, free/1e6, least/1e6)
	case free < 10*least:
		return doubt(what, "watch the disk: no visit begins below --min-free",
			"%s has %d MB free, and stops at %d MB", at, free/1e6, least/1e6)
	case took > slowSync:
		return doubt(what, "take a faster disk: each commit of visits waits for it",
			"%s takes %v to write and sync 4 KB", at, took.Round(time.Millisecond))
	}
	return good(what, "%s can be written and synced, %d MB free", at, free/1e6)
}

// slowSync is the longest acceptable time to sync a small file. Visits are committed in groups, at
// most a few times a second.
const slowSync = time.Second

func tryWrite(dir string) (took time.Duration, err error) {
	began := time.Now()
	f, err := os.CreateTemp(dir, ".recrawl-doctor-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 4<<10))
	err = errors.Join(err, f.Sync(), f.Close())
	return time.Since(began), err
}

// filesOfStore is the most files that store, journal, log and archive have open, apart from
// connections: Pebble keeps up to 1,000 tables open.
const filesOfStore = 1200

// checkDescriptors requires two for each visit, a connection and a look-up, and those of the store.
func checkDescriptors(workers int) doctorCheck {
	const what = "file descriptors"
	limit, ok := descriptorLimit()
	need := uint64(filesOfStore + 2*workers)
	switch {
	case !ok:
		return good(what, "their limit is not known on this system")
	case limit < need:
		return doubt(what, fmt.Sprintf("raise the limit (ulimit -n %d, or LimitNOFILE of the "+
			"service), or take fewer --workers", need),
			"%d, where %d workers and the store may need %d", limit, workers, need)
	}
	return good(what, "%d, where %d may be needed", limit, need)
}

// programBytes is the memory of the program with a small store. About 1 KB for each known page is
// added (docs/design/results.md), which is not known here.
const programBytes = 100e6

// checkMemory requires room for the bodies that are read at the same time, each twice: as received
// and as parsed.
func checkMemory(workers int, maxBody int64) doctorCheck {
	const what = "memory"
	free := 1024 * machine.Field("/proc/meminfo", "MemAvailable:")
	need := int64(programBytes) + 2*maxBody*int64(min(workers, largeBodies))
	switch {
	case free == 0:
		return good(what, "what is free is not known on this system")
	case free < need:
		return doubt(what, "take fewer --workers or a smaller --max-body, or give the machine more",
			"%d MB are free, and large pages may take %d MB", free/1e6, need/1e6)
	}
	return good(what, "%d MB are free, and large pages may take %d MB", free/1e6, need/1e6)
}

// largeBodies is the most bodies near the limit that are read at the same time.
const largeBodies = 16

// checkNameserver checks that a name server is configured. It sends no query.
func checkNameserver(given string) doctorCheck {
	const what = "name server"
	if given != "" {
		if !validNameserver(given) {
			return bad(what, "give an address and a port, as --resolver 127.0.0.1:53", "%s is none",
				given)
		}
		return good(what, "%s, of --resolver; name a server to have it asked", given)
	}
	text, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return doubt(what, "name a server to see whether names are found: recrawl doctor "+
			"https://example.org/", "%v", err)
	}
	var servers []string
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "nameserver" {
			servers = append(servers, fields[1])
		}
	}
	if len(servers) == 0 {
		return doubt(what, "name one in /etc/resolv.conf, or with --resolver",
			"/etc/resolv.conf names none")
	}
	return good(what, "%s, of the system; name a server to have it asked",
		strings.Join(servers, ", "))
}

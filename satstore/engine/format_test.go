package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Stores of format 1, each with a part that the earlier ones lack: outlines, checksums of frames,
// marks of run files.
const (
	goldenDir   = "testdata/format1"
	outlinedDir = "testdata/format1-outlined"
	summedDir   = "testdata/format1-summed"
	markedDir   = "testdata/format1-marked"
)

func goldenBody(i uint32) string { return fmt.Sprintf("record %d of format 1", i) }

// goldenDue spreads the records over both levels.
func goldenDue(i uint32) int64 { return 102 + int64(i)*int64(i)*3 }

// makeGolden makes the store in testdata: a checkpoint, and after it in the log a run, logged
// pages, deletions, dropped messages and a clock.
func makeGolden(t *testing.T, fs vfs.FS) {
	o := Options{FS: fs, Unit: 3600, Levels: HoursAndDays, Base: 100, PageBytes: 512}
	s := mustOpen(t, storeDir, o)
	for i := range uint32(40) {
		must(t, s.Put(i, goldenDue(i), []byte(goldenBody(i))))
	}
	must(t, s.Message(5, []byte("hello")))
	must(t, s.Message(30, []byte("far")))
	must(t, s.Checkpoint())
	must(t, s.Delete(7))
	must(t, s.Put(50, 103, []byte(goldenBody(50))))
	must(t, s.Commit())
	s.o.PartBytes = 1
	must(t, s.Put(51, 104, []byte(goldenBody(51))))
	must(t, s.Message(5, []byte("world")))
	must(t, s.Message(51, []byte("new")))
	must(t, s.Commit())
	s.o.PartBytes = 1 << 20
	must(t, s.Advance(102, func(r *Record) (int64, []byte) {
		return 110, append(r.Body, " again"...)
	}))
	must(t, s.Put(30, 105, []byte(goldenBody(30))))
	must(t, s.Commit())
}

// A store of format 1 opens for ever. RECRAWL_GOLDEN=1 writes the files, for a new format only.
func TestFormat1Opens(t *testing.T) {
	if os.Getenv("RECRAWL_GOLDEN") != "" {
		fs := vfs.NewMem()
		makeGolden(t, fs)
		must(t, os.MkdirAll(markedDir, 0o755))
		for name, b := range contents(t, fs, storeDir) {
			must(t, os.WriteFile(filepath.Join(markedDir, name), b, 0o644))
		}
	}
	for _, dir := range []string{goldenDir, outlinedDir, summedDir, markedDir} {
		t.Run(filepath.Base(dir), func(t *testing.T) { goldenOpens(t, dir) })
	}
}

func goldenOpens(t *testing.T, dir string) {
	files := map[string][]byte{}
	list, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range list {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		files[e.Name()] = b
	}
	for _, readOnly := range []bool{true, false} {
		s := mustOpen(t, storeDir, Options{FS: diskOf(t, files), ReadOnly: readOnly})
		checkClean(t, s)
		want := newModel()
		want.clock = 102
		for i := range uint32(40) {
			if i != 7 {
				want.records[i] = modelRecord{due: goldenDue(i), body: []byte(goldenBody(i))}
			}
		}
		want.records[0] = modelRecord{due: 110, body: []byte(goldenBody(0) + " again")}
		want.records[5] = modelRecord{due: goldenDue(5), body: []byte(goldenBody(5)),
			messages: [][]byte{[]byte("hello"), []byte("world")}}
		want.records[30] = modelRecord{due: 105, body: []byte(goldenBody(30)),
			messages: [][]byte{[]byte("far")}}
		want.records[50] = modelRecord{due: 103, body: []byte(goldenBody(50))}
		want.records[51] = modelRecord{due: 104, body: []byte(goldenBody(51)),
			messages: [][]byte{[]byte("new")}}
		if err := compare(s, want, 60); err != nil {
			t.Fatalf("read only %v: %v", readOnly, err)
		}
		if !readOnly {
			must(t, s.Advance(5000, func(r *Record) (int64, []byte) { return r.Due, r.Body }))
			must(t, s.Commit())
			checkClean(t, s)
		}
		must(t, s.Close())
	}
}

// The examples in FORMAT.md have these bytes.
func TestFormatExamples(t *testing.T) {
	b := appendFrame(nil, kindRecords,
		&frame{flags: flagMore, seq: 7, ahead: 5, body: []byte("abc")})
	if got, want := fmt.Sprintf("% x", b), "0e 07 00 00 00 05 61 62 63"; got != want {
		t.Errorf("frame %s, want %s", got, want)
	}
	whole := append(make([]byte, blockHeader), b...)
	sums := sealBlock(whole, nil, 0, &block{off: 4096, count: 1}, slotKey{1, 9}, 3, 2)
	if len(sums) != sumBytes {
		t.Errorf("%d bytes of checksums", len(sums))
	}
	want := "53 52 42 31 35 00 00 00 01 00 02 01 03 00 00 00 09 00 00 00 00 00 00 00 00 01 00 00 " +
		"02 00 00 00 00 00 00 00"
	if got := fmt.Sprintf("% x", whole[:blockCRCAt]); got != want {
		t.Errorf("block %s, want %s", got, want)
	}
}

package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A frame is written as the bytes from which it was read, except for numbers of needless length.
func FuzzFrame(f *testing.F) {
	f.Add(appendFrame(nil, kindRecords,
		&frame{flags: flagMore, seq: 7, ahead: 5, body: []byte("abc")}), true)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, false)
	f.Fuzz(func(t *testing.T, b []byte, record bool) {
		kind := kindMessages
		if record {
			kind = kindRecords
		}
		var fr, again frame
		n := fr.parse(b, kind)
		if n == 0 {
			return
		}
		if n > len(b) || len(fr.body) > n {
			t.Fatalf("%d bytes of %d", n, len(b))
		}
		out := appendFrame(nil, kind, &fr)
		if len(out) > n || frameLen(kind, fr.ahead, fr.body) != len(out) {
			t.Fatalf("%x is written as %x", b[:n], out)
		}
		if again.parse(out, kind) != len(out) || again.seq != fr.seq || again.ahead != fr.ahead ||
			again.flags != fr.flags || !bytes.Equal(again.body, fr.body) {
			t.Fatalf("%+v becomes %+v", fr, again)
		}
	})
}

// Any payload of a log frame is applied or refused, without panic.
func FuzzApply(f *testing.F) {
	files, _, _ := aged(f, false)
	for name, b := range files {
		if _, ok := parseName(name, logPrefix); !ok {
			continue
		}
		r := &logReader{file: vfs.NewMemFile(b), size: int64(len(b))}
		for {
			fr, err := r.next()
			if err != nil {
				break
			}
			f.Add(fr.kind, bytes.Clone(fr.payload))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, payload []byte) {
		o := smallOptions(vfs.NewMem())
		s := mustOpen(t, storeDir, o)
		defer s.Close()
		must(t, s.Put(3, 9, []byte("three")))
		must(t, s.Commit())
		s.replay = true
		if kind == logSnapshot || kind == 0 || kind > logVoided {
			return
		}
		_ = s.apply(logFrame{kind: kind, payload: payload})
		s.replay = false
		s.err = ErrClosed // the applied frames refer to missing runs
	})
}

// An index file of any content is loaded or refused.
func FuzzIndex(f *testing.F) {
	files, _, _ := aged(f, true)
	for name, b := range files {
		if _, ok := parseName(name, indexPrefix); ok {
			f.Add(b)
		}
	}
	number := uint64(4)
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b)
		for at := 0; at+indexHead <= len(b); { // right checksums, so that more code is reached
			n := int(binary.LittleEndian.Uint32(b[at:]))
			if n < 1 || at+indexHead+n > len(b) {
				break
			}
			binary.LittleEndian.PutUint32(b[at+4:],
				indexCRC(int64(number), b[at+indexHead:at+indexHead+n]))
			at += indexHead + n
		}
		broken := map[string][]byte{}
		for name, old := range files {
			broken[name] = old
			if _, ok := parseName(name, indexPrefix); ok {
				broken[name] = b
			}
		}
		o := smallOptions(diskOf(t, broken))
		o.ReadOnly = true
		s, err := Open(storeDir, o)
		if err != nil {
			if !isDamage(err) {
				t.Fatal(err)
			}
			return
		}
		defer s.Close()
		for seq := range uint32(50) {
			if _, _, _, err := s.Load(seq, nil); err != nil && !isDamage(err) {
				t.Fatal(err)
			}
		}
	})
}

func FuzzFormat(f *testing.F) {
	f.Add(string(formatText(3600, [16]byte{1, 2}, HoursAndDays)))
	f.Fuzz(func(t *testing.T, text string) {
		unit, id, levels, err := parseFormat(text)
		if err != nil {
			return
		}
		out := string(formatText(unit, id, levels))
		if unit2, id2, levels2, err := parseFormat(out); err != nil || unit2 != unit || id2 != id ||
			len(levels2) != len(levels) {
			t.Fatalf("%q becomes %q: %v", text, out, err)
		}
	})
}

// Scan takes any bytes as log and run file, and passes on only records with right checksums.
func FuzzScan(f *testing.F) {
	mem := vfs.NewMem()
	s, err := Open(storeDir, Options{FS: mem, PartBytes: 1,
		Apply: func([]byte) error { return nil }, Flush: func() error { return nil }})
	if err != nil {
		f.Fatal(err)
	}
	for i := range uint32(20) {
		err := errors.Join(s.Put(i, 10+int64(i), []byte(goldenBody(i))), s.Commit())
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := errors.Join(s.Attach([]byte("batch")), s.Commit()); err != nil {
		f.Fatal(err)
	}
	var files [2][]byte
	for i, name := range []string{"/MANIFEST-000001", "/run-00000001"} {
		file, err := mem.Open(storeDir + name)
		if err != nil {
			f.Fatal(err)
		}
		if files[i], err = io.ReadAll(file); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(files[0], files[1])
	f.Add(files[0][40:], files[1][:5000])
	f.Fuzz(func(t *testing.T, log, run []byte) {
		disk := diskOf(t, map[string][]byte{"MANIFEST-000001": log, "run-00000001": run})
		_, err := Scan(disk, storeDir, Scanner{
			Attached: func([]byte) error { return nil },
			Record: func(seq uint32, _ Version, body []byte) error {
				if seq < 20 && len(body) > 0 && string(body) != goldenBody(seq) {
					t.Errorf("record %d is %q", seq, body)
				}
				return nil
			},
		})
		var format *FormatError
		if err != nil && !errors.As(err, &format) {
			t.Error(err)
		}
	})
}

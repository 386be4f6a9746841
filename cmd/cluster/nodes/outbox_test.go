package nodes

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// settings are the settings of a store.
type settings map[string][]byte

func (s settings) get(name string) ([]byte, bool, error) { v, ok := s[name]; return v, ok, nil }
func (s settings) save(name string, v []byte) error      { s[name] = v; return nil }

// other returns a URL of another shard than 0 of 2.
func other(i int) string {
	for n := i * 1000; ; n++ {
		if url := fmt.Sprintf("http://h%d.example/", n); ShardOf(url, 2) == 1 {
			return url
		}
	}
}

func open(t *testing.T, kept settings) *Outbox {
	t.Helper()
	o, err := NewOutbox(0, 2, kept.get)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func numbers(messages []Links) map[uint64]bool {
	of := map[uint64]bool{}
	for _, m := range messages {
		of[m.Number] = true
	}
	return of
}

// TestOutbox checks that links stay until they are acknowledged, across restarts, and that no
// message changes once it was sent.
func TestOutbox(t *testing.T) {
	kept := settings{}
	now := midnight
	o := open(t, kept)
	first := other(1)
	o.See("http://of.example/", []string{first, first, "http://of.example/x", "http://[",
		"mailto:x"}, now)
	if m := o.Due(now.Add(time.Minute)); len(m) != 0 {
		t.Fatalf("sent before it is kept: %v", m)
	}
	if err := o.Save(kept.save); err != nil {
		t.Fatal(err)
	}
	if m := o.Due(now); len(m) != 0 {
		t.Errorf("sent at once: %v", m)
	}
	m := o.Due(now.Add(sealAfter))
	if len(m) != 1 || len(m[0].Links) != 1 || m[0].Links[0] != first || m[0].To != 1 {
		t.Fatalf("sent are %v", m)
	}
	o.See("http://of.example/", []string{other(2)}, now) // of the next message
	o.Save(kept.save)
	sent := now.Add(sealAfter)
	if again := o.Due(sent.Add(repeatAfter / 2)); len(again) != 1 ||
		again[0].Number == m[0].Number {
		t.Errorf("sent then: %v", again)
	}
	for _, wait := range []time.Duration{repeatAfter, 2 * repeatAfter, repeatMost, repeatMost} {
		early, again := o.Due(sent.Add(wait-1)), o.Due(sent.Add(wait))
		if numbers(early)[m[0].Number] || !numbers(again)[m[0].Number] {
			t.Errorf("%v after it was sent: %v, and before %v", wait, again, early)
		}
		sent = sent.Add(wait)
	}
	o = open(t, kept) // a restart
	if o.Waiting() != 2 {
		t.Errorf("%d links wait", o.Waiting())
	}
	all := o.Due(now)
	if len(all) != 2 || fmt.Sprint(all[0]) != fmt.Sprint(m[0]) {
		t.Errorf("sent after a restart: %v", all)
	}
	wrong := all[0].Ack()
	wrong.Sum++
	o.Acknowledged(wrong)
	o.Acknowledged(all[1].Ack()) // in any order
	o.Acknowledged(all[1].Ack())
	if o.Waiting() != 1 {
		t.Errorf("%d links wait after one of two was acknowledged", o.Waiting())
	}
	o.Acknowledged(all[0].Ack())
	o.Save(kept.save)
	if o = open(t, kept); o.Waiting() != 0 || len(o.Due(now.Add(time.Hour))) != 0 {
		t.Errorf("%d links wait after all were acknowledged", o.Waiting())
	}
}

// TestOutboxToItself checks that another server in the same shard is treated like others.
func TestOutboxToItself(t *testing.T) {
	kept := settings{}
	o := open(t, kept)
	var same []string
	for i := range 100 {
		if url := fmt.Sprintf("http://s%d.example/", i); ShardOf(url, 2) == 0 {
			same = append(same, url)
		}
	}
	o.See(same[0], same[:2], midnight)
	o.Save(kept.save)
	if m := o.Due(midnight.Add(sealAfter)); len(m) != 1 || m[0].To != 0 || len(m[0].Links) != 1 ||
		m[0].Links[0] != same[1] {
		t.Errorf("sent are %v", m)
	}
}

// TestOutboxFull checks that links without room are counted.
func TestOutboxFull(t *testing.T) {
	o := open(t, settings{})
	for i := range mostChunks * chunkLinks {
		o.add(1, "x", midnight)
		if i%chunkLinks == 0 && o.Dropped > 0 {
			t.Fatalf("dropped after %d", i)
		}
	}
	if o.add(1, "x", midnight); o.Dropped != 1 {
		t.Errorf("%d dropped", o.Dropped)
	}
}

// FuzzReadLinks checks that only canonical URLs of the shard are accepted.
func FuzzReadLinks(f *testing.F) {
	f.Add(Encode(Links{From: 0, To: 1, Number: 7,
		Links: []string{other(1), "http://H.example", strings.Repeat("a", 3000)}}))
	f.Add([]byte(`{"to":1,"links":["http://h.example/"]}`))
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, good, err := ReadLinks(b, 1, 2)
		if err != nil {
			return
		}
		for _, url := range good {
			if ShardOf(url, 2) != 1 || len(url) > longestLink {
				t.Errorf("%q was taken", url)
			}
		}
		if again, _, err := ReadLinks(Encode(l), 1, 2); err != nil || again.Ack() != l.Ack() {
			t.Errorf("%v is read as %v: %v", l, again, err)
		}
		if a, err := ReadAck(Encode(l.Ack())); err != nil || a != l.Ack() {
			t.Errorf("acknowledgement %v: %v", a, err)
		}
	})
}

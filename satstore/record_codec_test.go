package satstore

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

func TestRecordRoundTrip(t *testing.T) {
	rng := seeded(t)
	var got sitegraph.Record // reused: no value of the previous record may stay
	for range 5000 {
		want := randomRecord(rng)
		b, err := AppendRecord([]byte("before"), &want)
		must(t, err)
		got.Page = want.Page
		if err := DecodeRecord(b[6:], &got); err != nil || got != want {
			t.Fatalf("%v\n got %+v\nwant %+v", err, got, want)
		}
	}
}

// A restart would lose a field of a record that is not stored.
func TestEveryFieldOfARecordIsStored(t *testing.T) {
	// Only this field has values that cannot be stored.
	r := sitegraph.Record{Missed: sitegraph.OutcomeGone}
	fill(t, reflect.ValueOf(&r).Elem(), "Record")
	b, err := AppendRecord(nil, &r)
	must(t, err)
	got := sitegraph.Record{Page: r.Page}
	must(t, DecodeRecord(b, &got))
	if got != r {
		t.Errorf("read back as %+v, want %+v; FORMAT.md says how to change the record", got, r)
	}
}

// fill gives each zero field another value.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(day0))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), name+"."+v.Type().Field(i).Name)
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), name)
		}
	case !v.IsZero():
	case v.Kind() == reflect.String:
		v.SetString(name)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(7)
	case v.CanUint():
		v.SetUint(7)
	default:
		t.Fatalf("%s: no value for a %v", name, v.Type())
	}
}

func TestRecordBounds(t *testing.T) {
	fixed, err := AppendRecord(nil, &sitegraph.Record{})
	must(t, err)
	// Status and size take a byte each; the four strings and the shared prefix take five.
	if want := fixedRecordBytes + 2 + 5; len(fixed) != want {
		t.Errorf("empty record has %d bytes, want %d", len(fixed), want)
	}
	long := strings.Repeat("x", maxStringBytes+1)
	r := sitegraph.Record{URL: long[1:], Referer: "y" + long[2:], ETag: long, Reason: long}
	b, err := AppendRecord(nil, &r)
	must(t, err)
	if len(b) > maxBodyBytes {
		t.Errorf("longest record has %d bytes, more than %d", len(b), maxBodyBytes)
	}
	var got sitegraph.Record
	must(t, DecodeRecord(b, &got))
	if got.ETag != "" || got.Reason != long[1:] || got.URL != r.URL || got.Referer != r.Referer {
		t.Error("long strings: ETag must be left out, Reason cut, the others whole")
	}
	for i := range len(b) {
		if i%997 == 0 && DecodeRecord(b[:i], &got) == nil {
			t.Errorf("decoded the first %d bytes of %d", i, len(b))
		}
	}
}

func TestLoadedStringsAreKept(t *testing.T) {
	r := randomRecord(seeded(t))
	b, err := AppendRecord(nil, &r)
	must(t, err)
	got := r
	if n := testing.AllocsPerRun(100, func() { must(t, DecodeRecord(b, &got)) }); n != 0 {
		t.Errorf("decoding the same record again allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { b, _ = AppendRecord(b[:0], &r) }); n != 0 {
		t.Errorf("encoding allocates %v times", n)
	}
}

func FuzzRecord(f *testing.F) {
	r := sitegraph.Record{URL: "http://h/a", Referer: "http://h/", State: sitegraph.StateAlive,
		ETag: "e", Due: day0, Interval: 5, Reason: "why"}
	b, _ := AppendRecord(nil, &r)
	f.Add(b)
	f.Add(b[:fixedRecordBytes])
	r.History = sitegraph.History{Visits: 1, WeeksSeen: 0x5aa5c33c, WeeksChanged: 0x5aa5c33c}
	b, _ = AppendRecord(nil, &r)
	seen := binary.LittleEndian.AppendUint32(nil, r.History.WeeksSeen)
	f.Add(bytes.Replace(b, seen, []byte{0, 0, 0, 0}, 1)) // changed in weeks without a visit
	f.Fuzz(func(t *testing.T, b []byte) {
		var r, again sitegraph.Record
		if DecodeRecord(b, &r) != nil {
			return
		}
		b, err := AppendRecord(nil, &r)
		must(t, err)
		if err := DecodeRecord(b, &again); err != nil || again != r {
			t.Fatalf("%v\nfirst %+v\nagain %+v", err, r, again)
		}
	})
}

func FuzzLinks(f *testing.F) {
	f.Add(appendLinks(nil, []sitegraph.PageID{3, 1, 2}, []sitegraph.PageID{2}), 4)
	f.Fuzz(func(t *testing.T, b []byte, pages int) {
		links, frames, err := DecodeLinks(b, pages)
		if err != nil {
			return
		}
		links2, frames2, err := DecodeLinks(appendLinks(nil, links, frames), pages)
		if err != nil || !slices.Equal(links, links2) || !slices.Equal(frames, frames2) {
			t.Fatal(err, links, links2, frames, frames2)
		}
	})
}

package budget

import (
	"testing"
	"time"
)

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]Limit{
		"1000":         {1000, InFetches, Day},
		"2.5/day":      {2.5, InFetches, Day},
		"50/hour":      {50, InFetches, time.Hour},
		"2GB/day":      {2e9, InBytes, Day},
		"1.5 MiB/hour": {1.5 * (1 << 20), InBytes, time.Hour},
		"300kB":        {300e3, InBytes, Day},
		"0/hour":       {0, InFetches, time.Hour},
		"1e4B/day":     {1e4, InBytes, Day},
	} {
		got, err := ParseLimit(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
		if again, err := ParseLimit(got.String()); err != nil || got.Unit == InFetches &&
			again != got {
			t.Errorf("%q is written as %q, and read as %+v, %v", text, got, again, err)
		}
	}
	for _, text := range []string{"", "/day", "many", "-1", "NaN", "Inf", "+Inf/day", "0x10",
		"5/week", "5/", "GB", "5GB/day/day", "1e300", "5 bananas"} {
		if got, err := ParseLimit(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestServerLimits(t *testing.T) {
	var l Limits
	for _, text := range []string{"500/day", "20MB/hour", "*.example.org=50/day",
		"www.example.org=7/hour", "www.example.org=1GB", "*=9/hour", "odd.example:8080=1"} {
		x, err := ParseServerLimit(text)
		if err != nil {
			t.Fatal(err)
		}
		l.Servers = append(l.Servers, x)
	}
	for server, want := range map[string]string{
		"a.com":               "500/day 20MB/hour 9/hour",
		"example.org":         "500/day 20MB/hour 9/hour",
		"x.example.org":       "50/day",
		"x.example.org:8080":  "50/day",
		"www.example.org":     "7/hour 1GB/day",
		"www.example.org:444": "7/hour 1GB/day",
		"odd.example":         "500/day 20MB/hour 9/hour",
		"odd.example:8080":    "1/day",
		"[::1]:80":            "500/day 20MB/hour 9/hour",
	} {
		got := ""
		for _, x := range l.OfServer(server) {
			got += " " + x.String()
		}
		if got != " "+want {
			t.Errorf("%s has the limits%s, want %s", server, got, want)
		}
	}
	for _, text := range []string{"=5", "a b=5", "http://a.com/=5", "a.com", "*.*.com=5", "a.com=",
		"a.com=x"} {
		if x, err := ParseServerLimit(text); err == nil {
			t.Errorf("%q is read as %+v", text, x)
		}
	}
	all := Limits{All: []Limit{{100, InFetches, time.Hour}, {1000, InFetches, Day},
		{1e6, InBytes, time.Hour}}}
	if all.PerDay() != 1000 || all.BytesPerDay() != 24e6 || !all.Hourly() ||
		(Limits{}).PerDay() != Unlimited || l.PerDay() != Unlimited {
		t.Errorf("%v fetches, %v bytes a day", all.PerDay(), all.BytesPerDay())
	}
}

// The class of a size is never smaller, and at most an eighth larger.
func TestSizeClass(t *testing.T) {
	last := uint8(0)
	for size := int64(1); size < 1<<33; size += 1 + size/37 {
		class := SizeClass(size)
		if of := SizeOf(class); of < size || of > size+size/8+1 || class < last {
			t.Fatalf("%d bytes are of class %d, that is %d", size, class, of)
		}
		last = class
	}
	if SizeClass(0) != 0 || SizeOf(0) != 0 || SizeClass(1<<62) != 255 {
		t.Error("at the ends")
	}
}

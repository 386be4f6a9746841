package requisite

import (
	"slices"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/planner/budget"
)

// TestNames checks that a digest identifies the content, and that a version does so unless somebody
// forgets to change it.
func TestNames(t *testing.T) {
	for url, want := range map[string]string{
		"https://h.example/a/d41d8cd98f00b204e9800998ecf8427e.png":      "content",
		"https://h.example/app-3f2a9c1b3f2a9c1b.js":                     "content",
		"https://h.example/app.3f2a9c1b.js":                             "version",
		"https://h.example/assets/index-BqX3kL9a.js":                    "version",
		"https://cdn.example/npm/vue@3.4.21/dist/vue.js":                "version",
		"https://cdn.example/jquery-3.7.1.min.js":                       "version",
		"https://h.example/style.css?ver=6.4.2":                         "version",
		"https://h.example/style.css?a=1&v=20240101":                    "version",
		"https://h.example/style.css?v=beta2":                           "version",
		"https://h.example/507f1f77bcf86cd799439011.png":                "version", // an object
		"https://h.example/507f1f77bcf86cd799439011/style.css":          "",
		"https://h.example/d41d8cd98f00b204e9800998ecf8427e/avatar.png": "",
		"https://h.example/style.css":                                   "",
		"https://h.example/style.css?v=":                                "",
		"https://h.example/style.css?v=latest":                          "",
		"https://h.example/photo-20240101.jpg":                          "", // a date, or a number
		"https://h.example/interface.css":                               "",
		"https://h.example/deadbeef.png":                                "", // a word
		"https://cdn.example/npm/vue@latest/dist/vue.js":                "",
		"https://cdn.example/npm/vue@3/dist/vue.js":                     "",
		"https://h.example/picture.php?id=7":                            "",
		"https://h.example/":                                            "",
		"https://3f2a9c1b.example/style.css":                            "", // a host does not identify content
	} {
		got := ""
		if content, version := Names(url); content {
			got = "content"
		} else if version {
			got = "version"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// TestDue checks that the interval doubles within limits.
func TestDue(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		url      string
		status   string
		same     int // days
		interval int // days; -1: never
	}{
		{"http://h.example/s.css", "200", 0, 1}, {"http://h.example/s.css", "304", 3, 3},
		{"http://h.example/s.css", "200", 300, 14}, {"http://h.example/p.png", "200", 0, 7},
		{"http://h.example/p.PNG?x", "304", 30, 30}, {"http://h.example/p.png", "304", 300, 90},
		{"http://h.example/s.css?v=3", "200", 0, 90},
		{"http://h.example/d41d8cd98f00b204e9800998ecf8427e.css", "200", 0, -1}, {"http://h.example/s.css?v=3", "404", 0, 7},
		{"http://h.example/s.css", "301", 0, 7},
	} {
		h := archive.Held{Checked: at, Since: at.Add(-time.Duration(test.same) * day),
			Status: test.status, Whole: true}
		want := at.Add(time.Duration(test.interval) * day)
		if test.interval < 0 {
			want = time.Time{}
		}
		if got := Due(test.url, h); !got.Equal(want) {
			t.Errorf("%+v: due at %v, want %v", test, got, want)
		}
	}
	if got := Due("http://h.example/d41d8cd98f00b204e9800998ecf8427e.css", archive.Held{Checked: at, Since: at,
		Status: "200"}); !got.Equal(at.Add(7 * day)) {
		t.Errorf("one that was cut is due at %v", got)
	}
}

// TestPurse checks that a window is never overdrawn, whatever an earlier process used, and that a
// clock which goes back does not reset it.
func TestPurse(t *testing.T) {
	limits := []budget.Limit{{Amount: 3, Unit: budget.InFetches, Per: time.Hour},
		{Amount: 100 << 20, Unit: budget.InBytes, Per: budget.Day}}
	p := newPurse(limits)
	now := time.Date(2026, 1, 1, 10, 59, 0, 0, time.UTC)
	var last reservation
	for i := range 3 {
		if left, _ := p.left(now, 40<<20); left != 40<<20 && i < 2 || left == 0 {
			t.Fatalf("request %d: %d octets", i, left)
		}
		last = p.reserve(10 << 20)
	}
	if left, until := p.left(now, 40<<20); left != 0 || until.Hour() != 11 {
		t.Errorf("after three requests: %d, until %v", left, until)
	}
	p.charge(last, now, 0) // it was not sent
	if left, _ := p.left(now, 40<<20); left == 0 {
		t.Error("what was given back is gone")
	}
	p.reserve(55 << 20) // 75 MB of the day
	now = now.Add(time.Hour)
	if left, _ := p.left(now, 20<<20); left != 20<<20 {
		t.Errorf("in the next hour: %d", left)
	}
	if left, until := p.left(now, 40<<20); left != 0 || until.Day() != 2 {
		t.Errorf("for more than the day has left: %d, until %v", left, until)
	}
	answer := p.reserve(20 << 20)
	before := *p
	before.windows = slices.Clone(p.windows)
	next := now.Add(time.Hour)
	p.open(next)
	p.reserve(5 << 20)
	p.charge(answer, next, 1<<20) // it began in the hour before
	if hour, all := p.windows[0], p.windows[1]; hour.Bytes != 6<<20 || hour.Requests != 1 ||
		all.Bytes != before.windows[1].Bytes+(5+1-20)<<20 {
		t.Errorf("after an hour has turned: %+v", p.windows)
	}
	p = &before
	q := newPurse(limits)
	q.restore(p.windows)
	if left, _ := q.left(now.Add(-10*time.Minute), 40<<20); left != 0 {
		t.Errorf("a later process, by a clock that went back: %d", left)
	}
	if left, _ := q.left(now.Add(day), 40<<20); left != 40<<20 {
		t.Errorf("the next day: %d", left)
	}
	if left, _ := newPurse(nil).left(now, 7); left != 7 {
		t.Errorf("without limits: %d", left)
	}
}

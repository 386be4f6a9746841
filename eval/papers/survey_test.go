package papers

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestSurveyByHand compares the whole JSON of a corpus with figures computed by hand.
func TestSurveyByHand(t *testing.T) {
	s := surveyOf(t, datasetOf(t, 1, sitegraph.ChangeByBytes, surveyedByHand()...),
		SurveyOptions{Weeks: []int{2, 3}})
	s.Intervals = s.Intervals[:0] // in a separate test
	want := `{"base":1,"change":"digest","weeks":[2,3],"groups":[
{"group":"co.jp","servers":1,"absent":0,"pages":5,"pages_per_server":5,"tops":2,"unlinked":1,"periods":[
{"weeks":2,"pages":4,"vanished":1,"new":1,"returned":0,"updated":1,"updated_share":0.25,"differ":1,"differ_share":0.25,
"tops":2,"tops_updated":0,"tops_updated_share":0,"by_top":{"servers":0,"pages":0,"updated":0,"of_updated":0,"of_pages":null,"of_servers":0},"updates":[3,1]},
{"weeks":3,"pages":4,"vanished":1,"new":1,"returned":1,"updated":2,"updated_share":0.5,"differ":2,"differ_share":0.5,
"tops":2,"tops_updated":1,"tops_updated_share":0.5,"by_top":{"servers":1,"pages":4,"updated":2,"of_updated":1,"of_pages":0.5,"of_servers":1},"updates":[2,1,1]}]},
{"group":"example","servers":1,"absent":0,"pages":1,"pages_per_server":1,"tops":1,"unlinked":0,"periods":[
{"weeks":2,"pages":1,"vanished":0,"new":0,"returned":0,"updated":1,"updated_share":1,"differ":1,"differ_share":1,
"tops":1,"tops_updated":1,"tops_updated_share":1,"by_top":{"servers":1,"pages":1,"updated":1,"of_updated":1,"of_pages":1,"of_servers":1},"updates":[0,1]},
{"weeks":3,"pages":1,"vanished":0,"new":0,"returned":0,"updated":1,"updated_share":1,"differ":1,"differ_share":1,
"tops":1,"tops_updated":1,"tops_updated_share":1,"by_top":{"servers":1,"pages":1,"updated":1,"of_updated":1,"of_pages":1,"of_servers":1},"updates":[0,0,1]}]}],
"total":{"group":"total","servers":2,"absent":0,"pages":6,"pages_per_server":3,"tops":3,"unlinked":1,"periods":[
{"weeks":2,"pages":5,"vanished":1,"new":1,"returned":0,"updated":2,"updated_share":0.4,"differ":2,"differ_share":0.4,
"tops":3,"tops_updated":1,"tops_updated_share":0.3333333333333333,"by_top":{"servers":1,"pages":1,"updated":1,"of_updated":0.5,"of_pages":1,"of_servers":0.5},"updates":[3,2]},
{"weeks":3,"pages":5,"vanished":1,"new":1,"returned":1,"updated":3,"updated_share":0.6,"differ":3,"differ_share":0.6,
"tops":3,"tops_updated":2,"tops_updated_share":0.6666666666666666,"by_top":{"servers":2,"pages":5,"updated":3,"of_updated":1,"of_pages":0.6,"of_servers":1},"updates":[2,1,2]}]},
"intervals":[],"warnings":[]}`
	squeeze := strings.NewReplacer("\n", "", " ", "")
	if got := squeeze.Replace(asJSON(t, s)); got != squeeze.Replace(want) {
		t.Errorf("survey\n%s\nwant\n%s", strings.ReplaceAll(got, `{"weeks"`, "\n"+`{"weeks"`), want)
	}
}

// TestReturned surveys server a alone at three snapshots: /d is back by week 3 and differs without
// an update.
func TestReturned(t *testing.T) {
	s := surveyOf(t, datasetOf(t, 1, sitegraph.ChangeByBytes, surveyedByHand()[0]),
		SurveyOptions{Weeks: []int{4, 3}})
	p := s.Total.Periods[0]
	// Pages at week 4: / /menu /b /d. Updated: /menu once, /b twice. Different: /menu, /d.
	if p.Weeks != 4 || p.Pages != 4 || p.Vanished != 1 || p.New != 1 || p.Updated != 2 ||
		p.Differ != 2 || p.Returned != 1 {
		t.Errorf("period of 4 weeks: %+v", p)
	}
}

func TestNothingToDivide(t *testing.T) {
	// A server with a single page that vanishes: every share is undefined.
	const top = "http://a.example/"
	c := datasetOf(t, 0, sitegraph.ChangeByBytes,
		serverOf("a.example", 1e9, page(top, shows(1e9, "A"), gone(1e9+60))))
	s := surveyOf(t, c, SurveyOptions{Weeks: []int{2}})
	p := s.Total.Periods[0]
	for what, v := range map[string]eval.Number{"updated": p.UpdatedShare, "differ": p.DifferShare,
		"tops":       p.TopsUpdatedShare,
		"of updated": p.ByTop.OfUpdated, "of pages": p.ByTop.OfPages} {
		if !math.IsNaN(float64(v)) {
			t.Errorf("share %s is %v, want undefined", what, v)
		}
	}
	if p.ByTop.OfServers != 0 || s.Total.Pages != 1 || p.Vanished != 1 {
		t.Errorf("%+v", s.Total)
	}
	for _, r := range s.Intervals {
		if r.Pages != 0 || r.VisitedOnce != 1 || len(r.Points) != 0 {
			t.Errorf("intervals %+v", r)
		}
	}
	if got := asJSON(t, s); strings.Contains(got, "NaN") || !strings.Contains(got, `"points": []`) {
		t.Errorf("JSON %s", got)
	}
	var html bytes.Buffer
	if err := SurveyPageOf(s).HTML(&html); err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	c := datasetOf(t, 12, sitegraph.ChangeByBytes, surveyedByHand()...)
	for weeks, want := range map[int]string{1: "compares nothing", 0: "compares nothing",
		50: "49 or fewer"} {
		if _, err := NewSurvey(t.Context(), c, SurveyOptions{Weeks: []int{2, weeks}}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%d weeks: error %v, want %q", weeks, err, want)
		}
	}
	if _, err := NewSurvey(t.Context(), c, SurveyOptions{Weeks: []int{49}}); err != nil {
		t.Errorf("49 weeks from week 12 on end with the window, but: %v", err)
	}
	if _, err := NewSurvey(t.Context(), c, SurveyOptions{}); err == nil {
		t.Error("no periods are surveyed")
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewSurvey(canceled, c, SurveyOptions{Weeks: []int{2}}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestNoLinks checks that a history without links has only its start page, and that there is no
// survey if all are so.
func TestNoLinks(t *testing.T) {
	const top = "http://silent.example/"
	a, b := shows(1e9, "A"), shows(1e9, "B")
	a.LinksKnown, b.LinksKnown = false, false
	silent := serverOf("silent.example", 1e9, page(top, a), page(top+"b", b))
	if _, err := NewSurvey(t.Context(), datasetOf(t, 1, 0, silent),
		SurveyOptions{Weeks: []int{2}}); !errors.Is(err, eval.ErrNoLinks) {
		t.Errorf("error %v, want ErrNoLinks", err)
	}
	s := surveyOf(t, datasetOf(t, 1, 0, append(surveyedByHand(), silent)...),
		SurveyOptions{Weeks: []int{2}})
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "silent.example") ||
		!strings.Contains(s.Warnings[0], "1 other") {
		t.Errorf("warnings %q", s.Warnings)
	}
	// A single page needs no links, and a server without pages yet is named.
	single := serverOf("silent.example", 1e9, page(top, a))
	late := serverOf("late.example", 1e9, page("http://late.example/",
		shows(1e9+3*weekSeconds, "A")))
	s = surveyOf(t, datasetOf(t, 1, 0, single, late), SurveyOptions{Weeks: []int{2}})
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0],
		"late.example has no page at week 1") || s.Total.Servers != 1 || s.Total.Absent != 1 {
		t.Errorf("warnings %q, total %+v", s.Warnings, s.Total)
	}
}

// TestSameBytes checks that equal histories give equal bytes, for any number of cores.
func TestSameBytes(t *testing.T) {
	write := func() string {
		c := datasetOf(t, 2, sitegraph.ChangeByText,
			append(surveyedByHand(), surveyedAtRandom(rand.New(rand.NewPCG(3, 3)))...)...)
		s := surveyOf(t, c, SurveyOptions{Weeks: []int{4, 2, 9}})
		var b bytes.Buffer
		page := SurveyPageOf(s)
		if err := page.HTML(&b); err != nil {
			t.Fatal(err)
		}
		for _, section := range page.Sections {
			for _, table := range section.Tables {
				if err := table.Text(&b); err != nil {
					t.Fatal(err)
				}
			}
		}
		return b.String() + asJSON(t, s)
	}
	first := write()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, cores := range []int{1, 3} {
		runtime.GOMAXPROCS(cores)
		if write() != first {
			t.Errorf("a survey on %d cores differs", cores)
		}
	}
}

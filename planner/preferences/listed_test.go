package preferences

import (
	"strings"
	"testing"
)

func TestReadListed(t *testing.T) {
	l, err := ReadListed(strings.NewReader("# by hand\n2.5\thttp://A.example/x\n0 " +
		"http://a.example/y\n\n1\thttp://a.example/z\n3\thttp://a.example/z\n0.5 *\n"))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]float64{"http://a.example/x": 2.5, "http://a.example/y": 0,
		"http://a.example/z": 3, "http://a.example/new": 0.5} {
		if got := l.Of(url); got != want {
			t.Errorf("%s weighs %g, want %g", url, got, want)
		}
	}
	if l.Pages() != 3 || (*Listed)(nil).Of("http://a.example/") != 1 {
		t.Errorf("%d pages are listed", l.Pages())
	}
	for _, text := range []string{"http://a.example/", "-1 http://a.example/",
		"NaN http://a.example/", "2 nowhere", "2", "1e10 *"} {
		if _, err := ReadListed(strings.NewReader("1 *\n" + text)); err == nil ||
			!strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

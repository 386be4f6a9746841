package sitegraph

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

type wptCase struct {
	Input string  `json:"input"`
	Base  *string `json:"base"`
	Href  *string `json:"href"` // null: the parser must refuse it
	Web   bool    `json:"web"`  // uses http or https
}

func readWPT(t *testing.T) []wptCase {
	const file = "../../shared/data/urls/wpt.json"
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Skipf("the cases of web-platform-tests are not there: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []wptCase }
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) == 0 {
		t.Fatalf("%s holds no cases", file)
	}
	return all.Cases
}

// TestWPT runs urltestdata of web-platform-tests. The parser must refuse what the data refuse. All
// else must resolve to the expected address, with our rules of identity on both sides.
func TestWPT(t *testing.T) {
	// Browsers now accept invalid Punycode. The parser refuses it, and no real host has it.
	invalidPunycode := func(s string) bool { return strings.Contains(strings.ToLower(s), "xn--") }
	var total, other, agree, known, fast, notWeb int
	for _, c := range readWPT(t) {
		got, ok, skip := runWPT(t, c)
		if skip {
			notWeb++
			continue
		}
		total++
		want, wantOK := "", false
		if c.Href != nil {
			url, err := Canonical(*c.Href)
			want, wantOK = url, err == nil
			if err != nil && isWeb(*c.Href) && !invalidPunycode(*c.Href) {
				t.Errorf("expected address %q is refused: %v", *c.Href, err)
			}
			// Both sides refuse invalid Punycode: this agreement shows nothing.
			wantOK = wantOK || isWeb(*c.Href)
		}
		if !c.Web {
			other++
		}
		if c.Base == nil {
			if _, ok := fastAbsolute(c.Input); ok {
				fast++
			}
		}
		switch {
		case got == want && ok == wantOK:
			agree++
		case !ok && invalidPunycode(c.Input):
			known++
		default:
			t.Errorf("%q on %v: got %q, %v; want %q, %v", c.Input, deref(c.Base), got, ok, want,
				wantOK)
		}
	}
	t.Logf("of %d cases, %d of them not about http and to be refused: %d agree, %d known "+
		"refusals of invalid Punycode; "+
		"%d absolute ones took the fast path; %d have a base that is not of the web",
		total, other, agree, known, fast, notWeb)
}

// runWPT runs a case. It skips cases with a base that no page can have.
func runWPT(t *testing.T, c wptCase) (url string, ok, skip bool) {
	if c.Base == nil {
		url, err := Canonical(c.Input)
		return url, err == nil, false
	}
	if !isWeb(*c.Base) {
		return "", false, true
	}
	r, err := NewResolver(*c.Base)
	if err != nil {
		return "", false, c.Href == nil || !isWeb(*c.Href)
	}
	url, ok = r.Resolve(c.Input)
	slow, slowOK := r.slow(c.Input)
	if ok != slowOK || ok && url != slow {
		t.Errorf("%q on %q: got %q, %v; the parser says %q, %v",
			c.Input, *c.Base, url, ok, slow, slowOK)
	}
	return url, ok, false
}

func isWeb(url string) bool {
	return strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:")
}

func deref(s *string) string {
	if s == nil {
		return "no base"
	}
	return *s
}

package replay

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

func answered(kind, body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: " + kind + "\r\n\r\n" + body
}

// look makes the request of a browser for a destination.
func look(s *Server, path, destination string) *httptest.ResponseRecorder {
	q := httptest.NewRequest("GET", "http://127.0.0.1:8088"+path, nil)
	q.Header.Set("Sec-Fetch-Dest", destination)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, q)
	return w
}

const day = 24 * 60 // minutes

func shownPages(t *testing.T) *Server {
	return serverOf(t,
		answer{"https://h.example/", 0, page200(`<!DOCTYPE html><title>x</title><link rel=stylesheet integrity=x crossorigin href=s.css><style>b{background:url(b.png)}</style><p style="background:url(&quot;i.png&quot;)">one two<a target=_top href=/next>`)},
		answer{"https://h.example/", 10 * day, page200(`one three`)},
		answer{"https://h.example/", 20 * day, page200(`one three`)},
		answer{"https://h.example/s.css", 1, answered("text/css", `b{background:url(old.png)}`)},
		answer{"https://h.example/s.css", 12 * day,
			answered("text/css", `b{background:url(new.png)}`)},
		answer{"https://h.example/f.woff2", 30 * day, answered("font/woff2", `a font`)})
}

// TestBanner checks that a person sees a page in a frame below a banner: its day, the captures
// before and after, and whether it changed.
func TestBanner(t *testing.T) {
	s := shownPages(t)
	for moment, want := range map[string][]string{
		"20260131120000": {"31 January 2026, 12:00 UTC", "capture 1 of 3",
			`rel="next" href="/web/20260210120000/`,
			`src="` + s.inside() + `20260131120000/https://h.example/"`, `sandbox="allow-scripts"`},
		"20260210120000": {"capture 2 of 3", `rel="prev" href="/web/20260131120000/`, "changed since",
			"/changes/20260210120000/https://h.example/", `rel="next"`},
		"20260220120000": {"capture 3 of 3", "the same as then"},
	} {
		w := look(s, "/web/"+moment+"/https://h.example/", "document")
		for _, text := range want {
			if !strings.Contains(w.Body.String(), text) {
				t.Errorf("%s: no %q in\n%s", moment, text, w.Body)
			}
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'; frame-src http://127.0.0.1:8088/in/") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("policy: %s", policy)
		}
	}
	if w := look(s, "/web/20260131120000/https://h.example/", "iframe"); strings.Contains(
		w.Body.String(), "<iframe") || !strings.HasPrefix(
		w.Header().Get("Content-Security-Policy"), "sandbox; default-src 'none'") {
		t.Errorf("in a frame of others: %v %s", w.Header(), w.Body)
	}
	w := look(s, "/changes/20260210120000/https://h.example/", "document")
	if !strings.Contains(w.Body.String(), "<del>") || !strings.Contains(w.Body.String(), "<ins>three</ins>") {
		t.Errorf("changes: %s", w.Body)
	}
	for path, code := range map[string]int{"/changes/20260131120000/https://h.example/": 404,
		"/changes/x/https://h.example/": 400, "/changes/2026": 404} {
		if w := look(s, path, "document"); w.Code != code {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// TestInside checks that a page in the frame links to captures with the server's key, and starts
// with the script that replaces functions of the browser. A client without the key gets nothing
// there.
func TestInside(t *testing.T) {
	s := shownPages(t)
	in := s.inside() + "20260131120000/"
	got := look(s, in+"https://h.example/", "iframe").Body.String()
	for _, text := range []string{`<!DOCTYPE html><script src="` + s.inside() + `replay.js" data-base="https://h.example/"`,
		`href="` + in + `https://h.example/s.css"`, `url("` + in + `https://h.example/b.png")`,
		`url(&#34;` + in + `https://h.example/i.png&#34;)`, `target="_self" href="` + in + `https://h.example/next"`} {
		if !strings.Contains(got, text) {
			t.Errorf("no %s in\n%s", text, got)
		}
	}
	if regexp.MustCompile(`(?i)[^-]crossorigin|integrity="?x`).MatchString(got) {
		t.Errorf("left: %s", got)
	}
	for path, want := range map[string]int{in + "https://h.example/": 200, "/in/x/20260131120000/https://h.example/": 404,
		"/in/": 404, in: 404, s.inside() + "x/https://h.example/": 404, in + "https://no.example/": 404,
		s.inside() + "replay.js": 200} {
		w := look(s, path, "iframe")
		if w.Code != want {
			t.Errorf("%s: %d, want %d", path, w.Code, want)
		}
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "sandbox") || strings.Contains(policy, "allow-same-origin") ||
			strings.Contains(policy, "allow-top-navigation") {
			t.Errorf("%s: policy %s", path, policy)
		}
		if open := w.Header().Get("Access-Control-Allow-Origin"); (open != "") !=
			strings.HasPrefix(path, s.inside()) {
			t.Errorf("%s: open to %q", path, open)
		}
	}
	s.Still = true
	if w := look(s, in+"https://h.example/", "iframe"); strings.Contains(w.Body.String(), "replay.js") ||
		strings.Contains(w.Header().Get("Content-Security-Policy"), "script") {
		t.Errorf("without scripts: %v %s", w.Header(), w.Body)
	}
	if other := New(s.r); other.inside() == s.inside() || len(other.key) < 20 {
		t.Errorf("keys: %s, %s", other.key, s.key)
	}
}

// TestInsideInFramesAlone checks that captures are not shown at their inside paths outside a frame,
// where no policy would confine them.
func TestInsideInFramesAlone(t *testing.T) {
	s := shownPages(t)
	path := "20260131120000/https://h.example/"
	w := look(s, s.inside()+path, "document")
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/web/"+path ||
		strings.Contains(w.Body.String(), "one two") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// TestBannerIsNotLedOut checks that a page in the frame can make the banner link only to captures.
func TestBannerIsNotLedOut(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing, which runs the script of the banner")
	}
	s := shownPages(t)
	page := look(s, "/web/20260131120000/https://h.example/", "document").Body.String()
	_, script, _ := strings.Cut(page, "<script")
	_, script, _ = strings.Cut(script, ">")
	script, _, _ = strings.Cut(script, "</script>")
	const host = "http://127.0.0.1:8088"
	for place, want := range map[string]string{
		"20260210120000/https://h.example/next?a=1":                                           host + "/web/20260210120000/https://h.example/next?a=1",
		"../in/KEY/20260210120000/https://h.example/":                                         "",
		"%2e%2e/in/KEY/20260210120000/https://h.example/":                                     "",
		"20260210120000/http://h.example/../../../../../../in/KEY/20260210120000/http://e.x/": "",
		"20260210120000/ftp://h.example/":                                                     "",
		"/evil.example/":                                                                      "",
		"*/https://h.example/":                                                                "",
	} {
		place = s.inside() + strings.ReplaceAll(place, "KEY", s.key)
		program := fmt.Sprintf(`let hear, gone = ''
const frame = {contentWindow: {}}
globalThis.addEventListener = (_, f) => { hear = f }
globalThis.document = {querySelector: () => frame}
globalThis.location = {origin: %q, assign: (to) => { gone = String(to) }}
%s
hear({source: frame.contentWindow, data: {replayed: %q}})
console.log(gone)`, host, script, place)
		out, err := exec.Command(node, "-e", program).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if got := strings.TrimSpace(string(out)); got != want {
			t.Errorf("%s: led to %q, want %q", place, got, want)
		}
	}
}

// TestNoScriptsOutside checks that a page of the live web cannot load a captured script, which
// would reveal the archive.
func TestNoScriptsOutside(t *testing.T) {
	s := serverOf(t, answer{"https://h.example/a.js", 0, answered("text/javascript", "secret = 1")})
	path := "20260131120000/https://h.example/a.js"
	if w := look(s, "/web/"+path, "script"); w.Code != http.StatusForbidden ||
		strings.Contains(w.Body.String(), "secret") {
		t.Errorf("outside: %d %s", w.Code, w.Body)
	}
	if w := look(s, s.inside()+path, "script"); w.Code != http.StatusOK {
		t.Errorf("inside: %d", w.Code)
	}
}

// TestChangedSince checks that a "not modified" after another answer is a change back.
func TestChangedSince(t *testing.T) {
	const same = "HTTP/1.1 304 Not Modified\r\n\r\n"
	s := serverOf(t, answer{"https://h.example/", 0, page200("one")},
		answer{"https://h.example/", 1, same}, answer{"https://h.example/", 2, page200("one")},
		answer{"https://h.example/", 3, "HTTP/1.1 500 X\r\nContent-Length: 1\r\n\r\n!"},
		answer{"https://h.example/", 4, same}, answer{"https://h.example/", 5, same},
		answer{"https://h.example/", 6, page200("two")})
	all, err := s.r.Of("https://h.example/", noon, mostListed)
	if err != nil || len(all) != 7 {
		t.Fatalf("%d captures, %v", len(all), err)
	}
	for i, want := range []bool{true, true, false, false, true, false} {
		if got := s.isSame(all[i], all[i+1]); got != want {
			t.Errorf("capture %d is the same as that before: %v", i+2, got)
		}
	}
}

// TestShownAt checks that a requisite is the last capture up to the visit of the page, or the first
// one.
func TestShownAt(t *testing.T) {
	s := shownPages(t)
	for path, want := range map[string]string{
		"20260131120000/https://h.example/s.css":   "old.png", // captured a minute later
		"20260210120000/https://h.example/s.css":   "old.png", // the other one is nearer
		"20260212120000/https://h.example/s.css":   "new.png",
		"20260301120000/https://h.example/s.css":   "new.png",
		"20260131120000/https://h.example/f.woff2": "a font",
	} {
		if w := look(s, s.inside()+path, "style"); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %s, want %s", path, w.Body, want)
		}
	}
}

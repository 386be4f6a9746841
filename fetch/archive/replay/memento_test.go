package replay

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTimeGate checks that a TimeGate redirects to the capture nearest to a moment (RFC 7089
// 4.1.1).
func TestTimeGate(t *testing.T) {
	s := listed(t)
	for _, c := range []struct {
		path, moment string
		status       int
		want         string // Location
	}{
		{"/web/https://h.example/", "Sat, 31 Jan 2026 12:09:00 GMT", 302,
			"/web/20260131121000/https://h.example/"},
		{"/web/https://h.example/", "Mon, 01 Jan 2001 00:00:00 GMT", 302,
			"/web/20260131120000/https://h.example/"},
		{"/web/https://h.example/", "", 302, "/web/20260201120000/https://h.example/"},
		{"/web/https%3A//h.example/", "", 302, "/web/20260201120000/https://h.example/"},
		{"/web/https://h.example/news/A?b=1&a=2", "", 302,
			"/web/20260131120200/https://h.example/news/A?b=1&a=2"},
		{"/web/https://h.example/", "2026", 400, ""},
		{"/web/https://none.example/", "", 404, ""},
	} {
		q := httptest.NewRequest("GET", "http://127.0.0.1:8088"+c.path, nil)
		if c.moment != "" {
			q.Header.Set("Accept-Datetime", c.moment)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, q)
		h := w.Header()
		if w.Code != c.status || h.Get("Location") != c.want ||
			h.Get("Vary") != "Accept-Datetime" || h.Get("Memento-Datetime") != "" {
			t.Errorf("%s at %s: status %d, %v", c.path, c.moment, w.Code, h)
		}
		if c.status == 302 && !strings.Contains(h.Get("Link"), `rel="original"`) {
			t.Errorf("%s: Link %s", c.path, h.Get("Link"))
		}
	}
	w := get(s, "/web/20260131121000/https://h.example/")
	const link = `<https://h.example/>; rel="original", ` +
		`<http://127.0.0.1:8088/web/https://h.example/>; rel="timegate", ` +
		`<http://127.0.0.1:8088/web/timemap/link/https://h.example/>; rel="timemap"; ` +
		`type="application/link-format", ` +
		`<http://127.0.0.1:8088/web/20260131121000/https://h.example/>; rel="memento"; ` +
		`datetime="Sat, 31 Jan 2026 12:10:00 GMT"`
	if got := w.Header().Get("Link"); got != link {
		t.Errorf("Link of a memento: %s\nwant %s", got, link)
	}
}

// TestTimeMap checks that a TimeMap has all captures of a URL, with relations for the first and the
// last (RFC 7089 5).
func TestTimeMap(t *testing.T) {
	s := listed(t)
	w := get(s, "/web/timemap/link/https://h.example/")
	const want = `<https://h.example/>; rel="original",
<http://127.0.0.1:8088/web/https://h.example/>; rel="timegate",
<http://127.0.0.1:8088/web/timemap/link/https://h.example/>; rel="self"; type="application/link-format"; ` +
		`from="Sat, 31 Jan 2026 12:00:00 GMT"; until="Sun, 01 Feb 2026 12:00:00 GMT",
<http://127.0.0.1:8088/web/20260131120000/https://h.example/>; rel="first memento"; datetime="Sat, 31 Jan 2026 12:00:00 GMT",
<http://127.0.0.1:8088/web/20260131121000/https://h.example/>; rel="memento"; datetime="Sat, 31 Jan 2026 12:10:00 GMT",
<http://127.0.0.1:8088/web/20260201120000/https://h.example/>; rel="last memento"; datetime="Sun, 01 Feb 2026 12:00:00 GMT"
`
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/link-format" ||
		w.Body.String() != want {
		t.Errorf("status %d, %v\n%s\nwant %s", w.Code, w.Header(), w.Body, want)
	}
	one := get(s, "/web/timemap/link/https://h.example/news/").Body.String()
	if !strings.Contains(one, `rel="first last memento"`) {
		t.Errorf("of one capture: %s", one)
	}
	var listed struct {
		Original string `json:"original_uri"`
		Mementos struct {
			List []struct{ URI string }
			Last struct{ URI, Datetime string }
		}
	}
	if err := json.Unmarshal(get(s, "/web/timemap/json/h.example/").Body.Bytes(),
		&listed); err != nil || len(listed.Mementos.List) != 3 ||
		listed.Mementos.Last.Datetime != "2026-02-01T12:00:00Z" ||
		listed.Original != "https://h.example/" {
		t.Errorf("JSON: %+v, %v", listed, err)
	}
	for _, path := range []string{"/web/timemap/xml/https://h.example/", "/web/timemap/link/",
		"/web/timemap/link/https://none.example/"} {
		if w := get(s, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
}

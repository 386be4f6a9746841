package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/fetch/archive"
)

// listed returns an archive of pages of several hosts, with four captures of one.
func listed(t testing.TB) *Server {
	moved := "HTTP/1.1 301 Moved\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"
	return serverOf(t,
		answer{url: "https://h.example/", minute: 0, raw: page200("one")},
		answer{url: "http://www.h.example/", minute: 5, raw: moved},
		answer{url: "https://h.example/", minute: 10, raw: page200("one")},
		answer{url: "https://h.example/", minute: 60 * 24, raw: page200("two")},
		answer{url: "https://h.example/news/", minute: 1, raw: page200("news")},
		answer{url: "https://h.example/news/A?b=1&a=2", minute: 2, raw: page200("query")},
		answer{url: "https://h.example/newsletter", minute: 3, raw: page200("letter")},
		answer{url: "https://sub.h.example/", minute: 4, raw: page200("sub")},
		answer{url: "https://h-two.example/", minute: 4, raw: page200("another")},
		answer{url: "http://127.0.0.1:8080/x", minute: 4, raw: page200("port")})
}

// asks returns the lines of an answer.
func asks(t *testing.T, s *Server, parameters string) []string {
	t.Helper()
	w := get(s, "/cdx/search/cdx?"+parameters)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: status %d, %s", parameters, w.Code, w.Body)
	}
	return strings.Split(strings.TrimSuffix(w.Body.String(), "\n"), "\n")
}

// TestIndexScope checks which captures are listed: by URL, prefix, host and domain.
func TestIndexScope(t *testing.T) {
	s := listed(t)
	for parameters, want := range map[string]string{
		"url=https://h.example/":                                  "1200 1205 1210 1200+1",
		"url=h.example":                                           "1200 1205 1210 1200+1",
		"url=www.h.example/&from=20260201":                        "1200+1",
		"url=h.example&to=202601311205":                           "1200 1205",
		"url=h.example/news/*":                                    "1201 1202",
		"url=h.example/news&matchType=prefix":                     "1201 1202 1203",
		"url=h.example/news/A*":                                   "1202",
		"url=h.example/news/a*":                                   "",
		"url=h.example/*":                                         "1200 1205 1210 1200+1 1201 1202 1203",
		"url=h.example&matchType=host":                            "1200 1205 1210 1200+1 1201 1202 1203",
		"url=*.h.example":                                         "1200 1205 1210 1200+1 1201 1202 1203 1204",
		"url=sub.h.example&matchType=domain":                      "1204",
		"url=http://127.0.0.1:8080/x":                             "1204",
		"url=127.0.0.1:8080/*":                                    "1204",
		"url=https://none.example/":                               "",
		"url=h.example&filter=statuscode:200":                     "1200 1210 1200+1",
		"url=h.example&filter=!status:200":                        "1205",
		"url=h.example&filter=status:2":                           "",
		"url=h.example&filter=status:2..&filter=!mimetype:warc.*": "1200 1200+1",
		"url=h.example&collapse=timestamp:8":                      "1200 1200+1",
		"url=h.example&limit=2":                                   "1200 1205",
		"url=h.example&limit=2&offset=1":                          "1205 1210",
		"url=h.example&limit=-2":                                  "1210 1200+1",
		"url=h.example&limit=0":                                   "",
		"url=h.example&closest=20260131120900&limit=2":            "1210 1205",
		"url=h.example&page=0":                                    "1200 1205 1210 1200+1",
		"url=h.example&page=1":                                    "",
	} {
		var got []string
		for _, line := range asks(t, s, "fl=timestamp&"+parameters) {
			if day, clock, ok := strings.Cut(line, "12"); ok && strings.HasPrefix(day, "2026013") {
				got = append(got, "12"+clock[:2])
			} else if line != "" {
				got = append(got, line[8:12]+"+1")
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", parameters, got, want)
		}
	}
	if pages := asks(t, s, "url=*.h.example&showNumPages=true"); pages[0] != "1" {
		t.Errorf("%v pages", pages)
	}
}

// TestIndexForms checks the lines of each form.
func TestIndexForms(t *testing.T) {
	s := listed(t)
	line := asks(t, s, "url=h.example&limit=1")[0]
	want := regexp.MustCompile(`^example,h\)/ 20260131120000 https://h\.example/ text/html 200 ` +
		`[A-Z2-7]{32} [0-9]+$`)
	if !want.MatchString(line) {
		t.Errorf("%s, want %s", line, want)
	}
	var rows [][]string
	if err := json.Unmarshal(get(s, "/cdx?url=h.example&output=json&fl=url,status,digest").Body.
		Bytes(), &rows); err != nil || len(rows) != 5 ||
		!slices.Equal(rows[0], []string{"original", "statuscode", "digest"}) ||
		rows[1][0] != "https://h.example/" || rows[2][1] != "301" {
		t.Errorf("%v, %v", rows, err)
	}
	if body := get(s, "/cdx?url=none.example&output=json").Body.String(); body != "[]\n" {
		t.Errorf("of nothing: %q", body)
	}
	if body := get(s, "/cdx?url=h.example&output=json&page=9").Body.String(); body != "" {
		t.Errorf("a page behind the last one: %q", body)
	}
	for _, line := range asks(t, s, "url=h.example&output=cdxj") {
		if c, err := archive.ParseIndexLine([]byte(line)); err != nil || c.Filename == "" ||
			c.Length == 0 {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestIndexResumes checks that resumed answers together have every line once, also if many captures
// share a moment.
func TestIndexResumes(t *testing.T) {
	var answers []answer
	for i := range 40 {
		answers = append(answers, answer{url: fmt.Sprintf("https://h.example/%d", i/20),
			minute: i / 7, raw: page200(fmt.Sprint(i))})
	}
	s := serverOf(t, answers...)
	all := asks(t, s, "url=h.example/*")
	if len(all) != 40 {
		t.Fatalf("%d lines", len(all))
	}
	for _, limit := range []int{1, 3, 7, 39, 40, 41} {
		var got []string
		for resume, n := "", 0; n < 50; n++ {
			lines := asks(t, s, fmt.Sprintf("url=h.example/*&limit=%d&showResumeKey=true&resumeKey=%s",
				limit, resume))
			end := slices.Index(lines, "")
			if end < 0 {
				got = append(got, lines...)
				break
			}
			got, resume = append(got, lines[:end]...), url.QueryEscape(lines[end+1])
		}
		if !slices.Equal(got, all) {
			t.Errorf("with %d at a time: %d lines", limit, len(got))
		}
	}
}

// TestIndexRefuses checks that invalid requests are refused with a hint.
func TestIndexRefuses(t *testing.T) {
	s := listed(t)
	for parameters, want := range map[string]string{
		"":                                      "no address given",
		"url=h.example&matchType=all":           "want exact, prefix, host or domain",
		"url=h.example&output=xml":              "want text, json or cdxj",
		"url=h.example&from=yesterday":          "from=yesterday: want 1 to 14 digits",
		"url=h.example&limit=many":              "want a whole number",
		"url=h.example&offset=-1":               "want a whole number",
		"url=h.example&limit=-999999":           "the last 10000 at most",
		"url=h.example&fl=nothing":              "there is no field",
		"url=h.example&filter=status":           "want [!]FIELD:EXPRESSION",
		"url=h.example&filter=status:(":         "missing closing",
		"url=h.example&collapse=timestamp:0":    "1 or more characters",
		"url=h.example&resumeKey=x":             "a key that this server gave",
		"url=h.example&page=-1":                 "a number from 0",
		"url=h.example&closest=1":               "4 to 14 digits",
		"url=h.example&" + many("filter", 17):   "more than 16",
		"url=h.example&" + many("collapse", 17): "more than 16",
	} {
		w := get(s, "/cdx?"+parameters)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s; want %s", parameters, w.Code, w.Body, want)
		}
	}
}

func many(name string, n int) string { return strings.Repeat(name+"=status:200&", n) }

// FuzzQuery checks that every answer is one of the forms, or a refusal.
func FuzzQuery(f *testing.F) {
	f.Add("url=h.example/*&limit=-3&collapse=timestamp:4")
	f.Add("url=*.h.example&output=json&showResumeKey=true&limit=1")
	f.Add("url=h.example&resumeKey=MSBleGFtcGxlLGgpLyAyMDI2MDEzMTEyMDAwMA&closest=2026")
	s := listed(f)
	f.Fuzz(func(t *testing.T, parameters string) {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8088/cdx", nil)
		r.URL.RawQuery = parameters
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != http.StatusOK && w.Code != http.StatusBadRequest {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
		if w.Header().Get("Content-Type") == "application/json" && w.Body.Len() > 0 &&
			!json.Valid(w.Body.Bytes()) {
			t.Errorf("no JSON: %s", w.Body)
		}
	})
}

// BenchmarkIndex requests one page of an archive.
func BenchmarkIndex(b *testing.B) {
	var answers []answer
	for i := range 2000 {
		answers = append(answers, answer{url: fmt.Sprintf("https://h.example/%d", i),
			raw: page200("x")})
	}
	s := serverOf(b, answers...)
	for b.Loop() {
		if w := get(s, "/cdx?url=h.example/77"); w.Code != http.StatusOK || w.Body.Len() == 0 {
			b.Fatal(w.Body)
		}
	}
}

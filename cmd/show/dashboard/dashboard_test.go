package dashboard

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/cmd/show/view/viewtest"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/corpus/index"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/fetchtest"
	"github.com/recrawl/recrawl/satstore/journal"
)

// serving returns a dashboard of a running planner.
func serving(t *testing.T, address string) (*Server, *viewtest.Running) {
	t.Helper()
	run := viewtest.Run(t)
	s := serve(t, run.Desk, run.Dir, address, corpus(t))
	viewtest.Await(t, "visits", func() bool {
		now, err := run.Desk.Now(t.Context())
		return err == nil && now.Total.Changed > 10 && now.Surveyed.Year() > 2000 &&
			now.Total.Failed > 0
	})
	return s, run
}

// corpus returns a corpus with a page that is named like a tag.
func corpus(t *testing.T) *index.Searcher {
	t.Helper()
	dir := t.TempDir()
	b, err := index.NewBuilder(index.IndexDir(dir), 1)
	if err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)
	for i := range 12 {
		p := index.Page{ID: uint64(i), URL: fmt.Sprint("http://a.example/", i), Title: "<b>River",
			Body: []string{"The <i>river</i> rose."}, Server: "a.example", Changed: day,
			Verified: day}
		if err := b.Add(&p); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(1); err != nil {
		t.Fatal(err)
	}
	if err := index.Publish(index.IndexDir(dir),
		&index.Set{Number: 1, Units: []index.Unit{{Number: 1, State: 1, Pages: 12}}}); err != nil {
		t.Fatal(err)
	}
	s, err := index.OpenSearcher(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func serve(t *testing.T, d *view.Desk, dir, address string, corpus query.Searcher) *Server {
	t.Helper()
	s, err := New(Options{Desk: d, Address: address, Data: dir, Version: "test", Corpus: corpus})
	if err != nil {
		t.Fatal(err)
	}
	s.Serve()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Server) at(path string) string { return "http://" + s.listener.Addr().String() + path }

// do makes a request. headers are pairs of name and value.
func do(t *testing.T, method, address, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// TestAPI: every path of openapi.yaml answers as described there, with a running planner, also with
// errors. Every resource of the server is described.
func TestAPI(t *testing.T) {
	t.Parallel()
	s, _ := serving(t, "127.0.0.1:0")
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	answers := describedIn(t, text)
	page := "url=" + url.QueryEscape(viewtest.Start(0)+"s0/")
	met := map[string]bool{}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/now", "", 200}, {"GET", "/activity?hours=1&step=1", "", 200},
		{"GET", "/activity?hours=0", "", 400}, {"GET", "/visits", "", 200},
		{"GET", "/changes?limit=3&server=www0.example", "", 200},
		{"GET", "/changes?limit=0", "", 400}, {"GET", "/changes?after=x", "", 400},
		{"GET", "/freshness", "", 200}, {"GET", "/due", "", 200},
		{"GET", "/servers?sort=fresh&order=desc&q=www", "", 200},
		{"GET", "/servers?sort=x", "", 400},
		{"GET", "/servers/www0.example", "", 200}, {"GET", "/servers/nobody.example", "", 404},
		{"GET", "/servers/www0.example/pages?limit=3&sort=due", "", 200},
		{"GET", "/servers/www0.example/signals", "", 200},
		{"GET", "/servers/www0.example/sites?method=b", "", 200},
		{"GET", "/servers/www0.example/sites?method=x", "", 400},
		{"GET", "/page?" + page, "", 200}, {"GET", "/page?estimates=false&" + page, "", 200},
		{"GET", "/page?url=http://nobody.example/", "", 404},
		{"GET", "/page/visits?" + page, "", 200},
		{"GET", "/page/diff?" + page, "", 404}, {"GET", "/plan?n=5", "", 200},
		{"GET", "/plan?report=true", "", 200}, {"GET", "/plan?report=list", "", 200},
		{"GET", "/inspect", "", 200},
		{"GET", "/journal?verdict=changed&limit=3", "", 200}, {"GET", "/journal?after=x", "", 400},
		{"GET", "/journal?from=2020-01-01&until=2020-01-02", "", 200},
		{"GET", "/search?q=river&server=a.example&changed=2026-01-31", "", 200},
		{"GET", "/search?q=-x", "", 400}, {"GET", "/search?q=x&changed=x", "", 400},
		{"GET", "/search?q=x&n=0", "", 400}, {"GET", "/settings", "", 200},
		{"PUT", "/settings", `{"weights":["http://www1.example/=2"],"resting":["www2.example"]}`,
			200},
		{"PUT", "/settings", `{"weights":["x"],"resting":[]}`, 400},
		{"PUT", "/settings", `{"other":1}`, 400},
		{"POST", "/hints", `{"urls":["http://www0.example/s0/"]}`, 200},
		{"GET", "/openapi.yaml", "", 200},
	} {
		request, err := http.NewRequestWithContext(t.Context(), c.method, s.at("/api/v1"+c.path),
			strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.secret)
		request.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.path, answer.StatusCode, body, c.status)
		}
		path, _, _ := strings.Cut(c.path, "?")
		operation := c.method + " " + strings.NewReplacer("www0.example", "{server}",
			"nobody.example", "{server}").Replace(path)
		met[operation] = true
		if path == "/openapi.yaml" {
			continue
		}
		schema := answers.of(t, operation, c.status)
		got, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			t.Errorf("%s: %v in %.300s", operation, err, body)
		} else if err := schema.Validate(got); err != nil {
			t.Errorf("%s %s: %v", c.method, c.path, err)
		}
	}
	met["GET /events"] = true // see TestEvents
	for operation := range answers.operations {
		if !met[operation] {
			t.Errorf("%s was not tried", operation)
		}
		delete(met, operation)
	}
	for other := range met {
		t.Errorf("%s is not described", other)
	}
	source, err := os.ReadFile("api.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range regexp.MustCompile(
		`(?:get|change)\((?:"[A-Z]+", )?"([^"]+)"`).FindAllSubmatch(source, -1) {
		if !strings.Contains(string(text), "\n  /"+string(route[1])+":\n") {
			t.Errorf("/%s is not described", route[1])
		}
	}
}

// described has the answers of openapi.yaml. Schemas of OpenAPI 3.1 are those of JSON Schema, draft
// 2020-12.
type described struct {
	compiler   *jsonschema.Compiler
	operations map[string]map[string]any // by method and path: pointers to schemas by status
}

func describedIn(t *testing.T, text []byte) described {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = jsonschema.UnmarshalJSON(bytes.NewReader(asJSON)); err != nil {
		t.Fatal(err)
	}
	d := described{jsonschema.NewCompiler(), map[string]map[string]any{}}
	d.compiler.DefaultDraft(jsonschema.Draft2020)
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	root := doc.(map[string]any)
	if root["openapi"] != "3.1.0" {
		t.Errorf("it is of version %v", root["openapi"])
	}
	for path, item := range root["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			d.operations[strings.ToUpper(method)+" "+
				path] = operation.(map[string]any)["responses"].(map[string]any)
		}
	}
	return d
}

// of returns the schema of the JSON of an answer.
func (d described) of(t *testing.T, operation string, status int) *jsonschema.Schema {
	t.Helper()
	responses := d.operations[operation]
	of, ok := responses[fmt.Sprint(status)]
	if !ok {
		of, ok = responses["default"]
	}
	if !ok {
		t.Fatalf("%s: the status %d is not described", operation, status)
	}
	ref := strings.TrimPrefix(of.(map[string]any)["$ref"].(string), "#")
	schema, err := d.compiler.Compile("openapi.json#" + ref + "/content/application~1json/schema")
	if err != nil {
		t.Fatalf("%s: %v", operation, err)
	}
	return schema
}

var tag = regexp.MustCompile(
	`(?i)<(script|link|img|iframe|object|style)\b[^>]*>|\son[a-z]+=|\sstyle=`)

// TestPages: every page is complete and escaped, loads only from this program, and contains no
// script or style.
func TestPages(t *testing.T) {
	t.Parallel()
	s, run := serving(t, "127.0.0.1:0")
	page := "?url=" + url.QueryEscape(viewtest.Start(0)+"s0/p5")
	for path, want := range map[string]string{
		"/": "The last change was seen", "/changes": `<ol class="changes">`,
		"/health":    "it is &lt;b&gt;down&lt;/b&gt; &amp; out",
		"/freshness": "Age of the copies",
		"/due":       "overdue", "/servers": "www1.example",
		"/servers?q=www1&sort=server&order=desc":    "1 of 3 servers",
		"/servers/www0.example":                     "Can it be kept fresh?",
		"/servers/www0.example/sites":               "What a change of the top tells",
		"/servers/www0.example/pages?q=s0&sort=url": "Part of an address",
		"/page" + page:                              "What is known",
		"/page/estimates" + page:                    "It", "/page/visits" + page: "p(changed)",
		"/page/diff" + page: "there is no archive", "/plan": "The next visits",
		"/hints": "Paused servers", "/journal?q=DOWN": "failed",
		"/search":                 "Changed since",
		"/search?q=river&skip=10": "The &lt;i&gt;<mark>river</mark>&lt;/i&gt; rose.",
		"/search?q=none":          "No page.",
	} {
		answer, text := do(t, "GET", s.at(path), "")
		if answer.StatusCode != 200 || !strings.Contains(text, want) ||
			!strings.HasSuffix(strings.TrimSpace(text), "</html>") {
			t.Errorf("%s: %d without %q:\n%.3000s", path, answer.StatusCode, want, text)
		}
		for _, found := range tag.FindAllString(text, -1) {
			if !regexp.MustCompile(`^<(script src|link rel="[a-z]+" href|img src)="/`).MatchString(
				found) {
				t.Errorf("%s has %s", path, found)
			}
		}
		if h := answer.Header; h.Get("Content-Security-Policy") != contentPolicy ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, h)
		}
	}
	for path, status := range map[string]int{"/nothing": 404, "/servers/nobody.example": 404,
		"/page?url=http://nobody.example/": 404, "/page": 400, "/plan?n=x": 400, "/search?q=-": 400,
		"/api/v1/x": 404, "/assets/none.js": 404, "/debug/pprof/": 404} {
		if answer, text := do(t, "GET", s.at(path), "", "Accept",
			"text/html"); answer.StatusCode != status {
			t.Errorf("%s: %d %.300s, want %d", path, answer.StatusCode, text, status)
		}
	}
	for q, to := range map[string]string{"www1.example": "/servers/www1.example",
		"http://www1.example": "/page?url=", "www": "/servers?q=www"} {
		if answer, _ := do(t, "GET", s.at("/go?q="+q),
			""); !strings.HasPrefix(answer.Header.Get("Location"), to) {
			t.Errorf("%s leads to %s, want %s", q, answer.Header.Get("Location"), to)
		}
	}
	if answer, text := do(t, "GET", s.at("/readyz"), ""); answer.StatusCode != 200 {
		t.Errorf("readyz: %d %s", answer.StatusCode, text)
	}
	run.End()
	if answer, _ := do(t, "GET", s.at("/"), ""); answer.StatusCode != 503 {
		t.Errorf("after the end: %d", answer.StatusCode)
	}
}

// TestGuard: requests of other origins are refused.
func TestGuard(t *testing.T) {
	t.Parallel()
	s, run := serving(t, "127.0.0.1:0")
	form := "do=hint&urls=http%3A%2F%2Fwww0.example%2Fs0%2F&form=" + s.form
	const kind = "application/x-www-form-urlencoded"
	own := "http://" + s.listener.Addr().String()
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
	}{
		"page":      {"GET", "/", "", nil, 200},
		"rebinding": {"GET", "/", "", []string{"Host", "evil.example"}, 421},
		"localhost": {"GET", "/", "", []string{"Host", "localhost:1"}, 200},
		"form": {"POST", "/hints", form, []string{"Content-Type", kind, "Origin", own},
			200},
		"no token": {"POST", "/hints", "do=hint&urls=x", []string{"Content-Type", kind}, 403},
		"wrong token": {"POST", "/hints", strings.Replace(form, s.form, "!"+s.form[1:], 1),
			[]string{"Content-Type", kind}, 403},
		"other origin": {"POST", "/hints", form,
			[]string{"Content-Type", kind, "Origin", "http://evil.example"}, 403},
		"null origin": {"POST", "/hints", form, []string{"Content-Type", kind, "Origin", "null"},
			403},
		"other site": {"POST", "/hints", form,
			[]string{"Content-Type", kind, "Sec-Fetch-Site", "cross-site"}, 403},
		"large": {"POST", "/hints", form + strings.Repeat("x", 2*mostBody),
			[]string{"Content-Type", kind}, 403},
		"other method": {"DELETE", "/hints", "", []string{"X-Form-Token", s.form}, 404},
		"secret": {"POST", "/api/v1/hints", `{"urls":["http://www0.example/"]}`,
			[]string{"Authorization", "Bearer " + s.secret, "Content-Type", "application/json"},
			200},
		"wrong secret": {"POST", "/api/v1/hints", `{"urls":["http://www0.example/"]}`,
			[]string{"Authorization", "Bearer x", "Content-Type", "application/json"}, 403},
		"form, no JSON":  {"POST", "/api/v1/hints", form, []string{"Content-Type", kind}, 400},
		"GET of a POST":  {"GET", "/api/v1/hints", "", nil, 404},
		"path traversal": {"GET", "/assets/..%2fopenapi.yaml", "", nil, 404},
	} {
		if answer, text := do(t, c.method, s.at(c.path), c.body,
			c.headers...); answer.StatusCode != c.status {
			t.Errorf("%s: %d %.200s, want %d", name, answer.StatusCode, text, c.status)
		}
	}
	info, err := os.Stat(announced(run.Dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file with the secret: %v, error %v", info, err)
	}
	if _, err := Ask(t.Context(), t.TempDir(), "now", nil, "application/json"); !errors.Is(err,
		ErrNobody) {
		t.Errorf("a directory without a process: %v", err)
	}
	var refused *RefusedError
	if _, err := Ask(t.Context(), run.Dir, "page", url.Values{"url": {"http://nobody.example/"}},
		"text/plain"); !errors.As(err, &refused) || refused.Status != 404 ||
		!strings.Contains(refused.Why, "not known") {
		t.Errorf("refused as %v", err)
	}
	if text, err := Ask(t.Context(), run.Dir, "page", url.Values{"url": {viewtest.Start(0)}},
		"text/plain"); err != nil || !strings.Contains(string(text), "\n"+viewtest.Start(0)+"\n") {
		t.Errorf("the text of a page is %.200s, error %v", text, err)
	}
}

// TestToken: beyond loopback all answers need the token.
func TestToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := viewtest.Idle()
	s := serve(t, d, dir, "0.0.0.0:0", nil)
	if s.token == "" {
		t.Fatal("no token beyond loopback")
	}
	base := "http://" + reachable(s.listener.Addr().String())
	for name, c := range map[string]struct {
		path    string
		headers []string
		status  int
	}{
		"nothing": {"/hints", nil, 401}, "API": {"/api/v1/settings", nil, 401},
		"metrics": {"/metrics", nil, 401}, "health": {"/healthz", nil, 200},
		"wrong": {"/hints?token=x", nil, 401}, "right": {"/hints?token=" + s.token, nil, 303},
		"bearer":       {"/api/v1/settings", []string{"Authorization", "Bearer " + s.token}, 200},
		"cookie":       {"/hints", []string{"Cookie", cookieName + "=" + s.cookie()}, 200},
		"wrong cookie": {"/hints", []string{"Cookie", cookieName + "=" + s.token}, 401},
		// The token of the feed opens the feed alone.
		"feed":           {s.feedAddress(""), nil, 200},
		"server's feed":  {s.feedAddress("www0.example"), nil, 200},
		"no feed":        {"/changes.atom", nil, 401},
		"wrong feed":     {"/changes.atom?token=x", nil, 401},
		"feed by header": {"/changes.atom", []string{"Authorization", "Bearer " + s.token}, 200},
		"feed by cookie": {"/changes.atom?token=x",
			[]string{"Cookie", cookieName + "=" + s.cookie()}, 200},
		"feed, then log in":     {"/changes.atom?token=" + s.token, nil, 303},
		"token of feed":         {"/?token=" + s.feedToken(), nil, 401},
		"token of feed, API":    {"/api/v1/settings?token=" + s.feedToken(), nil, 401},
		"token of feed, bearer": {"/", []string{"Authorization", "Bearer " + s.feedToken()}, 401},
		"token of feed, its own": {"/changes.atom",
			[]string{"Authorization", "Bearer " + s.feedToken()}, 401},
		"token of feed, cookie": {"/hints",
			[]string{"Cookie", cookieName + "=" + s.feedToken()}, 401},
		"open redirect": {"//evil.example/?token=" + s.token, nil, 303},
	} {
		answer, text := do(t, "GET", base+c.path, "", c.headers...)
		if answer.StatusCode != c.status {
			t.Errorf("%s: %d %.200s, want %d", name, answer.StatusCode, text, c.status)
		}
		if to := answer.Header.Get("Location"); strings.HasPrefix(to, "//") ||
			strings.Contains(to, "token") {
			t.Errorf("%s leads to %s", name, to)
		}
	}
	// Only pages name the feed with its own token.
	_, text := do(t, "GET", base+"/hints", "", "Cookie", cookieName+"="+s.cookie())
	if !strings.Contains(text, `href="`+s.feedAddress("")+`"`) ||
		strings.Contains(text, s.token) {
		t.Errorf("the page is %.1000s", text)
	}
	_, text = do(t, "GET", base+"/hints", "", "Accept", "text/html")
	if !strings.Contains(text, `href="`+feedPath+`"`) || strings.Contains(text, s.feedToken()) {
		t.Errorf("who has no token is told %.1000s", text)
	}
	s2 := serve(t, viewtest.Idle(), dir, "0.0.0.0:0", nil)
	if s2.token != s.token {
		t.Error("the token of a directory changed")
	}
	if err := os.Chmod(dir+"/dashboard.token", 0o644); err != nil {
		t.Fatal(err)
	}
	if s3, err := New(Options{Desk: d, Address: "0.0.0.0:0", Data: dir}); err == nil || s3 != nil {
		t.Error("a token that others can read is taken")
	}
}

// TestPending: the feed leaves out changes whose words are still sought. A list without changes
// leads on if the search stopped before the beginning.
func TestPending(t *testing.T) {
	t.Parallel()
	const page = "http://a.example/"
	o := view.Options{Data: t.TempDir(), Rules: &view.Rules{}}
	log, err := journal.Open(filepath.Join(o.Data, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	err = log.Append(journal.Entry{URL: page, Time: time.Now(), Verdict: "changed"})
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	for _, archive := range []string{"", t.TempDir()} { // the second has no files yet
		o.Archive = archive
		s := serve(t, view.New(o), o.Data, "127.0.0.1:0", nil)
		answer, text := do(t, "GET", s.at(feedPath), "")
		if answer.StatusCode != 200 || strings.Contains(text, "<entry>") != (archive == "") {
			t.Errorf("with the archive %q the feed is %d %s", archive, answer.StatusCode, text)
		}
		if _, text := do(t, "GET", s.at("/changes"), ""); !strings.Contains(text, "a.example") ||
			strings.Contains(text, "not ready yet") != (archive != "") {
			t.Errorf("with the archive %q the list is %s", archive, text)
		}
		var list strings.Builder
		if err := s.pages["changes"].ExecuteTemplate(&list, "content", &content{
			Data: &changesPage{Changes: &view.Changes{}, Older: "/?after=x", Empty: "None."},
		}); err != nil || !strings.Contains(list.String(), `href="/?after=x"`) {
			t.Errorf("an empty list is %s, error %v", list.String(), err)
		}
	}
}

// TestFeedNames: a change has the same ID in the feed at any address of the dashboard, also in a
// later process. The feed of a server has an ID of its own.
func TestFeedNames(t *testing.T) {
	t.Parallel()
	names := func(s *Server, host, query string) []string {
		t.Helper()
		answer, text := do(t, "GET", s.at(feedPath+query), "", "Host", host)
		found := regexp.MustCompile("<id>urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}</id>").
			FindAllString(text, -1)
		if answer.StatusCode != 200 || len(found) != strings.Count(text, "<id>") || len(found) < 2 {
			t.Fatalf("%d %.500s", answer.StatusCode, text)
		}
		return found
	}
	s, run := serving(t, "127.0.0.1:0")
	viewtest.Await(t, "changes", func() bool {
		c, err := run.Desk.Changes(t.Context(), "www0.example", "", 2)
		return err == nil && len(c.Changes) == 2
	})
	run.End()
	first := serve(t, viewtest.Stored(t, run.Dir), run.Dir, "127.0.0.1:0", nil)
	all := names(first, "127.0.0.1", "")
	if distinct := slices.Compact(slices.Sorted(slices.Values(all))); len(distinct) != len(all) {
		t.Errorf("%d names of %d", len(distinct), len(all))
	}
	if got := names(first, "localhost", ""); !slices.Equal(got, all) {
		t.Errorf("by another name of the machine: %v, want %v", got, all)
	}
	second := serve(t, viewtest.Stored(t, run.Dir), run.Dir, "127.0.0.1:0", nil)
	if got := names(second, "127.0.0.1", ""); !slices.Equal(got, all) {
		t.Errorf("at another port: %v, want %v", got, all)
	}
	if of := names(first, "127.0.0.1", "?server=www0.example"); of[0] == all[0] ||
		!slices.Contains(all, of[1]) {
		t.Errorf("the feed of a server has %v, and that of all %v", of, all)
	}
	if s.o.Desk.ID() == ([16]byte{}) || urn([16]byte{}, "changes ") == all[0] {
		t.Error("the store has no name")
	}
}

// TestTLS: with a certificate everything is TLS, beyond loopback with the token. Commands of this
// machine know the server by the file of its certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Desk: viewtest.Idle(), Address: "0.0.0.0:0", Data: dir, Version: "test"}
	var trust *x509.CertPool
	o.Certificate, o.CertificateKey, trust = fetchtest.WriteCertificate(t, dir)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Serve()
	defer s.Close()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust},
		ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	host := reachable(s.listener.Addr().String())
	ask := func(method, path string, headers ...string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, "https://"+host+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer
	}
	if a := ask("GET", "/hints"); a.StatusCode != 401 || a.ProtoMajor != 2 {
		t.Errorf("without the token: %s %s", a.Proto, a.Status)
	}
	a := ask("GET", "/hints?token="+s.token)
	if c := a.Cookies(); a.StatusCode != 303 || len(c) != 1 || !c[0].Secure || !c[0].HttpOnly {
		t.Errorf("with the token: %s, cookies %v", a.Status, c)
	}
	// 400: the body is missing
	for origin, want := range map[string]int{"https://" + host: 400, "http://" + host: 403} {
		if a := ask("POST", "/api/v1/hints", "Origin", origin, "X-Form-Token", s.form,
			"Authorization", "Bearer "+s.token); a.StatusCode != want {
			t.Errorf("a form of %s: %s", origin, a.Status)
		}
	}
	if a, _ := do(t, "GET", "http://"+host+"/", ""); a.StatusCode != 400 {
		t.Errorf("plain HTTP: %s", a.Status)
	}
	if text, err := Ask(t.Context(), dir, "settings", nil, "application/json"); err != nil ||
		!strings.Contains(string(text), "weights") {
		t.Errorf("a command is answered %q, error %v", text, err)
	}
	if !strings.HasPrefix(s.URL(), "https://") || s.Unencrypted() != "" {
		t.Errorf("it is found at %s, and %q", s.URL(), s.Unencrypted())
	}
	o.CertificateKey = o.Certificate
	if _, err := New(o); !errors.As(err, new(*access.CertificateError)) {
		t.Errorf("with a certificate for a key: %v", err)
	}
}

// TestEvents: listeners get the state of the run, and its end.
func TestEvents(t *testing.T) {
	t.Parallel()
	s, run := serving(t, "127.0.0.1:0")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.at("/api/v1/events"), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	first := make([]byte, 64<<10)
	n, err := io.ReadAtLeast(answer.Body, first, 1000)
	if err != nil {
		t.Fatal(err)
	}
	line, ok := strings.CutPrefix(string(first[:n]), "event: now\ndata: ")
	var e live
	if line, _, _ = strings.Cut(line, "\n"); !ok || json.Unmarshal([]byte(line), &e) != nil ||
		e.Now.Known == 0 || len(e.Visits) == 0 {
		t.Errorf("event %.300s", first[:n])
	}
	go run.Desk.Close()
	rest, err := io.ReadAll(answer.Body)
	if err != nil || !strings.Contains(string(rest), "event: end") {
		t.Errorf("the rest is %.300s, error %v", rest, err)
	}
}

// TestMetrics: metrics are well-formed, have no label of a server or address, and agree with the
// run.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s, run := serving(t, "127.0.0.1:0")
	viewtest.Await(t, "freshness", func() bool { return run.Desk.Freshness().Fresh != nil })
	do(t, "GET", s.at("/servers/www0.example"), "")
	_, text := do(t, "GET", s.at("/metrics"), "")
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"recrawl_visits_total", "recrawl_fresh_ratio",
		"recrawl_visit_lag_seconds", "recrawl_dashboard_request_seconds", "recrawl_overdue_pages",
		"go_goroutines"} {
		if families[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if strings.Contains(text, "www0.example") {
		t.Error("a metric names a server")
	}
	if dashboard, err := os.ReadFile("../../../docs/reference/grafana-dashboard.json"); err != nil {
		t.Error(err)
	} else {
		for _, name := range regexp.MustCompile(`recrawl_[a-z_]+`).FindAllString(string(dashboard),
			-1) {
			base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"),
				"_count"), "_sum")
			if families[name] == nil && families[base] == nil &&
				name != "recrawl_round_budget_fetches" && name != "recrawl_limit_used" &&
				name != "recrawl_limit_granted" {
				t.Errorf("the dashboard of Grafana asks for %s, which is none", name)
			}
		}
	}
}

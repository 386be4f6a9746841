package urlfrontier_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/urlfrontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// post sends JSON and returns the status and the body.
func (h *host) post(path, body string, headers ...string) (int, string) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), "POST",
		"http://"+h.server.WebAddress()+path, strings.NewReader(body))
	h.must(err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	h.must(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	h.must(err)
	return answer.StatusCode, strings.TrimSpace(string(text))
}

func (h *host) posted(path, body string, answer any) {
	h.t.Helper()
	code, text := h.post(path, body)
	if code != 200 {
		h.t.Fatalf("%s: %d %s", path, code, text)
	}
	h.must(json.Unmarshal([]byte(text), answer))
}

// TestWeb is a crawler that speaks HTTP. It names a start page, gets the pages that this links to,
// and later gets pages again that may have changed.
func TestWeb(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var taken urlfrontier.Taken
	var given urlfrontier.Given
	h.posted("/v1/outcomes",
		`{"discovered":[{"url":"http://a.example/","metadata":{"depth":["0"]}},{"url":""}]}`,
		&taken)
	if !slices.Equal(taken.Discovered, []string{"stored", "skipped"}) || len(taken.Outcomes) != 0 {
		t.Fatalf("%+v", taken)
	}
	h.posted("/v1/next", `{"queues":10,"per_queue":2,"lease_seconds":60}`, &given)
	if len(given.URLs) != 1 || given.URLs[0].URL != "http://a.example/" ||
		given.URLs[0].Crawl != "DEFAULT" ||
		given.URLs[0].Metadata["depth"][0] != "0" {
		t.Fatalf("%+v", given)
	}
	h.posted("/v1/outcomes", `{"outcomes":[{"url":"http://a.example/","status":200,"digest":"x1","modified":"Wed, 01 Jul 2026 10:00:00 GMT",
		"links":["http://a.example/1","http://a.example/2","http://a.example/1","http://b.example/"]}]}`, &taken)
	if !slices.Equal(taken.Outcomes, []string{"stored"}) || taken.NewLinks != 2 {
		t.Fatalf("%+v", taken)
	}
	h.pass(time.Second)
	h.posted("/v1/next", `{}`, &given)
	if len(given.URLs) != 2 {
		t.Fatalf("%+v", given)
	}
	h.posted("/v1/outcomes",
		`{"outcomes":[{"url":"http://a.example/1","never":true},{"url":"http://a.example/2","again":"2026-07-01T13:00:00Z"}]}`, &taken)
	if it, err := h.client.GetURLStatus(t.Context(),
		&pb.URLStatusRequest{Url: "http://a.example/"}); err != nil ||
		it.GetKnown().RefetchableFromDate < uint64(h.now().Add(59*time.Minute).Unix()) {
		t.Fatalf("%v, %v", it, err)
	}
	h.pass(61 * 24 * time.Hour)
	h.restart()
	given = urlfrontier.Given{}
	h.posted("/v1/next", `{}`, &given)
	if len(given.URLs) != 2 { // all except the one with `never`
		t.Fatalf("%+v", given)
	}
	for _, c := range []struct {
		path, body, says string
		code             int
	}{
		{"/v1/next", `{"queus":1}`, "queus", 400},
		{"/v1/next", `{"queues":-1}`, "0 or more", 400},
		{"/v1/next", `{"lease_seconds":99999999}`, "604800", 400},
		{"/v1/next", `[`, "EOF", 400},
		{"/v1/outcomes", `{"discovered":[{"url":"http://x/","metadata":{"a":["` + "\xff" + `"]}}]}`,
			`"discovered":["stored"]`, 200},
		{"/v2/next", `{}`, "not found", 404},
	} {
		if code, text := h.post(c.path, c.body); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s %s: %d %s", c.path, c.body, code, text)
		}
	}
	if code, _ := h.post("/v1/next", `{}`, "Content-Type", "text/plain"); code != 415 {
		t.Errorf("text/plain: %d", code)
	}
}

// Outcomes in the metadata of PutURLs are evidence: pages that change come first.
func TestOutcomesInMetadata(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for day := range 10 {
		var items []*pb.URLItem
		for p := range 6 {
			digest := "same"
			if p >= 4 {
				digest = fmt.Sprint(day)
			}
			it := known(fmt.Sprintf("http://a.example/%c/x", 'a'+p), "", "", h.now().Add(time.Hour))
			it.GetKnown().Info.Metadata = map[string]*pb.StringList{
				"fetch.statusCode": {Values: []string{"200"}},
				"signature":        {Values: []string{digest}}, "other": {Values: []string{"kept"}},
			}
			items = append(items, it)
		}
		h.stored(items...)
		h.pass(24 * time.Hour)
	}
	h.restart()
	infos := h.infos(&pb.GetParams{MaxUrlsPerQueue: 2})
	got := []string{infos[0].Url, infos[1].Url}
	slices.Sort(got)
	if !slices.Equal(got, []string{"http://a.example/e/x", "http://a.example/f/x"}) {
		t.Fatalf("%q", got)
	}
	if infos[0].Metadata["other"].Values[0] != "kept" {
		t.Fatalf("%v", infos[0])
	}
}

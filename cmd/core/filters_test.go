package core_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	germanPage = `<html lang=en><title>Bücherei</title><main><p>Die Bücherei öffnet ab Montag wieder eine Stunde früher, und wer noch ein Buch zurückgeben möchte, kann das schon um acht Uhr tun.</p></main>`
	frenchPage = `<html lang=fr><title>Bibliothèque</title><main><p>La bibliothèque ouvre de nouveau une heure plus tôt, et ceux qui souhaitent rendre un livre pourront le faire dès huit heures.</p><a href=/deep>plus</a></main>`
	casinoPage = `<html lang=de><title>Casino</title><main><p>Jetzt im Casino anmelden und den Jackpot holen, wir schenken dir zum Beginn noch viele Freispiele dazu.</p><a href=/hidden>weiter</a></main>`
)

// TestRunFilters checks that pages rejected by filters leave, with the reason in journal, summary
// and explain. Their bodies are in no archive, and they are not visited again. New filters judge
// pages with a copy unconditionally; without filters, rejected pages are visited again.
func TestRunFilters(t *testing.T) {
	t.Parallel()
	var conditional, plain atomic.Int32 // requests for the French page
	server := serveAt(t, "127.4.9.1", func(rw http.ResponseWriter, r *http.Request) {
		pages := map[string]string{
			"/":   `<title>Start</title><a href=/de>a</a><a href=/fr>b</a><a href=/casino>c</a>`,
			"/de": germanPage, "/fr": frenchPage, "/casino": casinoPage, "/deep": germanPage,
			"/hidden": germanPage,
		}
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("ETag", `"1"`)
		if r.URL.Path == "/fr" {
			if r.Header.Get("If-None-Match") == "" {
				plain.Add(1)
			} else {
				conditional.Add(1)
				rw.WriteHeader(http.StatusNotModified)
				return
			}
		}
		fmt.Fprint(rw, page)
	})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "filters.yaml"),
		"filters:\n- {name: gambling, score: {least: 2, parts: [{words: [casino, jackpot, "+
			"freispiele]}]}}\n")
	at := "http://" + server.at
	run := func(data string, more ...string) (r result, last map[string]string) {
		t.Helper()
		args := []string{"run", "--data", data, "--user-agent", contact, "--allow-private",
			"--delay", "0s", "--unlimited",
			"--policy", "breadth-first", "--round", "1s", "--rounds", "3", at + "/"}
		r = recrawlIn(t, dir, nil, append(args, more...)...).ok(t)
		last = map[string]string{}
		for _, e := range readJournal(t, filepath.Join(dir, data)) {
			last[strings.TrimPrefix(e.URL, at)] = e.Outcome + " " + e.Filter + " " + e.Detail
		}
		return r, last
	}
	want := func(last map[string]string, path, prefix string) {
		t.Helper()
		if !strings.HasPrefix(last[path], prefix) || prefix == "" && last[path] != "" {
			t.Errorf("%s: %q, want %q", path, last[path], prefix)
		}
	}
	filtered := []string{"--languages", "de", "--filters", "filters.yaml"}
	r, last := run("new", append(filtered, "--archive", "kept")...)
	want(last, "/de", "fetched  ")
	want(last, "/fr", "excluded languages filter languages: its text is in fr")
	want(last, "/casino", "excluded gambling filter gambling: score 3, rejected from 2: casino, ")
	want(last, "/deep", "fetched") // linked by a page in another language
	want(last, "/hidden", "")      // linked from an unwanted page
	if !strings.Contains(r.stdout, "Pages that filters reject") {
		t.Errorf("the summary: %s", r.stdout)
	}
	if n := plain.Load() + conditional.Load(); n != 1 {
		t.Errorf("the French page was visited %d times", n)
	}
	if shown := showArchive(t, dir); strings.Contains(shown, "Jackpot") ||
		!strings.Contains(shown, "Montag") {
		t.Error("the archive has the unwanted page, or not the others")
	}
	r = recrawlIn(t, dir, nil, "explain", "--data", "new", at+"/casino").ok(t)
	if !strings.Contains(r.stdout, "filter gambling: score 3") ||
		!strings.Contains(r.stdout, "a filter rejects it") {
		t.Errorf("explain: %s", r.stdout)
	}

	plain.Store(0)
	_, last = run("old")
	want(last, "/fr", "not-modified")
	if plain.Load() != 1 {
		t.Errorf("%d visits without condition, want the first", plain.Load())
	}
	_, last = run("old", filtered...)
	want(last, "/fr", "excluded languages")
	want(last, "/casino", "excluded gambling")
	if plain.Load() != 2 {
		t.Errorf("%d visits without condition, want the first and one under filters", plain.Load())
	}
	_, last = run("old")
	want(last, "/fr", "not-modified") // of the copy of the last visit
	want(last, "/casino", "fetched")
}

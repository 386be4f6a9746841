// Command site is a server of loopback whose answers are of many kinds: with and without a content
// coding, in chunks, moved, gone, without a body, the same at each visit and another at each. It
// prints its address.
package main

import (
	"compress/gzip"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
)

func main() {
	var visits atomic.Int64
	text := strings.Repeat("<p>Some words of a page that is kept.</p>\n", 200)
	html := func(serve http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			serve(w, r)
		}
	}
	http.HandleFunc("/", html(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		for _, path := range []string{"same", "other", "coded", "chunks", "moved", "gone", "empty", "tagged"} {
			fmt.Fprintf(w, "<a href=/%s>%s</a>\n", path, path)
		}
	}))
	http.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: *\nAllow: /\n") })
	http.HandleFunc("/same", html(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }))
	http.HandleFunc("/other", html(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, visits.Add(1), text) }))
	http.HandleFunc("/coded", html(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, visits.Add(1), text)
		z.Close()
	}))
	http.HandleFunc("/chunks", html(func(w http.ResponseWriter, _ *http.Request) {
		for range 5 {
			fmt.Fprint(w, text)
			w.(http.Flusher).Flush()
		}
	}))
	http.Handle("/moved", http.RedirectHandler("/target?a=1&b=2", http.StatusMovedPermanently))
	http.HandleFunc("/target", html(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") }))
	http.HandleFunc("/empty", html(func(http.ResponseWriter, *http.Request) {}))
	http.HandleFunc("/tagged", html(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		if r.Header.Get("If-None-Match") == `"one"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprint(w, text)
	}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	log.Fatal(http.Serve(l, nil))
}

package listed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/recrawl/recrawl/sitegraph"
)

const (
	// MostSeeds bounds a list.
	MostSeeds = 1_000_000
	// mostProblems bounds the reported problems of a list.
	mostProblems = 10
	// longestLine bounds a line, in bytes.
	longestLine = 4 << 10
)

// Scope decides which pages count, by a list of seeds, each with a distance.
//
// # Guarantees
//
//  1. A page is in scope if it is in the scope of a seed. That is the seed's address (page), its
//     directory (directory), its server (server), or the pages of its server within N links (hops
//     N).
//  2. Scheme and "www." do not count, so that a seed that is led from http to https stays whole.
//     The target of a redirect from a page in scope is in scope as a page.
//  3. A list that makes no sense is refused as a whole, with the numbers of its lines.
//  4. Memory grows with the seeds, and with the pages within hops of some.
//
// A Scope may be used by many goroutines.
type Scope struct {
	Seeds []string // canonical, in the order of the list

	servers map[string]*within

	mu   sync.Mutex
	hops map[string]int // links that may still be followed from a page; by bare address
}

// within is the part of a server in scope.
type within struct {
	all         bool
	directories []string        // bare, each with a final slash
	pages       map[string]bool // bare
}

// ErrNoSeeds means that a list has no start page: it is empty, or has only comments.
var ErrNoSeeds = errors.New("it has no start page yet")

// ScopeForms lists the possible texts after an address.
const ScopeForms = "page, directory, server or hops N"

// ParseScope parses a list: an address a line, and after a blank its scope; server by default. "#"
// begins a comment.
func ParseScope(list io.Reader) (*Scope, error) {
	s := &Scope{servers: map[string]*within{}, hops: map[string]int{}}
	known := map[string]bool{}
	var problems []error
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, longestLine)
	number := 0
	for lines.Scan() && len(problems) < mostProblems {
		number++
		words := strings.Fields(strings.TrimPrefix(lines.Text(), "\ufeff"))
		for i, word := range words {
			if strings.HasPrefix(word, "#") {
				words = words[:i]
				break
			}
		}
		if len(words) == 0 {
			continue
		}
		url, err := sitegraph.Canonical(words[0])
		if err == nil {
			err = s.add(url, words[1:])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("line %d: %w", number, err))
		}
		if !known[url] {
			known[url] = true
			s.Seeds = append(s.Seeds, url)
		}
		if len(s.Seeds) > MostSeeds {
			return nil, fmt.Errorf("line %d: more than %d seeds", number, MostSeeds)
		}
	}
	if err := lines.Err(); err != nil {
		problems = append(problems, fmt.Errorf("line %d: %w", number+1, err))
	}
	if len(problems) == 0 && len(s.Seeds) == 0 {
		return s, ErrNoSeeds
	}
	return s, errors.Join(problems...)
}

func (s *Scope) add(url string, words []string) error {
	address := sitegraph.Bare(url)
	host, path, _ := strings.Cut(address, "/")
	w := s.servers[host]
	if w == nil {
		w = &within{pages: map[string]bool{}}
		s.servers[host] = w
	}
	w.pages[address] = true
	switch kind := strings.ToLower(strings.Join(words, " ")); {
	case kind == "" || kind == "server":
		w.all = true
	case kind == "page":
	case kind == "directory":
		w.directories = append(w.directories, host+"/"+path[:strings.LastIndexByte(path, '/')+1])
	case strings.HasPrefix(kind, "hops "):
		n, err := strconv.Atoi(words[1])
		if err != nil || len(words) > 2 || n < 1 || n >= sitegraph.MaxDepth {
			return fmt.Errorf("hops %.20s: want a number from 1 to %d",
				strings.Join(words[1:], " "), sitegraph.MaxDepth-1)
		}
		s.hops[address] = max(s.hops[address], n)
	default:
		return fmt.Errorf("scope %.40q: want %s", kind, ScopeForms)
	}
	return nil
}

// Has reports whether a canonical address is in scope; nil has all.
func (s *Scope) Has(url string) bool {
	if s == nil {
		return true
	}
	address := sitegraph.Bare(url)
	host, _, _ := strings.Cut(address, "/")
	if w := s.servers[host]; w != nil {
		if w.all || w.pages[address] {
			return true
		}
		for _, directory := range w.directories {
			if strings.HasPrefix(address, directory) {
				return true
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.hops[address]
	return ok
}

// Lead notes the targets of a page, so that Has knows which of its links are in scope: redirect,
// unless that is "", and links. A nil Scope ignores it.
func (s *Scope) Lead(url, redirect string, links []string) {
	if s == nil {
		return
	}
	if redirect != "" && s.Has(url) {
		s.mu.Lock()
		bare := sitegraph.Bare(redirect)
		s.hops[bare] = max(s.hops[bare], s.hops[sitegraph.Bare(url)])
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.hops[sitegraph.Bare(url)]
	if left == 0 {
		return
	}
	host, _, _ := strings.Cut(sitegraph.Bare(url), "/")
	for _, link := range links {
		to := sitegraph.Bare(sitegraph.Tidy(link)) // the address under which it becomes known
		if of, _, _ := strings.Cut(to, "/"); of == host {
			if known, ok := s.hops[to]; !ok || known < left-1 {
				s.hops[to] = left - 1
			}
		}
	}
}

// left returns how many links may be followed from an address; 0: none, or unknown.
func (s *Scope) left(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hops[sitegraph.Bare(url)]
}

// Remember notes where the pages that are known lead, as far as links are followed. leads returns
// where a page led: to what address it redirected ("": none), or by which links.
func (s *Scope) Remember(leads func(url string) (redirect string, links []string)) {
	if s == nil {
		return
	}
	for n := sitegraph.MaxDepth; n > 0; n-- { // those with most links left come first
		s.mu.Lock()
		var at []string
		for _, seed := range s.Seeds {
			if s.hops[sitegraph.Bare(seed)] == n {
				at = append(at, seed)
			}
		}
		s.mu.Unlock()
		s.walk(at, n, leads)
	}
}

// walk follows links, n in a row. A redirect counts as none.
func (s *Scope) walk(at []string, n int, leads func(url string) (string, []string)) {
	for ; n > 0 && len(at) > 0; n-- {
		var next []string
		for i := 0; i < len(at); i++ {
			redirect, found := leads(at[i])
			before := s.left(redirect)
			if s.Lead(at[i], redirect, found); s.left(redirect) > before {
				at = append(at, redirect)
			}
			for _, to := range found {
				s.mu.Lock()
				if s.hops[sitegraph.Bare(to)] == n-1 {
					next = append(next, to)
				}
				s.mu.Unlock()
			}
		}
		at = next
	}
}

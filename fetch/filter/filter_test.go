package filter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain makes the test binary the command of filters if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "judge" {
		judge()
		return
	}
	os.Exit(m.Run())
}

// judge answers as the text of a page requests.
func judge() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var p Page
		if json.Unmarshal(in.Bytes(), &p) != nil {
			os.Exit(3)
		}
		switch p.Text {
		case "hang":
			time.Sleep(time.Hour)
		case "die":
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(1)
		case "chatter":
			fmt.Println(strings.Repeat("x", 100_000))
		case "environment":
			fmt.Printf("{\"reject\": true, \"score\": 0.5, \"why\": %q}\n",
				strings.Join(os.Environ(), " "))
		case "nonsense":
			fmt.Println(`{"score": 1}`)
		default:
			fmt.Printf("{\"reject\": %v, \"score\": 0.5, \"why\": \"%d\"}\n",
				p.Text == "bad", os.Getpid())
		}
	}
}

func set(t *testing.T, yaml string, warn func(error)) *Set {
	t.Helper()
	file := filepath.Join(t.TempDir(), "filters.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(Options{File: file, Warn: warn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ruled(t *testing.T, s *Set, text string) Ruling {
	t.Helper()
	r, err := s.Judge(context.Background(), &Page{URL: "http://a.example/", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCommand checks that a command is one process for many pages. If it fails, the page is kept
// and unsure, and the process starts again after its pause.
func TestCommand(t *testing.T) {
	for text, want := range map[string]string{
		"hang": "did not answer within", "die": "it ended; it says: out of luck",
		"chatter": "more than 65536 octets", "nonsense": "want a line like",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var told []string
			s := set(t, fmt.Sprintf("filters:\n- {name: own, command: [%q, judge], timeout: "+
				"500ms}\n", os.Args[0]), func(err error) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, err.Error())
			})
			first, second := ruled(t, s, "bad"), ruled(t, s, "bad")
			if first.Filter != "own" || first.Why != second.Why || first.Unsure ||
				ruled(t, s, "good").Filter != "" {
				t.Fatalf("rulings %+v, %+v", first, second)
			}
			for range 3 { // the second and third come during the pause
				if r := ruled(t, s, text); r.Filter != "" || !r.Unsure {
					t.Errorf("%+v", r)
				}
			}
			if len(told) != 1 || !strings.Contains(told[0], want) {
				t.Errorf("told %q, want once %q", told, want)
			}
			time.Sleep(FirstPause)
			if again := ruled(t, s, "bad"); again.Filter != "own" || again.Why == first.Why {
				t.Errorf("after the pause: %+v, before %+v", again, first)
			}
		})
	}
}

// TestCommandEnvironment checks that a command gets no secrets of recrawl, except those passed to
// it.
func TestCommandEnvironment(t *testing.T) {
	t.Setenv("RECRAWL_TOKEN", "geheim")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "geheim")
	t.Setenv("MODEL", "large")
	t.Setenv("TZ", "UTC")
	s := set(t, fmt.Sprintf("filters:\n- {name: own, command: [%q, judge], environment: "+
		"[MODEL, SIZE=3]}\n", os.Args[0]), nil)
	why := ruled(t, s, "environment").Why
	for _, want := range []string{"PATH=", "TZ=UTC", "MODEL=large", "SIZE=3"} {
		if !strings.Contains(why, want) {
			t.Errorf("%s is not in %q", want, why)
		}
	}
	if strings.Contains(why, "geheim") {
		t.Errorf("it sees %q", why)
	}
}

// TestCommandBrokenOff checks that an interrupted visit is no failure of the command.
func TestCommandBrokenOff(t *testing.T) {
	s := set(t, fmt.Sprintf("filters:\n- {name: own, command: [%q, judge]}\n", os.Args[0]), nil)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Judge(ctx, &Page{Text: "hang"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if ruled(t, s, "bad").Filter != "own" {
		t.Error("the command is not begun again at once")
	}
}

// TestCommandConcurrent uses several goroutines and several processes.
func TestCommandConcurrent(t *testing.T) {
	s := set(t, fmt.Sprintf("filters:\n- {name: own, command: [%q, judge], processes: 2}\n",
		os.Args[0]), nil)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			text := []string{"good", "bad"}[i%2]
			r, err := s.Judge(context.Background(), &Page{Text: text})
			if err != nil || r.Unsure || (r.Filter == "own") != (text == "bad") {
				t.Errorf("%s: %+v %v", text, r, err)
			}
		})
	}
	all.Wait()
}

// TestSet checks that the first filter to reject a page decides, with its own prefix and follow.
func TestSet(t *testing.T) {
	s := set(t, `filters:
- {name: elsewhere, prefix: "http://b.example/", score: {least: 1, parts: [{words: apple}]}}
- {name: fruit, follow: true, score: {least: 2, parts: [{words: [apple, "green pear"]}, {expression: 'p[le]+', weight: 0.5}, {words: [kein, 梨], weight: -1}]}}
- {name: german, languages: de}
`, nil)
	for text, want := range map[string]string{
		"one apple a day": "", "An APPLE and a green-pear": "fruit true", "apple apple apple": "",
		"apple, green pear, 山梨県": "",
		"La bibliothèque municipale ouvre de nouveau une heure plus tôt à partir de lundi.": "german true",
	} {
		got := ""
		if r := ruled(t, s, text); r.Filter != "" {
			got = fmt.Sprint(r.Filter, " ", r.Follow)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	var none *Set
	if r := ruled(t, none, "apple"); r != (Ruling{}) || none.Fingerprint() != 0 ||
		none.Close() != nil {
		t.Error("the nil set rejects")
	}
}

// TestFingerprint checks that any changed setting, also in a word list, changes the fingerprint.
func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	of := func(yaml, list string) uint64 {
		t.Helper()
		for name, text := range map[string]string{"f.yaml": yaml, "list.txt": list} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Open(Options{File: filepath.Join(dir, "f.yaml")})
		if err != nil {
			t.Fatal(err)
		}
		return s.Fingerprint()
	}
	const one = "filters: [{name: a, score: {least: 1, parts: [{words-file: list.txt}]}}]"
	first := of(one, "x # no word\n\n")
	if first == 0 || first != of(one, "x\n") || first == of(one, "y\n") ||
		first == of(strings.Replace(one, "1", "2", 1), "x\n") {
		t.Error("fingerprints do not tell settings apart")
	}
}

// TestMistakes checks that all mistakes are reported together.
func TestMistakes(t *testing.T) {
	for yaml, want := range map[string]string{
		"":                                "there are no filters",
		"filters: x":                      "want a list",
		"filters: [{name: a, langs: de}]": "line 1: unknown key langs",
		"filters: [{name: a}]":            "0 of the keys",
		"filters: [{name: a, languages: de, command: ls}]":                                      "2 of the keys",
		"filters: [{languages: de}]":                                                            "filter 1 has no name",
		"filters: [{name: a, languages: de}, {name: a, languages: en}]":                         "two filters",
		"filters: [{name: a, languages: [de, deutsch]}, {name: b, command: none-of-this-name}]": "\"deutsch\": it is not a code of a language, for example de, pt-BR or zh\nfilter \"b\": ",
		"filters: [{name: a, url: 'http://127.0.0.1/'}]":                                        "line 1: unknown key url",
		"filters: [{name: a, languages: de, timeout: 1s}]":                                      "are of a command",
		"filters: [{name: a, command: [none-of-this-name]}]":                                    "not found",
		"filters: [{name: a, command: ls, environment: [\"a b\"]}]":                             "environment: ",
		"filters: [{name: a, languages: de, environment: [A]}]":                                 "of a command",
		"filters: [{name: a, command: ls, timeout: 2h}]":                                        "timeout: want",
		"filters: [{name: a, links: {others: 3}}]":                                              "per-word",
		"filters: [{name: a, score: {least: 0, parts: [{words: a}]}}]":                          "want least",
		"filters: [{name: a, score: {least: 1, parts: [{words: a, expression: b}]}}]":           "part 1",
		"filters: [{name: a, score: {least: 1, parts: [{words: a, in: title}]}}]":               "in: want",
		"filters: [{name: a, score: {least: 1, parts: [{words: '...'}]}}]":                      "0 words",
		"filters: [{name: a, score: {least: 1, parts: [{expression: '('}]}}]":                   "missing closing",
		"filters: [{name: a, score: {least: 1, parts: [{expression: " +
			"'((a{1,9}){1,9}(b{1,9}){1,9}){1,10}((c{1,9}){1,9}){1,10}((d{1,9}){1,9}){1,10}((e{1,9}){1,9}){1,10}((f{1,9}){1,9}){1,10}((g{1,9}){1,9}){1,10}'}]}}]": "instructions",
		"filters: [{name: a, score: {least: 1, parts: [{words-file: /none/of/this}]}}]": "no such file",
		"filters: [{name: " + strings.Repeat("a", 99) +
			", languages: de}]": "no name",
		"filters: [{name: a, score: {least: 1, parts: [{words: " + strings.Repeat("a ", 9) +
			"}]}}]": "9 words",
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(Options{File: file})
		if err == nil || !errors.As(err, new(*Mistake)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", yaml, err, want)
		}
	}
	if _, err := Open(Options{File: "/none/of/this"}); !errors.Is(err, os.ErrNotExist) ||
		errors.As(err, new(*Mistake)) {
		t.Error(err)
	}
}

// FuzzFilters checks that no file of filters and no page ends the program, and that a page gets the
// same verdict again.
func FuzzFilters(f *testing.F) {
	f.Add("filters: [{name: a, score: {least: 1, parts: [{words: [a b, 梨]}, {expression: 'x+', "+
		"in: url}]}}]", "a b 梨", "de")
	f.Add("filters: [{name: a, languages: [de, zh-Hant]}, {name: b, links: {others: 1, "+
		"per-word: 0.1}}]", "Das ist ein Satz über die Katze", "")
	f.Fuzz(func(t *testing.T, yaml, text, lang string) {
		if len(yaml)+len(text) > 1<<12 || strings.Contains(yaml, "file") ||
			strings.Contains(yaml, "command") {
			return
		}
		specs, err := parse([]byte(yaml), t.TempDir())
		if err != nil {
			return
		}
		for i := range specs {
			n, err := specs[i].compile()
			if err != nil {
				continue
			}
			p := &Page{URL: "http://a.example/" + text, Title: text, Text: text, Language: lang,
				Links: []string{text, "http://b.example/"}}
			one, err := n.Judge(context.Background(), p)
			two, _ := n.Judge(context.Background(), p)
			if err != nil || one != two {
				t.Errorf("%+v, then %+v: %v", one, two, err)
			}
		}
	})
}

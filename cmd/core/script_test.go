package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts of testdata/script, one a feature of the command line. The first
// line of a script says what it holds. Beside what testscript has, a script may say:
//
//	recrawl ARGUMENT...                       the call ends with exit code 0
//	ends CODE ARGUMENT...                     it ends with another one
//	refused CODE ARGUMENT... => WORD...       a refusal, with these words in its message
//	[!] says FILE WORD...                     stdout, stderr or a file has each word, or none
//	json PATH OPERATOR VALUE                  what stdout has at a.b.0.c; OPERATOR is = < > or has
//	history FILE SERVER PAGES                 writes the history that historyFile makes
//	whole FILE                                a report has figures and loads nothing
//	damage FILE                               flips a bit
//	serve NAME DIRECTORY                      $NAME is a server of these files; NAME.log, who asked
//	expand FILE                               puts variables into a file
//
// $PROGRAM is the program for exec, also in the background. Words are taken as they are.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		ContinueOnError:    true,
		RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			program, err := os.Executable()
			e.Vars = append(e.Vars, asProgram+"=1", "GOGC=400", "PROGRAM="+program,
				"CONTACT="+contact)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"recrawl": func(s *testscript.TestScript, not bool, args []string) {
				affirmed(s, not)
				ends(s, 0, args)
			},
			"ends": func(s *testscript.TestScript, not bool, args []string) {
				affirmed(s, not)
				ends(s, code(s, args), args[1:])
			},
			"refused": scriptRefused,
			"says":    scriptSays,
			"json":    scriptJSON,
			"history": scriptHistory,
			"serve":   scriptServe,
			"damage": func(s *testscript.TestScript, not bool, args []string) {
				affirmed(s, not)
				text := []byte(s.ReadFile(args[0]))
				text[3] ^= 1
				s.Check(os.WriteFile(s.MkAbs(args[0]), text, 0o666))
			},
			"expand": func(s *testscript.TestScript, not bool, args []string) {
				affirmed(s, not)
				text := os.Expand(s.ReadFile(args[0]), s.Getenv)
				s.Check(os.WriteFile(s.MkAbs(args[0]), []byte(text), 0o666))
			},
			"whole": func(s *testscript.TestScript, not bool, args []string) {
				affirmed(s, not)
				for _, name := range args {
					if fault := incomplete(s.ReadFile(name)); fault != "" {
						s.Fatalf("%s %s", name, fault)
					}
				}
			},
		},
	})
}

func affirmed(s *testscript.TestScript, not bool) {
	if not {
		s.Fatalf("this command cannot be negated")
	}
}

func code(s *testscript.TestScript, args []string) int {
	if len(args) == 0 {
		s.Fatalf("give an exit code")
	}
	n, err := strconv.Atoi(args[0])
	s.Check(err)
	return n
}

// ends calls the program and demands an exit code.
func ends(s *testscript.TestScript, want int, args []string) {
	err := s.Exec(s.Getenv("PROGRAM"), args...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		s.Check(err)
	}
	if got != want {
		s.Fatalf("exit code %d, want %d", got, want)
	}
}

func scriptRefused(s *testscript.TestScript, not bool, args []string) {
	affirmed(s, not)
	want, words := code(s, args), []string(nil)
	args = args[1:]
	for i, arg := range args {
		if arg == "=>" {
			args, words = args[:i], args[i+1:]
			break
		}
	}
	if len(words) == 0 {
		s.Fatalf("which words does the message have?")
	}
	ends(s, want, args)
	for _, fault := range faults(s.ReadFile("stdout"), s.ReadFile("stderr"), words) {
		s.Fatalf("%s", fault)
	}
}

func scriptSays(s *testscript.TestScript, not bool, args []string) {
	if len(args) < 2 {
		s.Fatalf("usage: [!] says FILE WORD...")
	}
	text := s.ReadFile(args[0])
	for _, word := range args[1:] {
		if strings.Contains(text, word) == not {
			s.Fatalf("%s has %q: %v", args[0], word, !not)
		}
	}
}

// scriptJSON compares a value of what was printed with another one: strings and numbers by
// themselves, the rest as JSON on one line. Of lists "has" wants a member, of strings a part.
// The length of a list stands at .length, the sorted names of an object at .keys.
func scriptJSON(s *testscript.TestScript, not bool, args []string) {
	if len(args) != 3 {
		s.Fatalf("usage: json PATH OPERATOR VALUE")
	}
	var at any
	s.Check(json.Unmarshal([]byte(s.ReadFile("stdout")), &at))
	for step := range strings.SplitSeq(args[0], ".") {
		list, isList := at.([]any)
		object, _ := at.(map[string]any)
		i, err := strconv.Atoi(step)
		found := false
		switch {
		case step == "":
			found = true
		case isList && step == "length":
			at, found = float64(len(list)), true
		case object != nil && step == "keys":
			at, found = strings.Join(slices.Sorted(maps.Keys(object)), " "), true
		case isList && err == nil && i < len(list):
			at, found = list[i], true
		default:
			at, found = object[step]
		}
		if !found {
			s.Fatalf("there is no %q of %s", step, args[0])
		}
	}
	text := func(v any) string {
		if word, ok := v.(string); ok {
			return word
		}
		b, err := json.Marshal(v)
		s.Check(err)
		return string(b)
	}
	got, want := text(at), args[2]
	x, isNumber := at.(float64)
	y, err := strconv.ParseFloat(want, 64)
	holds := false
	switch list, isList := at.([]any); {
	case args[1] == "=":
		holds = got == want
	case args[1] == "has" && isList:
		for _, v := range list {
			holds = holds || text(v) == want
		}
	case args[1] == "has":
		holds = strings.Contains(got, want)
	case !isNumber || err != nil:
		s.Fatalf("%s or %s is no number", got, want)
	case args[1] == "<":
		holds = x < y
	case args[1] == ">":
		holds = x > y
	default:
		s.Fatalf("no operator %s", args[1])
	}
	if holds == not {
		s.Fatalf("%s is %s", args[0], got)
	}
}

func scriptHistory(s *testscript.TestScript, not bool, args []string) {
	affirmed(s, not)
	if len(args) != 3 {
		s.Fatalf("usage: history FILE SERVER PAGES")
	}
	pages, err := strconv.Atoi(args[2])
	s.Check(err)
	text, err := historyOf(args[1], pages)
	s.Check(err)
	file := s.MkAbs(args[0])
	s.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	s.Check(os.WriteFile(file, []byte(text), 0o666))
}

// scriptServe serves a directory. A file without an extension is HTML, index.html stands for the
// directory, and NAME.to holds the address to which NAME is moved.
func scriptServe(s *testscript.TestScript, not bool, args []string) {
	affirmed(s, not)
	if len(args) != 2 {
		s.Fatalf("usage: serve NAME DIRECTORY")
	}
	log, err := os.Create(s.MkAbs(args[0] + ".log"))
	s.Check(err)
	root := http.Dir(s.MkAbs(args[1]))
	files := http.FileServer(root)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(log, r.URL.Path)
		if to, err := os.ReadFile(filepath.Join(string(root), r.URL.Path+".to")); err == nil {
			http.Redirect(w, r, strings.TrimSpace(string(to)), http.StatusMovedPermanently)
			return
		}
		if filepath.Ext(r.URL.Path) == "" {
			w.Header().Set("Content-Type", "text/html")
		}
		files.ServeHTTP(w, r)
	}))
	s.Defer(func() {
		server.Close()
		log.Close()
	})
	s.Setenv(args[0], server.URL)
}

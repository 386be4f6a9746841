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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts of testdata/script. Each script tests one feature of the command
// line, and its first line names the promise. Scripts have these commands beside those of
// testscript:
//
//	recrawl ARGUMENT...                       the call ends with exit code 0
//	ends CODE ARGUMENT...                     the call ends with this exit code
//	refused CODE ARGUMENT... => WORD...       the call is refused, and its message has the words
//	[!] says FILE WORD...                     stdout, stderr or a file has each word, or none
//	[!] json PATH OPERATOR VALUE              compares the JSON at a path of stdout (scriptJSON)
//	history FILE SERVER PAGES                 writes the history that historyFile makes
//	whole FILE                                a report has figures and loads nothing
//	damage FILE                               flips a bit
//	serve NAME DIRECTORY                      $NAME serves these files, at $NAME_PORT; NAME.log
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
			if err != nil {
				return err
			}
			root, err := filepath.Abs(moduleRoot)
			e.Vars = append(e.Vars, asProgram+"=1", "GOGC=400", "PROGRAM="+program,
				"CONTACT="+contact, "ROOT="+root)
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

// scriptJSON compares the values at a path of the JSON on stdout, for example a.b.0.c. The operator
// = compares strings and numbers by themselves, and other values as JSON on one line; < and >
// compare numbers. "has" looks for a member of a list, or a part of a string. ~ matches a regular
// expression with the whole value. In a path, "length" is the length of a list, "keys" the sorted
// names of an object, and "*" all members of a list. All values must match, or none with "!".
func scriptJSON(s *testscript.TestScript, not bool, args []string) {
	if len(args) != 3 {
		s.Fatalf("usage: json PATH OPERATOR VALUE")
	}
	var printed any
	s.Check(json.Unmarshal([]byte(s.ReadFile("stdout")), &printed))
	values, err := valuesAt(printed, strings.Split(args[0], "."))
	if err != nil || len(values) == 0 {
		s.Fatalf("%s: %d values, %v", args[0], len(values), err)
	}
	for _, v := range values {
		holds, err := compares(v, args[1], args[2])
		if s.Check(err); holds == not {
			s.Fatalf("%s is %s", args[0], plainly(v))
		}
	}
}

// valuesAt returns the values at a path.
func valuesAt(at any, path []string) (values []any, err error) {
	if len(path) == 0 {
		return []any{at}, nil
	}
	step, path := path[0], path[1:]
	list, isList := at.([]any)
	object, isObject := at.(map[string]any)
	n, notNumber := strconv.Atoi(step)
	switch {
	case step == "":
	case isList && step == "length":
		at = float64(len(list))
	case isObject && step == "keys":
		at = strings.Join(slices.Sorted(maps.Keys(object)), " ")
	case isList && step == "*":
		for _, v := range list {
			more, err := valuesAt(v, path)
			if err != nil {
				return nil, err
			}
			values = append(values, more...)
		}
		return values, nil
	case isList && notNumber == nil && n < len(list):
		at = list[n]
	default:
		var ok bool
		if at, ok = object[step]; !ok {
			return nil, fmt.Errorf("there is no %q", step)
		}
	}
	return valuesAt(at, path)
}

// plainly returns a string or number by itself, and other values as JSON.
func plainly(v any) string {
	if word, ok := v.(string); ok {
		return word
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error() // it was JSON before
	}
	return string(text)
}

func compares(v any, operator, want string) (bool, error) {
	list, isList := v.([]any)
	x, isNumber := v.(float64)
	y, err := strconv.ParseFloat(want, 64)
	switch {
	case operator == "=":
		return plainly(v) == want, nil
	case operator == "has" && isList:
		return slices.ContainsFunc(list, func(v any) bool { return plainly(v) == want }), nil
	case operator == "has":
		return strings.Contains(plainly(v), want), nil
	case operator == "~":
		return regexp.MatchString("^(?:"+want+")$", plainly(v))
	case operator != "<" && operator != ">":
		return false, fmt.Errorf("no operator %s", operator)
	case !isNumber || err != nil:
		return false, fmt.Errorf("%s or %s is no number", plainly(v), want)
	case operator == "<":
		return x < y, nil
	}
	return x > y, nil
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
// directory, and NAME.head holds a status and, on further lines, fields of the header of NAME.
func scriptServe(s *testscript.TestScript, not bool, args []string) {
	affirmed(s, not)
	if len(args) != 2 {
		s.Fatalf("usage: serve NAME DIRECTORY")
	}
	log, err := os.Create(s.MkAbs(args[0] + ".log"))
	s.Check(err)
	root := s.MkAbs(args[1])
	files := http.FileServer(http.Dir(root))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(log, r.URL.Path)
		if filepath.Ext(r.URL.Path) == "" {
			w.Header().Set("Content-Type", "text/html")
		}
		head, err := os.ReadFile(filepath.Join(root, r.URL.Path+".head"))
		status, fields, _ := strings.Cut(string(head), "\n")
		for field := range strings.Lines(fields) {
			name, value, _ := strings.Cut(field, ":")
			w.Header().Set(name, strings.TrimSpace(value))
		}
		if n, _ := strconv.Atoi(status); err == nil && n != http.StatusOK {
			w.WriteHeader(n)
			return
		}
		files.ServeHTTP(w, r)
	}))
	s.Defer(func() {
		server.Close()
		log.Close()
	})
	s.Setenv(args[0], server.URL)
	s.Setenv(args[0]+"_PORT", server.URL[strings.LastIndexByte(server.URL, ':')+1:])
}

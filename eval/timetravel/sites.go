package timetravel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// LoadSites reads whole sites over time: a file <host>.jsonl.gz (or .jsonl), or all files of a
// directory. Each line is a version of a file of the site, in order of time:
//
//	path         from the site's root, begins with a slash, not escaped
//	t            unix seconds
//	type         content type
//	body         the content, or body_base64 if it is not UTF-8
//	gone         true: removed at t
//
// A bad line is a *history.Error. There is no TLS here, so https:// before the site's own name
// becomes http:// in bodies. Otherwise half of the sites would have no links.
func LoadSites(path string) (*Static, error) {
	files, err := siteFiles(path)
	if err != nil {
		return nil, err
	}
	w := NewStatic()
	for _, f := range files {
		w.site(siteName(f))
	}
	errs := make([]error, len(files))
	machine.EachOnCores(len(files), func(i int) { errs[i] = w.load(files[i]) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

func siteName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".jsonl")
}

func siteFiles(path string) ([]string, error) {
	entry, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("load sites: %w", err)
	}
	if !entry.IsDir() {
		return []string{path}, nil
	}
	var files []string
	for _, pattern := range []string{"*.jsonl.gz", "*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(path, pattern))
		if err != nil {
			return nil, fmt.Errorf("load sites: %w", err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, words.Hint(
			fmt.Errorf("load sites: no files *.jsonl.gz or *.jsonl in %s", path),
			"name a recorded site (whole contents over time, <host>.jsonl.gz or .jsonl) or a "+
				"directory of them, or leave --sites out for the built-in web", words.ExitFailed)
	}
	slices.Sort(files)
	return files, nil
}

type siteLine struct {
	Path   string  `json:"path"`
	T      *int64  `json:"t"`
	Type   string  `json:"type"`
	Body   *string `json:"body"`
	Base64 []byte  `json:"body_base64"`
	Gone   bool    `json:"gone"`
}

// load reads one file. It changes only its own site, so files load concurrently.
func (w *Static) load(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("load sites: %w", err)
	}
	defer f.Close()
	server := siteName(path)
	last := int64(0)
	return history.EachLine(f, path, history.MaxLineBytes, func(line []byte) error {
		var l siteLine
		if err := json.Unmarshal(line, &l); err != nil {
			return &history.Error{Reason: "line is no version of a file: " + err.Error(), Err: err,
				Advice: `want {"path","t","type","body"} or {"path","t","gone":true}`}
		}
		if reason, hint := l.wrong(last); reason != "" {
			return &history.Error{Reason: reason, Advice: hint}
		}
		last = *l.T
		at := time.Unix(last, 0)
		if l.Gone {
			w.Remove(server, l.Path, at)
			return nil
		}
		body := l.Base64
		if l.Body != nil {
			body = []byte(*l.Body)
		}
		w.Put(server, l.Path, at, l.Type, withoutTLS(body, server))
		return nil
	})
}

func (l *siteLine) wrong(last int64) (reason, hint string) {
	switch {
	case !strings.HasPrefix(l.Path, "/"):
		return fmt.Sprintf("path is %q", l.Path), "it must begin with a slash"
	case strings.HasSuffix(l.Path, "/"):
		return fmt.Sprintf("path is %q", l.Path), "want a file, such as " + l.Path + index
	case l.T == nil || *l.T < 0 || *l.T > math.MaxUint32:
		return "t is missing or no time", "want unix seconds"
	case *l.T < last:
		return fmt.Sprintf("t goes backwards: %d comes after %d", *l.T, last), "sort the lines by t"
	case l.Gone:
		return "", ""
	case l.Type == "":
		return "type is missing", "want a content type"
	case l.Body == nil && l.Base64 == nil:
		return "body is missing", "want body, body_base64 or gone"
	case l.Body != nil && l.Base64 != nil:
		return "there are both body and body_base64", "leave one out"
	}
	return "", ""
}

// withoutTLS replaces https://host by http://host if the name ends there.
func withoutTLS(body []byte, host string) []byte {
	secure := []byte("https://" + host)
	if !bytes.Contains(body, secure) {
		return body
	}
	out := make([]byte, 0, len(body))
	for {
		before, after, ok := bytes.Cut(body, secure)
		out = append(out, before...)
		if !ok {
			return out
		}
		if len(after) > 0 &&
			(after[0] == '.' || after[0] == ':' || after[0] == '-' || digitOrLetter(after[0])) {
			out = append(out, secure...) // a longer name, or a port
		} else {
			out = append(append(out, "http://"...), host...)
		}
		body = after
	}
}

func digitOrLetter(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
)

func span(d time.Duration) *time.Duration { return &d }

func TestMostSpecific(t *testing.T) {
	var rules []HostRule
	for i, match := range []string{
		"*", "*.example.org", "*.news.example.org", "www.example.org", "WWW.example.org:8080",
		"127.3.0.1", "[::1]:9", "bücher.example", "a.example:443",
	} {
		rules = append(rules, HostRule{Match: match, Delay: span(time.Duration(i) * time.Second)})
	}
	table, problems := NewHostTable(rules)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for server, want := range map[string]int{
		"other.example": 0, "example.org": 0, "a.example.org": 1, "b.a.example.org": 1,
		"news.example.org":   1,
		"x.news.example.org": 2, "notnews.example.org": 1, "badexample.org": 0,
		"www.example.org": 3, "www.example.org:81": 3, "www.example.org:8080": 4, "127.3.0.1:5": 5,
		"127.3.0.2": 0,
		"[::1]:9":   6, "[::1]": 0, "xn--bcher-kva.example": 7, "a.example": 8,
	} {
		if got := table.Of(server).Delay(time.Hour); got != time.Duration(want)*time.Second {
			t.Errorf("%s: the rule of %v", server, table.Of(server))
		}
	}
	var none *HostTable
	if none.Of("a").Delay(time.Hour) != time.Hour || none.Of("a").Proxy() != nil ||
		none.Of("a").AddTo(nil, "https") != nil {
		t.Error("no table says something")
	}
}

func TestRefusedRules(t *testing.T) {
	for _, r := range []HostRule{
		{}, {Match: "*."}, {Match: "a/b"}, {Match: "user@a.example"}, {Match: "*.a:80"},
		{Match: "a*b"}, {Match: "**"}, {Match: "a b"}, {Match: "*.127.0.0.1:8"},
		{Match: "a", Delay: span(-1)}, {Match: "a", Delay: span(25 * time.Hour)},
		{Match: "a", Headers: map[string]string{"authorization": "Basic x"}},
		{Match: "a", Headers: map[string]string{"COOKIE": "x"}},
		{Match: "a", Headers: map[string]string{"host": "b"}},
		{Match: "a", Headers: map[string]string{"if-none-match": "b"}},
		{Match: "a", Headers: map[string]string{"user-agent": "b"}},
		{Match: "a", Headers: map[string]string{"proxy-connection": "b"}},
		{Match: "a", Headers: map[string]string{"x y": "b"}},
		{Match: "a", Headers: map[string]string{"": "b"}},
		{Match: "a", Headers: map[string]string{"x": "a\r\nHost: b"}},
		{Match: "a", Headers: map[string]string{"x": strings.Repeat("x", maxField+1)}},
		{Match: "a", Proxy: "127.0.0.1:80"}, {Match: "a", Proxy: "ftp://h:1"},
		{Match: "a", Proxy: "http://h"}, {Match: "a", Proxy: "http://u:geheim@h:1"},
		{Match: "a", Proxy: "http://h:1/x"},
	} {
		_, problems := NewHostTable([]HostRule{r})
		if len(problems) != 1 || problems[0].Want == "" ||
			strings.Contains(fmt.Sprint(problems), "geheim") {
			t.Errorf("%+v: %v", r, problems)
		}
	}
	if _, problems := NewHostTable([]HostRule{{Match: "a.example"},
		{Match: "A.example"}}); len(problems) != 1 {
		t.Errorf("twice: %v", problems)
	}
	if _, problems := NewHostTable(make([]HostRule, MaxHostRules+1)); len(problems) != 1 {
		t.Errorf("%d problems of too many rules", len(problems))
	}
}

func TestCredentials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	proxied := HostRule{Proxy: "http://p:1", PlainHTTP: true}
	for _, tt := range []struct {
		name, text string
		mode       os.FileMode
		rule       HostRule
		want       string // part of the error; "": none
		header     http.Header
		proxy      string
	}{
		{"basic", "# of the archive\nuser: me\npassword: a: b \n", 0o600, HostRule{}, "",
			http.Header{"Authorization": {"Basic bWU6YTogYg=="}}, ""},
		{"read only", "token: abc", 0o400, HostRule{}, "",
			http.Header{"Authorization": {"Bearer abc"}},
			""},
		{"cookie beside a token", "TOKEN: abc\r\ncookie: id=7; x=8\r\n", 0o600, HostRule{}, "",
			http.Header{"Authorization": {"Bearer abc"}, "Cookie": {"id=7; x=8"}}, ""},
		{"of a proxy", "proxy-user: p\nproxy-password: geheim", 0o600, proxied, "", http.Header{},
			"http://p:geheim@p:1"},
		{"of a proxy over plain HTTP", "proxy-user: p\nproxy-password: geheim", 0o600,
			HostRule{Proxy: "http://p:1"}, "plain-http", nil, ""},
		{"of no proxy", "proxy-user: p\nproxy-password: geheim", 0o600, HostRule{}, "no proxy", nil,
			""},
		{"for every server", "token: geheim", 0o600, HostRule{Match: "*"}, "every server", nil, ""},
		{"group reads", "token: geheim", 0o640, HostRule{}, "mode 0640", nil, ""},
		{"others read", "token: geheim", 0o604, HostRule{}, "mode 0604", nil, ""},
		{"others write", "token: geheim", 0o602, HostRule{}, "mode 0602", nil, ""},
		{"empty", "\n# nothing\n", 0o600, HostRule{}, "it has none", nil, ""},
		{"unknown line", "user: me\npasswd: geheim", 0o600, HostRule{}, "line 2", nil, ""},
		{"no colon", "me geheim", 0o600, HostRule{}, "line 1", nil, ""},
		{"twice", "token: geheim\ntoken: geheim", 0o600, HostRule{}, "line 2", nil, ""},
		{"without password", "user: me", 0o600, HostRule{}, "belong together", nil, ""},
		{"two kinds", "user: me\npassword: geheim\ntoken: x", 0o600, HostRule{}, "not both", nil,
			""},
		{"colon in the user", "user: m:e\npassword: geheim", 0o600, HostRule{}, "colon", nil, ""},
		{"control character", "token: geheim\x01x", 0o600, HostRule{}, "line 1", nil, ""},
		{"too large", "token: x\n" + strings.Repeat("#", maxFile), 0o600, HostRule{}, "larger", nil,
			""},
	} {
		os.Remove(file) // there is none at first
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, tt.mode); err != nil {
			t.Fatal(err)
		}
		tt.rule.Match, tt.rule.Credentials = cmp.Or(tt.rule.Match, "a.example"), file
		table, problems := NewHostTable([]HostRule{tt.rule})
		err := table.ReadCredentials()
		if len(problems) > 0 || (err == nil) != (tt.want == "") || err != nil &&
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v", tt.name, problems, err)
		}
		if err != nil {
			var unsafe *access.UnsafeError
			if strings.Contains(err.Error(), "geheim") ||
				errors.As(err, &unsafe) != strings.HasPrefix(tt.want, "mode") {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		header := http.Header{}
		s := table.Of("a.example")
		secret := s.AddTo(header, "https")
		if fmt.Sprint(header) != fmt.Sprint(tt.header) || len(secret) != len(tt.header) ||
			strings.Contains(fmt.Sprintf("%v", s), "geheim") {
			t.Errorf("%s: %v, secret %v", tt.name, header, secret)
		}
		if tt.proxy != "" && s.Proxy().String() != tt.proxy {
			t.Errorf("%s: proxy %v", tt.name, s.Proxy())
		}
		if over := s.AddTo(http.Header{}, "http"); !tt.rule.PlainHTTP && over != nil {
			t.Errorf("%s: over plain HTTP: %v", tt.name, over)
		}
	}
	for _, name := range []string{filepath.Join(t.TempDir(), "none"), t.TempDir(), "/dev/null"} {
		table, _ := NewHostTable([]HostRule{{Match: "a.example", Credentials: name}})
		if err := table.ReadCredentials(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, seed := range []string{"*", "*.a.example", "a.example:80", "[::1]:9", "a b"} {
		f.Add(seed, "X-Y", "http://h:1")
	}
	f.Fuzz(func(t *testing.T, match, field, proxy string) {
		table, problems := NewHostTable([]HostRule{{Match: match,
			Headers: map[string]string{field: "v"},
			Proxy:   proxy}})
		if len(problems) == 0 && match != "*" && len(table.settings()) != 1 {
			t.Errorf("%q: %d settings", match, len(table.settings()))
		}
	})
}

// FuzzCredentials checks that errors about arbitrary files show only the file name and a line
// number, and that an accepted header contains no line end.
func FuzzCredentials(f *testing.F) {
	f.Add("user: me\npassword: secret: x\ncookie: a=b\n")
	f.Add("# x\r\ntoken: secret\x00\n\xff")
	f.Add("proxy-user: a\nproxy-password: secret\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "credentials")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		table, problems := NewHostTable([]HostRule{{Match: "a.example", Credentials: file,
			Proxy:     "http://p:1",
			PlainHTTP: true}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if err := table.ReadCredentials(); err != nil {
			for value := range strings.FieldsSeq(text) {
				if len(value) > 20 && strings.Contains(err.Error(), value) {
					t.Errorf("%q tells what the file has", err)
				}
			}
			return
		}
		header := http.Header{}
		table.Of("a.example").AddTo(header, "https")
		for name, values := range header {
			if name != "Authorization" && name != "Cookie" || len(values) != 1 ||
				strings.ContainsAny(values[0], "\r\n\x00") {
				t.Errorf("%s: %q", name, values)
			}
		}
	})
}

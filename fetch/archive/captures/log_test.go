package captures

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// logLineOf returns a line of a log in the combined format.
func logLineOf(before, request string, status int) string {
	return fmt.Sprintf(`%s [26/Apr/2026:03:12:05 +0200] "%s" %d 5 "-" "-"`, before, request, status)
}

// TestLogLines checks that each line gives the requested URL, octet for octet, or none.
func TestLogLines(t *testing.T) {
	const client = "192.0.2.1 - -"
	for _, test := range []struct {
		line, want, left string
	}{
		{logLineOf(client, `GET /a?x=1 HTTP/1.1`, 200), "/a?x=1", ""},
		{logLineOf(client, `GET /caf\xc3\xa9 HTTP/1.1`, 200), "/caf%C3%A9", ""},
		{logLineOf(client, `GET /caf\xE9 HTTP/1.1`, 200), "/caf%E9", ""},
		{logLineOf(client, "GET /café HTTP/1.1", 200), "/caf%C3%A9", ""},
		{logLineOf(client, `GET /caf\u00e9 HTTP/1.1`, 200), "/caf%C3%A9", ""},
		{logLineOf(client, `GET /q?s=\"x\" HTTP/1.1`, 200), "/q?s=%22x%22", ""},
		{logLineOf(client, `GET /q?s=\x22x\x22 HTTP/1.1`, 304), "/q?s=%22x%22", ""},
		{logLineOf(client, `GET /a\\b HTTP/1.1`, 200), "/a%5Cb", ""},
		{logLineOf(client, `GET /a\x5Cxc3 HTTP/1.1`, 200), "/a%5Cxc3", ""},
		{logLineOf(client, `GET /a\tb HTTP/1.1`, 200), "/a%09b", ""},
		{logLineOf(client, `GET /a b c HTTP/1.1`, 200), "/a%20b%20c", ""},
		{logLineOf(client, `GET /a b c`, 200), "/a%20b%20c", ""},
		{logLineOf(client, `GET /a\x20b HTTP/2.0`, 200), "/a%20b", ""},
		{logLineOf(client, `GET /a#b HTTP/1.1`, 200), "/a%23b", ""},
		{logLineOf(client, `GET //a//b HTTP/1.1`, 200), "//a//b", ""},
		{logLineOf(client, `GET /web/https://x.example/ HTTP/1.1`, 200), "/web/https://x.example/",
			""},
		{logLineOf(client, `HEAD /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("2001:db8::1 - -", `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("192.0.2.1 - John Smith", `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf(`192.0.2.1 - a [b`, `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("h.example:443 192.0.2.1 - -", `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("H.example. 2001:db8::1 - -", `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("192.0.2.1 h.example -", `GET /a HTTP/1.1`, 200), "/a", ""},
		{logLineOf("other.example:443 192.0.2.1 - -", `GET /a HTTP/1.1`, 200), "", otherHost},
		{logLineOf("www.h.example 192.0.2.1 - -", `GET /a HTTP/1.1`, 200), "", otherHost},
		{logLineOf("[2001:db8::2]:80 192.0.2.1 - -", `GET /a HTTP/1.1`, 200), "", otherHost},
		{logLineOf("192.0.2.1 other.example -", `GET /a HTTP/1.1`, 200), "", otherHost},
		{logLineOf("192.0.2.1 other.example - me", `GET /a HTTP/1.1`, 200), "", otherHost},
		{logLineOf(client, `GET http://h.example/a HTTP/1.1`, 200), "/a", ""},
		{logLineOf(client, `GET http://x.example/a HTTP/1.1`, 200), "", otherServer},
		{logLineOf(client, `POST /a HTTP/1.1`, 200), "", otherMethod},
		{logLineOf(client, `CONNECT x.example:443 HTTP/1.1`, 200), "", otherMethod},
		{logLineOf(client, `GET /a HTTP/1.1`, 404), "", otherStatus},
		{logLineOf(client, `GET a HTTP/1.1`, 200), "", noRequest},
		{logLineOf(client, `GET HTTP/1.1`, 200), "", noRequest},
		{logLineOf(client, `\x16\x03\x01`, 400), "", noRequest},
		{logLineOf(client, `-`, 408), "", noRequest},
		{`192.0.2.1 - - [2026-04-26T03:12:05+02:00] "GET /a HTTP/1.1" 200 5`, "/a", ""},
		{`192.0.2.1 - - [26/Apr/2026:03:12:05] "GET /a HTTP/1.1" 200 5`, "", ""},
		{`192.0.2.1 - - [26/Apr/2026:03:12:05 +0200] "GET /a`, "", ""},
	} {
		var all []Capture
		f, _ := Read(t.Context(), &Input{Name: "access.log", Format: Log,
			Reader: strings.NewReader(test.line + "\r\n")}, Options{Server: "http://h.example"},
			func(c *Capture) error {
				all = append(all, *c)
				return nil
			})
		switch {
		case len(all) == 1 && all[0].URL == "http://h.example"+test.want && test.want != "":
		case len(all) == 0 && test.want == "" && test.left == "" && f.BadCount == 1:
		case len(all) == 0 && len(f.Left) == 1 && f.Left[0].Kind == test.left && f.NoNews == 1:
		default:
			t.Errorf("%s: %v, %+v", test.line, all, f)
		}
	}
}

// FuzzLogTarget checks that escaping and unescaping returns the requested octets.
func FuzzLogTarget(f *testing.F) {
	f.Add("/caf\xc3\xa9?a=\"b\\")
	f.Add("/a b\tc\x00 ")
	f.Fuzz(func(t *testing.T, target string) {
		var escaped strings.Builder
		for _, c := range []byte(target) {
			if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
				fmt.Fprintf(&escaped, `\x%02X`, c)
			} else {
				escaped.WriteByte(c)
			}
		}
		line := logLineOf("h - -", "GET /"+escaped.String()+" HTTP/1.1", 200)
		q, err := parseLog(line)
		if want := coded("/" + target); err != nil || q.method != "GET" || q.target != want {
			t.Errorf("%q: %q, want %q: %v", line, q.target, want, err)
		}
	})
}

// TestListLeavesOut checks that a list says of each line why it names no page.
func TestListLeavesOut(t *testing.T) {
	f, all, err := readAll(t, fileOf(t, "urls.txt",
		"\ufeffurl,title\rhttp://h.example/a,\"A, b\"\r"+
			"# note\rh.example/b,B\rhttp://h.example/c d,C\r\r"), Options{})
	if err != nil || len(all) != 1 || all[0].URL != "http://h.example/a" || f.BadCount != 2 {
		t.Errorf("%v, %+v, %v", all, f, err)
	}
	var kinds []string
	for _, l := range f.Left {
		kinds = append(kinds, fmt.Sprint(l.First[0].At, " ", l.Kind))
	}
	if want := []string{"1 names of columns", "3 comment", "4 no http:// or https:// before it",
		"5 a blank inside"}; !slices.Equal(kinds, want) {
		t.Errorf("%q", kinds)
	}
}

// TestLogRows checks logs with named columns and lines with a prefix.
func TestLogRows(t *testing.T) {
	const common = `192.0.2.1 - - [26/Apr/2026:03:12:05 +0200] "GET /a?x=1 HTTP/1.1" 200 5` + "\n"
	for name, text := range map[string]string{
		"IIS": "#Software: IIS\r\n#Fields: date time cs-method cs-uri-stem cs-uri-query s-port " +
			"sc-status\r\n2026-04-26 00:00:01 GET /a x=1 80 200\r\n" +
			"2026-04-26 00:00:01 POST /b - 80 200\r\n",
		"CloudFront": "#Version: 1.0\n#Fields: date time cs-method cs(Host) cs-uri-stem sc-status " +
			"cs-uri-query x-host-header\n2026-04-26\t00:00:01\tGET\td1.cloudfront.example\t" +
			"/a\t200\tx=1\th.example\n",
		"Caddy": `{"ts":1777170000.1,"request":{"method":"GET","host":"h.example","uri":"/a?x=1"},` +
			`"status":200}` + "\n" + `{"ts":1777170000.1,"request":{"method":"GET","host":"o.example",` +
			`"uri":"/z"},"status":200}` + "\n",
		"nginx line": `{"time_iso8601":"2026-04-26T03:12:05+02:00","request":"GET /a?x=1 HTTP/1.1",` +
			`"status":"200"}` + "\n",
		"nginx": `{"time":"2026-04-26T03:12:05+02:00","uri":"/a","args":"x=1",` +
			`"request_method":"GET","status":304}` + "\n{broken\n",
		"Traefik": `{"DownstreamStatus":200,"RequestHost":"h.example","RequestMethod":"GET",` +
			`"RequestPath":"/a?x=1","StartUTC":"2026-04-26T03:12:05.1Z","time":"2026-04-26T03:12:05Z"}` +
			"\n",
		"syslog": "Apr 26 03:12:05 web nginx: " + common,
		"Docker": "web_1  | " + common,
	} {
		f, all, err := readAll(t, fileOf(t, "f.log", text), Options{Server: "http://h.example"})
		if err != nil || f.Format != Log || len(all) != 1 ||
			all[0].URL != "http://h.example/a?x=1" {
			t.Errorf("%s: %v, %+v, %v", name, all, f, err)
		}
		for _, b := range f.Bad {
			if len(f.Left) == 0 || f.Left[len(f.Left)-1].Kind != b.What {
				t.Errorf("%s: %+v is of no kind of %+v", name, b, f.Left)
			}
		}
	}
}

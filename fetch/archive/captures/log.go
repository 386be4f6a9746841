package captures

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/recrawl/recrawl/sitegraph"
)

// request is a line of a log.
type request struct {
	host           string // server that was asked, without its port; "": not named
	method, target string
	status         int
	at             time.Time
}

// Reasons why lines of a log name no page.
const (
	otherHost   = "of another host"
	otherServer = "asked of a proxy, for another server"
	otherMethod = "a method other than GET and HEAD"
	otherStatus = "a status other than 200 and 304"
	otherTime   = "of another time"
	noRequest   = "no request of HTTP for a path"
	noAddress   = "no address of a page"
)

// log reads the log of a web server: its URLs, and how often they are requested. Sizes and "304 Not
// Modified" are no safe evidence of changes, because they depend on the client and its copy.
func (r *reader) log(ctx context.Context, in *Input) error {
	if r.base == "" {
		base, err := serverBase(r.o.Server)
		if err != nil {
			return err
		}
		r.base = base
	}
	server := sitegraph.ServerName(r.base)
	host := hostOf(strings.TrimSuffix(r.base[strings.Index(r.base, "://")+3:], "/"))
	var columns []string // of the W3C extended format
	return r.lines(ctx, in, func(n int64, line []byte) error {
		if line[0] == '#' {
			if fields, ok := strings.CutPrefix(string(line), "#Fields:"); ok {
				columns = strings.Fields(strings.ToLower(fields))
			}
			return nil
		}
		q, err := requestOf(string(line), columns)
		if err != nil {
			r.file.bad(n, err.Error(), line)
			r.file.leave(n, err.Error(), line)
			return nil
		}
		url, why := "", ""
		switch {
		case q.host != "" && !strings.EqualFold(q.host, host):
			why = otherHost
		case q.target == "":
			why = noRequest
		case q.method != "GET" && q.method != "HEAD":
			why = otherMethod
		case q.status != 200 && q.status != 304:
			why = otherStatus
		case q.at.Before(r.o.From) || !r.o.To.IsZero() && !q.at.Before(r.o.To):
			r.file.Elsewhen++
			r.file.leave(n, otherTime, line)
			return nil
		case q.target[0] == '/': // also a path that begins with two
			url, err = sitegraph.Canonical(strings.TrimSuffix(r.base, "/") + q.target)
		case strings.Contains(q.target, "://"):
			if url, err = sitegraph.Canonical(q.target); err != nil ||
				sitegraph.ServerName(url) != server {
				why, err = otherServer, nil
			}
		default:
			why = noRequest
		}
		switch {
		case err != nil:
			r.file.bad(n, noAddress, line)
			r.file.leave(n, noAddress, line)
			return nil
		case why != "":
			r.file.NoNews++
			r.file.leave(n, why, line)
			return nil
		}
		return r.listed(url, 1)
	})
}

// serverBase returns the top page of a server.
func serverBase(server string) (string, error) {
	if server == "" {
		return "", fmt.Errorf("%w: say which server it is of", ErrServer)
	}
	if !strings.Contains(server, "://") {
		server = "https://" + server
	}
	base, err := sitegraph.Canonical(server)
	if err != nil || base != sitegraph.Root(base) {
		return "", fmt.Errorf("%w: %q is no server; want one like https://example.org",
			ErrServer, server)
	}
	return base, nil
}

// Reasons why lines of logs cannot be read.
var (
	errLog       = errors.New(`want host, user, user, [time], "request", status and size`)
	errLogTime   = errors.New("no time like 31/Jan/2026:12:00:00 +0000")
	errLogStatus = errors.New("no status of three digits")
)

// requestOf reads a line of any format of logs.
func requestOf(line string, columns []string) (request, error) {
	var of logRow
	var err error
	switch {
	case line[0] == '{':
		of, err = jsonRow(line)
	case columns != nil:
		of, err = w3cRow(line, columns)
	default:
		return parseLog(line)
	}
	if err != nil {
		return request{}, err
	}
	return of.request()
}

// logPrefix matches the prefix that syslog and Docker write before a line.
var logPrefix = regexp.MustCompile(`^(?:(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|` +
	`\d{4}-\d\d-\d\dT\S+) \S+ [^\s:]+: |\S+ +\| )`)

// parseLog reads a line of the common or combined format. The name of the requested server may come
// first (vhost_combined), or instead of the first user (lighttpd).
func parseLog(line string) (q request, err error) {
	head, rest, ok := strings.Cut(line, `] "`)
	open := strings.LastIndex(head, " [") // a user may also contain a bracket
	if !ok || open < 0 {
		return q, errLog
	}
	before, stamp := head[:open], head[open+2:]
	if strings.Contains(before, ": ") || strings.Contains(before, "| ") {
		before = logPrefix.ReplaceAllString(before, "")
	}
	if q.at, err = logTime(stamp); err != nil {
		return q, err
	}
	q.host = hostBefore(strings.Fields(before))
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		return q, errLog
	}
	after := strings.Fields(rest[end+1:])
	if len(after) == 0 {
		return q, errLog
	}
	if q.status, err = strconv.Atoi(after[0]); err != nil || q.status < 100 || q.status > 999 {
		return q, errLogStatus
	}
	q.method, q.target = requestLine(rest[:end])
	return q, nil
}

func logTime(text string) (time.Time, error) {
	at, err := time.Parse("02/Jan/2006:15:04:05 -0700", text)
	if err != nil {
		if at, err = time.Parse(time.RFC3339, text); err != nil {
			return at, errLogTime
		}
	}
	return at, nil
}

// hostBefore returns the requested host from the words before the time, or "". The words are
// client, "-" and user; the host is the first of four, or replaces "-".
func hostBefore(words []string) string {
	switch {
	case len(words) < 3 || words[1] == "-":
		return ""
	case len(words) == 3:
		if host := hostOf(words[1]); isHost(host) {
			return host
		}
		return ""
	}
	first, second := hostOf(words[0]), hostOf(words[1])
	if isIP(first) && !isIP(second) && isHost(second) {
		return second
	}
	if first == "-" || first == "_" {
		return ""
	}
	return first
}

// hostOf returns a host without its port.
func hostOf(text string) string {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	return strings.TrimSuffix(strings.Trim(text, "[]"), ".")
}

func isHost(name string) bool {
	return strings.Contains(name, ".") || name == "localhost" || isIP(name)
}

func isIP(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// requestLine splits a request. Its target contains blanks if the client sent some.
func requestLine(line string) (method, target string) {
	method, target, _ = strings.Cut(strings.TrimRight(line, " "), " ")
	if at := strings.LastIndexByte(target, ' '); at >= 0 &&
		strings.HasPrefix(target[at+1:], "HTTP/") {
		target = target[:at]
	} else if strings.HasPrefix(target, "HTTP/") {
		return method, ""
	}
	return method, coded(unescape(strings.Trim(target, " ")))
}

// coded escapes the octets of a target that a URL would not keep.
func coded(target string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(target) {
		if c := target[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"#<>\\`", c) >= 0 {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// escapes are those of Apache besides \x, quote and backslash.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v',
	'"': '"', '\\': '\\', '/': '/'}

// unescape undoes escapes in logs of Apache and nginx: \xHH, \", \\ and similar, and \uHHHH of
// nginx's escape=json.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b = append(b, text[i])
			continue
		}
		digits, c := 0, text[i+1]
		switch c {
		case 'x':
			digits = 2
		case 'u':
			digits = 4
		}
		if digits > 0 && i+2+digits <= len(text) {
			if n, err := strconv.ParseUint(text[i+2:i+2+digits], 16, 16); err == nil {
				if i += 1 + digits; c == 'x' {
					b = append(b, byte(n))
				} else {
					b = utf8.AppendRune(b, rune(n))
				}
				continue
			}
		}
		if plain, ok := escapes[c]; ok {
			b = append(b, plain)
			i++
		} else {
			b = append(b, '\\')
		}
	}
	return string(b)
}

package replay

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/sitegraph"
)

// query is a request to the index, with the parameters of the Wayback Machine's CDX server.
type query struct {
	keys  []string // prefixes of lines to read, in this order
	match func(c *archive.Capture) bool

	from, to string // moments of 14 digits; "": no limit
	closest  time.Time
	filters  []filter
	collapse []collapse
	fields   []string // of an answer
	output   string   // text, json or cdxj
	limit    int      // negative: the last lines
	offset   int
	resume   resumption
	resumes  bool // a key to continue is wanted
	paged    bool
	pages    bool // the number of pages is wanted
}

const (
	// mostLines limits an answer; showResumeKey or page continue it.
	mostLines = 150_000
	// mostKept limits the captures in memory: the last ones, or the closest ones.
	mostKept = 10_000
	// pageLines is the number of lines in a page for each unit of pageSize.
	pageLines = 3000
	// mostFilters and longestFilter limit filters, and the octets of each.
	mostFilters, longestFilter = 16, 1 << 10
)

// filter is [!]field:expression.
type filter struct {
	field string
	not   bool
	text  *regexp.Regexp
}

// collapse skips a line if its field, or the first octets of it, equal those of the line before.
type collapse struct {
	field string
	first int // octets; 0: all
}

// resumption is the place where an answer continues: after skip lines of a moment.
type resumption struct {
	line   string // a key and a moment; "": the start
	behind int
}

func (r resumption) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", r.behind, r.line))
}

func parseResumption(text string) (r resumption, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return r, err
	}
	number, line, _ := strings.Cut(string(plain), " ")
	r.line = line
	r.behind, err = strconv.Atoi(number)
	if err == nil && (r.behind < 1 || !strings.Contains(line, " ")) {
		err = errors.New("this server did not give it")
	}
	return r, err
}

// fieldNames are the fields of an answer, with their names on other servers.
var fieldNames = map[string]string{"urlkey": "urlkey", "timestamp": "timestamp",
	"original": "original", "url": "original", "mimetype": "mimetype", "mime": "mimetype",
	"statuscode": "statuscode", "status": "statuscode", "digest": "digest", "length": "length",
	"offset": "offset", "filename": "filename", "redirect": "redirect", "robotflags": "robotflags"}

var usualFields = []string{"urlkey", "timestamp", "original", "mimetype", "statuscode", "digest",
	"length"}

func fieldOf(name string) (string, error) {
	if field := fieldNames[name]; field != "" {
		return field, nil
	}
	return "", fmt.Errorf("there is no field %.30q: choose from %s, offset and filename", name,
		strings.Join(usualFields, ", "))
}

// value returns a field of a capture, or "-".
func value(c *archive.Capture, field string) (text string) {
	switch field {
	case "urlkey":
		text = c.Key
	case "timestamp":
		text = archive.Stamp(c.Time)
	case "original":
		text = safe(c.URL)
	case "mimetype":
		text = strings.ReplaceAll(c.MIME, " ", "")
	case "statuscode":
		text = c.Status
	case "digest":
		text = strings.TrimPrefix(c.Digest, "sha1:")
	case "length":
		text = strconv.FormatInt(c.Length, 10)
	case "offset":
		text = strconv.FormatInt(c.Offset, 10)
	case "filename":
		text = strings.ReplaceAll(c.Filename, " ", "%20")
	}
	if text == "" {
		return "-"
	}
	return text
}

// parseQuery reads the parameters. It ignores unknown ones, and those of other servers that do not
// affect the result.
func parseQuery(p url.Values) (q *query, err error) {
	q = &query{limit: mostLines, output: p.Get("output"), fields: usualFields,
		resumes: isTrue(p.Get("showResumeKey")), pages: isTrue(p.Get("showNumPages"))}
	fail := func(name, want string) error {
		return fmt.Errorf("%s=%.60s: want %s", name, p.Get(name), want)
	}
	if err := q.scope(p.Get("url"), p.Get("matchType")); err != nil {
		return nil, err
	}
	if q.output == "" {
		q.output = "text"
	} else if !slices.Contains([]string{"text", "json", "cdxj"}, q.output) {
		return nil, fail("output", "text, json or cdxj")
	}
	if q.from, err = bound(p.Get("from"), "00000000000000"); err != nil {
		return nil, fail("from", "1 to 14 digits")
	}
	if q.to, err = bound(p.Get("to"), "99999999999999"); err != nil {
		return nil, fail("to", "1 to 14 digits")
	}
	if text := p.Get("closest"); text != "" {
		if q.closest, err = archive.ParseStamp(text); err != nil {
			return nil, fail("closest", "4 to 14 digits")
		}
	}
	for name, to := range map[string]*int{"limit": &q.limit, "offset": &q.offset} {
		if text := p.Get(name); text != "" {
			if *to, err = strconv.Atoi(text); err != nil || name == "offset" && *to < 0 {
				return nil, fail(name, "a whole number")
			}
		}
	}
	if q.limit = min(q.limit, mostLines); q.limit < -mostKept {
		return nil, fail("limit", fmt.Sprintf("the last %d at most", mostKept))
	}
	if text := p.Get("resumeKey"); text != "" {
		if q.resume, err = parseResumption(text); err != nil {
			return nil, fail("resumeKey", "a key that this server gave")
		}
	}
	if text := p.Get("page"); text != "" || q.pages {
		size, page := pageLines, 0
		if n, err := strconv.Atoi(p.Get("pageSize")); err == nil && n > 0 {
			size = min(n, mostLines/pageLines) * pageLines
		}
		if page, err = strconv.Atoi(text); text != "" && (err != nil || page < 0 || page > 1<<20) {
			return nil, fail("page", "a number from 0")
		}
		q.paged, q.offset = true, q.offset+page*size
		if q.limit < 0 || q.limit > size {
			q.limit = size
		}
	}
	return q, errors.Join(q.choose(p["fl"]), q.filter(p["filter"]), q.collapsing(p["collapse"]))
}

func isTrue(text string) bool { return text == "true" || text == "1" }

// bound completes the first digits of a moment to 14.
func bound(text, rest string) (string, error) {
	if len(text) > 14 || strings.Trim(text, "0123456789") != "" {
		return "", archive.ErrStamp
	}
	if text == "" {
		return "", nil
	}
	return text + rest[len(text):], nil
}

// scope sets which captures are wanted: of a URL, a prefix (URL*), a host, or a host and those
// below (*.host).
func (q *query) scope(address, kind string) error {
	if address == "" {
		return errors.New("no address given: url=https://example.org/ says of what")
	}
	if kind == "" {
		kind = "exact"
		if below, ok := strings.CutPrefix(address, "*."); ok {
			kind, address = "domain", below
		} else if begin, ok := strings.CutSuffix(address, "*"); ok {
			kind, address = "prefix", begin
		}
	}
	wanted := bare(addressOf(address))
	host, path, _ := strings.Cut(wanted, "/")
	switch kind {
	case "exact":
		for _, key := range archive.SURTs(addressOf(address)) {
			q.keys = append(q.keys, key+" ")
		}
		q.match = func(c *archive.Capture) bool { return bare(c.URL) == wanted }
	case "prefix":
		// A prefix has no key, because keys sort the query. Its directory has one.
		q.keys = keysBelow(host + "/" + path[:strings.LastIndexByte(path, '/')+1])
		q.match = func(c *archive.Capture) bool { return strings.HasPrefix(bare(c.URL), wanted) }
	case "host":
		q.keys = keysBelow(host + "/")
		q.match = func(c *archive.Capture) bool { return strings.HasPrefix(bare(c.URL), host+"/") }
	case "domain":
		name, _, _ := strings.Cut(host, ":")
		q.keys = []string{strings.TrimSuffix(keysBelow(name + "/")[0], ")")}
		q.match = func(c *archive.Capture) bool {
			of, _, _ := strings.Cut(bare(c.URL), "/")
			of, _, _ = strings.Cut(of, ":")
			return of == name || strings.HasSuffix(of, "."+name)
		}
	default:
		return fmt.Errorf("matchType=%.30s: want exact, prefix, host or domain", kind)
	}
	return nil
}

// keysBelow returns the prefixes of the keys of all URLs in a directory.
func keysBelow(directory string) []string {
	return []string{strings.TrimSuffix(archive.SURT("http://"+directory), "/")}
}

// bare returns a URL without its scheme and "www.": clients consider such URLs the same.
func bare(address string) string {
	if canonical, err := sitegraph.Canonical(address); err == nil {
		address = canonical
	}
	return sitegraph.Bare(address)
}

// choose sets the fields of an answer.
func (q *query) choose(lists []string) error {
	if len(lists) == 0 {
		return nil
	}
	q.fields = nil
	for name := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		field, err := fieldOf(name)
		if err != nil {
			return fmt.Errorf("fl: %w", err)
		}
		if len(q.fields) == len(fieldNames) {
			return fmt.Errorf("fl: more than %d fields", len(fieldNames))
		}
		q.fields = append(q.fields, field)
	}
	return nil
}

// filter reads filters. A filter must match the whole field.
func (q *query) filter(texts []string) error {
	if len(texts) > mostFilters {
		return fmt.Errorf("filter: more than %d", mostFilters)
	}
	for _, text := range texts {
		f := filter{}
		plain, not := strings.CutPrefix(text, "!")
		name, expression, ok := strings.Cut(plain, ":")
		if !ok || len(text) > longestFilter {
			return fmt.Errorf("filter=%.60s: want [!]FIELD:EXPRESSION", text)
		}
		var err error
		if f.field, err = fieldOf(name); err == nil {
			f.not = not
			f.text, err = regexp.Compile("^(?:" + expression + ")$")
		}
		if err != nil {
			return fmt.Errorf("filter=%.60s: %w", text, err)
		}
		q.filters = append(q.filters, f)
	}
	return nil
}

// collapsing reads fields; adjacent lines with equal fields become one.
func (q *query) collapsing(texts []string) error {
	if len(texts) > mostFilters {
		return fmt.Errorf("collapse: more than %d", mostFilters)
	}
	for _, text := range texts {
		name, first, cut := strings.Cut(text, ":")
		c := collapse{}
		var err error
		if c.field, err = fieldOf(name); err == nil && cut {
			if c.first, err = strconv.Atoi(first); err == nil && c.first < 1 {
				err = errors.New("want 1 or more characters")
			}
		}
		if err != nil {
			return fmt.Errorf("collapse=%.60s: %w", text, err)
		}
		q.collapse = append(q.collapse, c)
	}
	return nil
}

// takes reports whether a capture is wanted, apart from collapsing.
func (q *query) takes(c *archive.Capture) bool {
	at := archive.Stamp(c.Time)
	if q.from != "" && at < q.from || q.to != "" && at > q.to || !q.match(c) {
		return false
	}
	for _, f := range q.filters {
		if f.text.MatchString(value(c, f.field)) == f.not {
			return false
		}
	}
	return true
}

// same returns the part of a line that must be equal to collapse.
func (q *query) same(c *archive.Capture) string {
	var b strings.Builder
	for _, one := range q.collapse {
		text := value(c, one.field)
		if one.first > 0 {
			text = text[:min(len(text), one.first)]
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

package captures

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// logRow is a log line with named columns: JSON, or the W3C extended format.
type logRow map[string]string

// first returns the first value that is not empty among columns with these names.
func (r logRow) first(names ...string) string {
	for _, name := range names {
		if v := r[name]; v != "" && v != "-" {
			return v
		}
	}
	return ""
}

// request reads a row by the column names of IIS, CloudFront, Caddy, Traefik, and the manuals of
// nginx and Apache.
func (r logRow) request() (q request, err error) {
	q.host = hostOf(r.first("x-host-header", "cs-host", "cs(host)", "requesthost", "http_host",
		"host", "vhost"))
	q.method = r.first("cs-method", "requestmethod", "request_method", "method", "http_method",
		"verb")
	q.target = r.first("request_uri", "requestpath")
	if line := r.first("request"); line != "" && q.target == "" {
		q.method, q.target = requestLine(line)
	}
	if q.target == "" {
		q.target = r.first("cs-uri-stem", "uri", "url", "path")
		query := strings.TrimPrefix(r.first("cs-uri-query", "args", "query_string", "query"), "?")
		if query != "" && !strings.Contains(q.target, "?") {
			q.target += "?" + query
		}
	}
	q.target = coded(q.target)
	status := r.first("sc-status", "status", "downstreamstatus", "status_code")
	if q.status, err = strconv.Atoi(status); err != nil {
		return q, errLogStatus
	}
	stamp := r.first("time_iso8601", "time_local", "@timestamp", "timestamp", "startutc", "ts",
		"time", "msec")
	if date := r["date"]; len(date) == len(time.DateOnly) {
		stamp = date + "T" + r["time"] + "Z"
	}
	if s, err := strconv.ParseFloat(stamp, 64); err == nil && math.Abs(s) < 1e11 {
		q.at = time.UnixMilli(int64(s * 1e3))
		return q, nil
	}
	q.at, err = logTime(stamp)
	return q, err
}

var (
	errLogJSON    = errors.New("no JSON object")
	errLogColumns = errors.New("other columns than #Fields names")
)

// jsonRow reads a line of JSON. Fields of an object in it count as its own.
func jsonRow(line string) (logRow, error) {
	var cells map[string]json.RawMessage
	if json.Unmarshal([]byte(line), &cells) != nil {
		return nil, errLogJSON
	}
	r := logRow{}
	for name, raw := range cells {
		var inner map[string]cell
		if raw[0] != '{' || json.Unmarshal(raw, &inner) != nil {
			inner = map[string]cell{}
			var value cell
			_ = value.UnmarshalJSON(raw) // never fails
			inner[name] = value
		}
		for name, value := range inner {
			name = strings.ToLower(name)
			r[name] = cmp.Or(r[name], string(value))
		}
	}
	return r, nil
}

// w3cRow reads a line of the W3C extended format.
func w3cRow(line string, columns []string) (logRow, error) {
	words := strings.Fields(line)
	if strings.Contains(line, "\t") {
		words = strings.Split(line, "\t")
	}
	if len(words) != len(columns) {
		return nil, errLogColumns
	}
	r := logRow{}
	for i, name := range columns {
		r[name] = words[i]
	}
	return r, nil
}

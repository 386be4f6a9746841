package budget

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Unit is what a limit counts.
type Unit uint8

const (
	UnitUnknown Unit = iota
	InFetches        // visits begun
	InBytes          // read from servers: bodies as sent, headers and robots.txt
)

// Limit bounds what may be used in an hour or a day of UTC.
type Limit struct {
	Amount float64
	Unit   Unit
	Per    time.Duration // time.Hour or Day
}

// Day is 24 hours: UTC has no others that matter here.
const Day = 24 * time.Hour

// ServerLimit is a limit for each server that fits a pattern: "*" is any, "*.example.org" those
// below example.org, and otherwise the server itself, at any port unless one is named. If several
// patterns fit a server, only the longest counts, with all its limits.
type ServerLimit struct {
	Pattern string
	Limit
}

// Limits are all budgets together; each of them holds.
type Limits struct {
	All     []Limit // of all servers together
	Servers []ServerLimit
}

// ParseLimits parses limits of all servers together and limits for servers. It leaves out
// unreadable ones, and returns the error of the first.
func ParseLimits(all, servers []string) (l Limits, err error) {
	for _, text := range all {
		x, bad := ParseLimit(text)
		if err = cmp.Or(err, bad); bad == nil {
			l.All = append(l.All, x)
		}
	}
	for _, text := range servers {
		x, bad := ParseServerLimit(text)
		if err = cmp.Or(err, bad); bad == nil {
			l.Servers = append(l.Servers, x)
		}
	}
	return l, err
}

// PerDay returns the fetches that the limits allow a day, all servers together; Unlimited if no
// limit counts fetches.
func (l Limits) PerDay() float64 { return l.perDay(InFetches) }

// BytesPerDay returns the same for bytes.
func (l Limits) BytesPerDay() float64 { return l.perDay(InBytes) }

func (l Limits) perDay(of Unit) float64 {
	perDay := math.Inf(1)
	for _, x := range l.All {
		if x.Unit == of {
			perDay = min(perDay, x.Amount*float64(Day/x.Per))
		}
	}
	if math.IsInf(perDay, 1) {
		return Unlimited
	}
	return perDay
}

// Hourly reports whether a limit is for an hour, so that no round may be longer.
func (l Limits) Hourly() bool {
	for _, x := range l.All {
		if x.Per == time.Hour {
			return true
		}
	}
	for _, x := range l.Servers {
		if x.Per == time.Hour {
			return true
		}
	}
	return false
}

// OfServer returns the limits for a server; nil if there are none.
func (l Limits) OfServer(name string) []Limit {
	best := ""
	var limits []Limit
	for _, x := range l.Servers {
		if !meansServer(x.Pattern, name) || len(x.Pattern) < len(best) {
			continue
		}
		if x.Pattern != best {
			best, limits = x.Pattern, nil
		}
		limits = append(limits, x.Limit)
	}
	return limits
}

// meansServer reports whether a pattern fits a server, host or host:port.
func meansServer(pattern, server string) bool {
	if pattern == "*" || pattern == server {
		return true
	}
	host := server
	if colon := strings.LastIndexByte(server, ':'); colon > strings.LastIndexByte(server, ']') {
		host = server[:colon]
	}
	if suffix, ok := strings.CutPrefix(pattern, "*"); ok && strings.HasPrefix(suffix, ".") {
		return strings.HasSuffix(host, suffix)
	}
	return pattern == host
}

// multiples are the units of bytes, longest names first.
var multiples = []struct {
	name   string
	amount float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1},
}

// mostAmount bounds a limit: whole numbers up to it are exact, and sums of them fit into 64 bits.
const mostAmount = 1e15

var errLimit = errors.New("fetches or bytes an hour or a day, such as 1000/day, 50/hour, " +
	"2GB/day, 1.5MiB/hour")

// ParseLimit parses a limit: a number, a unit if it counts bytes, and /hour or /day. A number alone
// counts fetches a day.
func ParseLimit(text string) (Limit, error) {
	amount, per, _ := strings.Cut(strings.TrimSpace(text), "/")
	l := Limit{Unit: InFetches, Per: Day}
	switch strings.TrimSpace(per) {
	case "day", "":
		if strings.HasSuffix(text, "/") {
			return Limit{}, errLimit
		}
	case "hour":
		l.Per = time.Hour
	default:
		return Limit{}, errLimit
	}
	amount = strings.TrimSpace(amount)
	multiple := 1.0
	for _, m := range multiples {
		if number, ok := strings.CutSuffix(amount, m.name); ok {
			amount, multiple, l.Unit = strings.TrimSpace(number), m.amount, InBytes
			break
		}
	}
	// no names of numbers, no hexadecimal
	if amount == "" || strings.Trim(amount, "0123456789.eE+-") != "" {
		return Limit{}, errLimit
	}
	value, err := strconv.ParseFloat(amount, 64)
	if err != nil || !(value >= 0 && value*multiple < mostAmount) {
		return Limit{}, errLimit
	}
	l.Amount = value * multiple
	return l, nil
}

// ParseServerLimit parses "limit" for every server or "pattern=limit".
func ParseServerLimit(text string) (ServerLimit, error) {
	pattern, limit, named := strings.Cut(text, "=")
	if !named {
		pattern, limit = "*", text
	}
	pattern = strings.ToLower(strings.TrimSpace(pattern))
	if pattern == "" || strings.ContainsAny(pattern, "/ ?") ||
		strings.Contains(strings.TrimPrefix(pattern, "*"), "*") {
		return ServerLimit{}, fmt.Errorf("%q names no server: want host, host:port, *.domain or *",
			pattern)
	}
	l, err := ParseLimit(limit)
	return ServerLimit{pattern, l}, err
}

// String returns the limit in the form of ParseLimit.
func (l Limit) String() string {
	per := "/day"
	if l.Per == time.Hour {
		per = "/hour"
	}
	return Amount(l.Amount, l.Unit) + per
}

// Amount returns an amount as text.
func Amount(amount float64, u Unit) string {
	if u != InBytes {
		return strconv.FormatFloat(amount, 'f', -1, 64)
	}
	for _, m := range []struct {
		name   string
		amount float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if amount >= m.amount {
			return strconv.FormatFloat(math.Round(amount/m.amount*1000)/1000, 'f', -1, 64) + m.name
		}
	}
	return strconv.FormatFloat(amount, 'f', -1, 64) + "B"
}

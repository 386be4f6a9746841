package present

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// Visits that failed are counted by cause: what was wrong, without the name and the address of the
// server.

// mostCauses bounds the different causes; all others are counted together.
const mostCauses = 64

// shownCauses is how many causes a sentence names.
const shownCauses = 3

const otherCauses = "other causes"

// causes are parts of error messages, with the names of their causes. The first that fits counts.
var causes = []struct{ part, cause string }{
	{"connection refused", "connection refused"},
	{"no such host", "no such host"},
	{"the name has no address", "no such host"},
	{"took too long", "time-out"},
	{"timeout", "time-out"},
	{"timed out", "time-out"},
	{"deadline exceeded", "time-out"},
	{"connection reset", "connection reset"},
	{"broken pipe", "connection reset"},
	{"connection ended in the middle", "connection broken off"},
	{"EOF", "connection broken off"},
	{"no route to host", "no route to the server"},
	{"network is unreachable", "no route to the server"},
	{"x509", "certificate not trusted"},
	{"certificate", "certificate not trusted"},
	{"tls:", "no TLS connection"},
	{"look up ", "name not resolved"},
}

var (
	status  = regexp.MustCompile(`status [0-9]{3}\b`)
	address = regexp.MustCompile(`[a-z]+://[^ ]+|[0-9a-zA-Z.:\[\]-]+:[0-9]+\b|"[^"]*"`)
)

// CauseOf returns the cause of a failed visit for people.
func CauseOf(o *sitegraph.Observation) string {
	detail, ofRobots := strings.CutPrefix(o.Detail, "robots.txt: ")
	where := ""
	if ofRobots {
		where = " of robots.txt"
	}
	if text := status.FindString(detail); text != "" {
		return text + where
	}
	for _, c := range causes {
		if strings.Contains(detail, c.part) {
			return c.cause
		}
	}
	if o.Status >= 400 && !ofRobots {
		return fmt.Sprintf("status %d", o.Status)
	}
	detail = strings.TrimSpace(address.ReplaceAllString(detail, "..."))
	return cmp.Or(detail, "an unknown cause") + where
}

// CountCause counts a cause once more.
func CountCause[N int | int64](counts map[string]N, cause string) {
	if _, known := counts[cause]; !known && len(counts) >= mostCauses {
		cause = otherCauses
	}
	counts[cause]++
}

// sayCauses names the commonest causes: "9 connection refused, 2 no such host, 1 time-out".
func sayCauses(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
	var said []string
	rest := 0
	for i, name := range names {
		if i < shownCauses {
			said = append(said, fmt.Sprintf("%d %s", counts[name], name))
		} else {
			rest += counts[name]
		}
	}
	if rest > 0 {
		said = append(said, fmt.Sprintf("%d for other reasons", rest))
	}
	return strings.Join(said, ", ")
}

package urlfrontier

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// Names of metadata with the result of a fetch. The first name that is present counts. Names
// without "recrawl" are StormCrawler's, whose configuration lists them under metadata.persist.
var (
	statusNames   = []string{"recrawl.status", "fetch.statusCode"}
	digestNames   = []string{"recrawl.digest", "signature"}
	modifiedNames = []string{"recrawl.modified", "last-modified", "protocol.last-modified"}
	locationNames = []string{"recrawl.location", "_redirTo"}
	linksName     = "recrawl.links"
)

// outcome returns the result of a fetch from metadata, or nil if they have no status and no digest.
func outcome(m map[string]*pb.StringList) *frontier.Outcome {
	status, _ := strconv.Atoi(firstOf(m, statusNames))
	digest := firstOf(m, digestNames)
	if (status < 100 || status > 999) && digest == "" {
		return nil
	}
	o := &frontier.Outcome{Status: max(status, 0), Digest: digest,
		Location: firstOf(m, locationNames), Links: m[linksName].GetValues()}
	o.Modified = modified(firstOf(m, modifiedNames))
	return o
}

// modified parses a date as in Last-Modified, or RFC 3339. It returns the zero time for other text.
func modified(s string) time.Time {
	if t, err := http.ParseTime(s); err == nil {
		return t
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t
	}
	return time.Time{}
}

func firstOf(m map[string]*pb.StringList, names []string) string {
	for _, name := range names {
		if values := m[name].GetValues(); len(values) > 0 && values[0] != "" {
			return strings.TrimSpace(values[0])
		}
	}
	return ""
}

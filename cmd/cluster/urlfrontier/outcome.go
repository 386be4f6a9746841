package urlfrontier

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/cluster/frontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
)

// Names of metadata that tell what a visit saw. The first that is there counts. Those without our
// name are StormCrawler's, where its configuration lists them under metadata.persist.
var (
	statusNames   = []string{"recrawl.status", "fetch.statusCode"}
	digestNames   = []string{"recrawl.digest", "signature"}
	modifiedNames = []string{"recrawl.modified", "last-modified", "protocol.last-modified"}
	locationNames = []string{"recrawl.location", "_redirTo"}
	linksName     = "recrawl.links"
)

// outcome reads what metadata tell of a visit; nil: neither status nor digest.
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

// modified reads a Last-Modified; the zero time: it is none.
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

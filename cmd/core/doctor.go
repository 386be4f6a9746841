package core

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Results of a check, the best first.
const (
	doctorOK   = "ok"
	doctorWarn = "warn"
	doctorFail = "fail"
)

// doctorCheck is the result of one check.
type doctorCheck struct {
	What   string `json:"what"`
	Result string `json:"result"` // ok, warn or fail
	Found  string `json:"found"`
	Do     string `json:"do"` // hint for the user; "" for ok
}

// doctorResult has all checks, in order.
type doctorResult struct {
	Checks []doctorCheck `json:"checks"`
}

// doctorOptions are the settings of the planned crawl. Zero values are checked like others: an
// empty Data, for example, fails.
type doctorOptions struct {
	Data, Archive string        // directories; Archive may be empty
	UserAgent     string        // with a contact
	Nameserver    string        // "" for those of the system
	Workers       int           // concurrent visits
	MaxBody       int64         // bytes of a page
	MinFree       int64         // free bytes below which no visit begins
	Credentials   error         // fault of a file of credentials; nil: none
	Hosts         int           // rules of single servers, some with credentials
	Seeds         string        // file of start pages; "" for none
	Client        doctorClient  // asks the servers; used if any are named
	Servers       []string      // URLs of pages on the servers to ask
	Pause         time.Duration // between two readings of the clocks
}

// doctorClient makes a polite visit; see fetch.Client.
type doctorClient interface {
	Visit(ctx context.Context, rec sitegraph.Record) (sitegraph.Observation, error)
	PauseOf(server string) time.Duration
}

// examineAll makes all checks. Its error is that of the context.
//
// It looks for problems that would stop a crawl later: of the machine, the settings, and the named
// servers.
//
// # Guarantees
//
//  1. Only named servers get requests, politely: by the client of run, which obeys robots.txt and
//     waits.
//  2. No file remains: the one that tests the disk is removed.
//  3. A check that is impossible on this system says so. It is no failure.
//
// It repairs nothing: each finding has a hint for the user.
func examineAll(ctx context.Context, o doctorOptions) (*doctorResult, error) {
	r := &doctorResult{}
	r.Checks = append(r.Checks, contact(o.UserAgent), clock(o.Pause), newest(o.Data))
	r.Checks = append(r.Checks, disk("data directory", "--data", o.Data, o.MinFree))
	if o.Archive != "" {
		r.Checks = append(r.Checks, disk("archive", "--archive", o.Archive, o.MinFree))
	}
	r.Checks = append(r.Checks, checkDescriptors(o.Workers), checkMemory(o.Workers, o.MaxBody),
		credentials(o), checkNameserver(o.Nameserver))
	if o.Seeds != "" {
		r.Checks = append(r.Checks, checkSeeds(o.Seeds))
	}
	for _, address := range o.Servers {
		checks, err := checkServer(ctx, o.Client, address)
		if err != nil {
			return nil, err
		}
		r.Checks = append(r.Checks, checks...)
	}
	return r, nil
}

func good(what, format string, args ...any) doctorCheck {
	return doctorCheck{what, doctorOK, fmt.Sprintf(format, args...), ""}
}

func doubt(what, do, format string, args ...any) doctorCheck {
	return doctorCheck{what, doctorWarn, fmt.Sprintf(format, args...), do}
}

func bad(what, do, format string, args ...any) doctorCheck {
	return doctorCheck{what, doctorFail, fmt.Sprintf(format, args...), do}
}

// Count returns the number of checks with a result.
func (r *doctorResult) Count(result string) (n int) {
	for _, c := range r.Checks {
		if c.Result == result {
			n++
		}
	}
	return n
}

// Finding returns a sentence that says whether a crawl can begin.
func (r *doctorResult) Finding() string {
	fails, warns := r.Count(doctorFail), r.Count(doctorWarn)
	switch {
	case fails > 0:
		return fmt.Sprintf("Not ready: %s failed, %s.",
			words.Plural(fails, "check"), words.Plural(warns, "warning"))
	case warns > 0:
		return fmt.Sprintf("Ready, with %s.", words.Plural(warns, "warning"))
	}
	return fmt.Sprintf("Ready: all %d checks are good.", len(r.Checks))
}

// Tables returns the checks, a row each.
func (r *doctorResult) Tables() []report.Table {
	t := report.Table{Header: []string{"result", "what", "found", "what to do"},
		Marks: map[string]report.Style{doctorOK: report.Green, doctorWarn: report.Yellow,
			doctorFail: report.Red}}
	for _, c := range r.Checks {
		t.Rows = append(t.Rows, []string{c.Result, c.What, c.Found, c.Do})
	}
	if !slices.ContainsFunc(r.Checks, func(c doctorCheck) bool { return c.Do != "" }) {
		t.Header = t.Header[:3]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:3]
		}
	}
	return []report.Table{t}
}

// contact checks that the user agent names an operator.
func contact(agent string) doctorCheck {
	const what = "contact"
	if agent == "" {
		return bad(
			what, `give --user-agent "mybot/1.0 (+https://example.org/bot)": site owners must be able to reach you`, "no user agent is given")
	}
	if err := fetch.CheckAgent(agent); err != nil {
		return bad(what, "name a web or mail address in --user-agent: site owners must be able "+
			"to reach you", "%v", err)
	}
	return good(what, "%s", agent)
}

func credentials(o doctorOptions) doctorCheck {
	const what = "credentials"
	switch {
	case o.Hosts == 0:
		return good(what, "no settings of single servers, so none are used")
	case o.Credentials != nil:
		return bad(what, "let nobody else use the file (chmod 600), and give it the lines that "+
			"docs/reference/operating.md names", "%v", o.Credentials)
	}
	return good(what, "files of %s: nobody else may read them", words.Plural(o.Hosts, "rule"))
}

// checkSeeds reads the list of start pages like run. It visits none of them.
func checkSeeds(name string) doctorCheck {
	const what = "start pages"
	scope, err := readSeeds(name)
	if err != nil {
		hint, _, cause := words.HintOf(err)
		return bad(what, cmp.Or(hint, "name a file that you may read: --seeds FILE, or seeds in "+
			"the settings"), "%s", strings.ReplaceAll(cause.Error(), "\n", "; "))
	}
	return good(what, "%s has %s, not visited here", name,
		words.Plural(len(scope.Seeds), "start page"))
}

// validNameserver accepts every value, because the setting was checked before.
func validNameserver(text string) bool {
	_, err := netip.ParseAddrPort(text)
	return err == nil
}

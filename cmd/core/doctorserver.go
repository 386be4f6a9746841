package core

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostOff is the largest acceptable difference between this clock and that of a server. Many
// servers are off by seconds; If-Modified-Since and due times tolerate a minute.
const mostOff = time.Minute

// checkServer visits a page like run: robots.txt before it, with the pause between them.
func checkServer(ctx context.Context, client doctorClient, address string) ([]doctorCheck, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	ctx, wire := fetch.Listen(ctx)
	defer wire.Release()
	o, err := client.Visit(ctx, sitegraph.Record{URL: address})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	name := u.Host
	if err != nil {
		return []doctorCheck{bad(name, "check network and name server of this machine", "%v",
			err)}, nil
	}
	var checks []doctorCheck
	switch {
	case !o.Denied.IsZero():
		return []doctorCheck{bad(name, refusedHint(o.Denied.By), "the settings refuse the page: %s",
			o.Denied)}, nil
	case o.Outcome == sitegraph.OutcomeFailed && answeredWithError(o):
		checks = append(checks, bad(name, "try another page of this server, or this one later",
			"the server answers the page with an error: %s", o.Detail))
	case o.Outcome == sitegraph.OutcomeFailed:
		return []doctorCheck{bad(name, "check the address, the name server and the network: recrawl "+
			"can visit no page of it", "%s", o.Detail)}, nil
	case o.Outcome == sitegraph.OutcomeExcluded:
		checks = append(checks, doubt(name, "leave this server out, or begin at another page of "+
			"it: the owner does not want it", "the page is excluded: %s", o.Detail))
	default:
		checks = append(checks, good(name, "robots.txt allows the page, which answered with "+
			"status %d in %v; %s pass between two requests",
			o.Status, o.Elapsed.Round(time.Millisecond),
			words.Duration(client.PauseOf(sitegraph.ServerName(address)))))
	}
	if off, ok := clockOffset(wire); !ok {
		return checks, nil
	} else if off.Abs() > mostOff {
		checks = append(checks, doubt("clock of "+name, "set the clock of this machine, unless "+
			"the server's is wrong: ask another one", "it is %s from ours",
			words.Duration(off.Round(time.Second))))
	} else {
		checks = append(checks, good("clock of "+name, "it is within %s of ours",
			words.Duration(mostOff)))
	}
	return checks, nil
}

// refusedHint returns what to do if a setting refuses a page.
func refusedHint(by sitegraph.DeniedBy) string {
	if by == sitegraph.DeniedByGuard {
		return "change the settings of recrawl guard, or begin at another server"
	}
	return "give the flag to recrawl doctor and recrawl run, or begin at another server"
}

// answeredWithError reports whether a failed page, not its robots.txt, has an answer of the server.
func answeredWithError(o sitegraph.Observation) bool {
	return o.Status >= 400 && !strings.HasPrefix(o.Detail, "robots.txt: ")
}

// clockOffset returns the difference between the Date of the last answer and this clock at its end
// (RFC 9110 6.6.1), or false if no answer has a Date.
func clockOffset(wire *fetch.Wire) (time.Duration, bool) {
	if len(wire.Exchanges) == 0 {
		return 0, false
	}
	last := wire.Exchanges[len(wire.Exchanges)-1]
	answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(last.Response)), nil)
	if err != nil {
		return 0, false
	}
	answer.Body.Close()
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return 0, false
	}
	return date.Sub(last.Ended), true
}

package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/filter"
	"github.com/recrawl/recrawl/fetch/quarantine"
	"github.com/recrawl/recrawl/fetch/requisite"
	"github.com/recrawl/recrawl/fetch/watch"
	"github.com/recrawl/recrawl/planner/crawl"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/listed"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// client returns the client for visits of run and show page; read reads bodies. The settings are
// checked.
func (p *Program) client(read func(context.Context, fetch.Reading) (fetch.Content, error),
	filters *filter.Set) (*fetch.MeteredClient, error) {
	c := &p.config
	set, err := extract.ReadRules(c.Rules)
	if err != nil {
		return nil, err
	}
	o := fetch.Options{
		UserAgent: c.UserAgent, AllowPrivate: c.AllowPrivate, Nameserver: c.Resolver,
		Interval: c.Delay, MaxBody: c.MaxBody, Timeout: c.Timeout,
		RobotsAgent: c.RobotsAgent, RobotsAnyHost: c.RobotsAnyHost, RobotsFresh: c.RobotsMaxAge,
		KeepRobots: true,
		Capture:    c.Archive != "", SoftMissing: c.SoftMissing,
		Read: read, Rules: set, Filters: filters, Watch: p.rules.Texts, Named: p.rules.NamesPage,
		Main: c.ChangeBy() == sitegraph.ChangeByMain,
	}
	o.Documents, _ = extract.ParseForms(c.Documents)                                 // they are checked
	if ages, _ := preferences.ParseMaxAges(p.rules.MaxAges(c.MaxAge)); ages != nil { // checked
		o.MaxAge = func(url string) time.Duration {
			return time.Duration(ages.Seconds(url)) * time.Second
		}
	}
	if p.clock != nil {
		o.Clock = p.clock
	}
	if p.silence != nil {
		o.Asking = p.silence.end
	}
	if o.Interval == 0 {
		o.Interval = fetch.NoInterval
	}
	o.AllowNetworks, o.AllowPorts = c.Allowed()
	o.Proxy, _ = fetch.ParseProxy(c.Proxy)
	o.Warn = func(err error) { p.Warn(err.Error()) }
	o.Hosts, _ = fetch.NewHostTable(c.Hosts) // they are checked
	err = o.Hosts.ReadCredentials()
	if errors.As(err, new(*access.UnsafeError)) {
		return nil, err
	} else if err != nil {
		return nil, UsageError(err, "docs/reference/operating.md says what such a file has")
	}
	if o.RootCAs, err = fetch.Trusted(c.CAFile); err != nil {
		return nil, UsageError(err,
			"--ca-file wants a file of certificates in PEM, which begin with -----BEGIN "+
				"CERTIFICATE-----")
	}
	return fetch.NewMeteredClient(o)
}

// Filters opens the filters of the settings, or returns nil.
func (p *Program) Filters() (*filter.Set, error) {
	return filter.Open(filter.Options{File: p.config.Filters, Languages: p.config.Languages,
		Warn: func(err error) { p.Warn(err.Error()) }})
}

// liveFetcher makes visits to the live web for the loop. It limits the bytes of each visit, and
// notes which are in flight.
type liveFetcher struct {
	*fetch.MeteredClient
	underWay *quarantine.Register
	archive  *archive.Archive  // nil: no archive
	keeper   *requisite.Keeper // nil: requisites are not kept
	watch    *watch.Watch      // nil: nothing is watched
	silence  *silence          // until the first request; nil: not kept
	scope    *listed.Scope     // nil: all pages count
}

func (f liveFetcher) Fetch(ctx context.Context, r crawl.Request) (sitegraph.Observation, error) {
	defer f.underWay.Begin(r.Record.URL)()
	f.watch.Fresh(&r.Record)
	v := archive.Visit{Reason: r.Visit.Reason, Probability: r.Visit.Probability,
		First: r.Visit.First}
	seen, err := f.keeper.Visit(ctx, r.Record.URL,
		func(ctx context.Context) (*sitegraph.Observation, error) {
			return f.archive.Take(ctx, v, &r.Record,
				func(ctx context.Context, rec *sitegraph.Record) (*sitegraph.Observation, error) {
					return f.visit(ctx, rec, r.MaxBytes)
				})
		})
	f.scope.Lead(r.Record.URL, seen.RedirectTo, seen.Links)
	return *seen, err
}

// Recall is called before each visit.
func (f liveFetcher) Recall(url string, setting func(string) ([]byte, bool, error)) error {
	if err := f.watch.Recall(url); err != nil {
		return err
	}
	return f.MeteredClient.Recall(url, setting)
}

// Keep is called before each commit: the archive has the visits before the store does, and the
// events of a watch are in the same commit.
func (f liveFetcher) Keep(save func(name string, value []byte) error) error {
	keep := f.archive.Sync
	if f.keeper != nil {
		keep = f.keeper.Keep // it also syncs the archive
	}
	if err := keep(); err != nil {
		return err
	}
	if err := f.watch.Keep(save); err != nil {
		return err
	}
	return f.MeteredClient.Keep(save)
}

// visit makes the visit.
func (f liveFetcher) visit(ctx context.Context, rec *sitegraph.Record, most int64) (
	*sitegraph.Observation, error) {
	o, until, err := f.Try(ctx, rec, most)
	var local *fetch.LocalError
	switch {
	case errors.As(err, &local):
		err = &crawl.LocalError{Err: local.Err, Unsure: local.Unsure}
	case err == nil && !until.IsZero():
		err = &crawl.Wait{Until: until, Scheme: o.Outcome == sitegraph.OutcomeFailed}
	}
	return o, err
}

// NewReader returns a reader of bodies, which reads hostile ones in other processes of this
// program.
func NewReader() *quarantine.Reader { return quarantine.NewReader(quarantine.Again(readsApart)...) }

// readsApart as the only argument makes the program read one body for another of its processes.
const readsApart = "read-apart"

// serve ends a process that worked for another one.
func serve(err error) (exitCode int) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "recrawl: error: %v\n", err)
		return ExitFailed
	}
	return ExitOK
}

// underWay opens the register of visits in flight for readers, and reports its suspects.
func (p *Program) underWay(reader *quarantine.Reader) (*quarantine.Register, error) {
	r, err := quarantine.Open(filepath.Join(p.config.Data, "underway"))
	if err != nil {
		return nil, err
	}
	reader.Register = r
	if n := r.Suspects(); n > 0 {
		p.Note("%s under way when a run died; when visited next, each is read in a process of "+
			"its own",
			words.Plural(n, "page"))
	}
	return r, nil
}

// archive opens the archive of --archive, and reports repairs. It returns nil without one.
func (p *Program) archive() (*archive.Archive, error) {
	c := &p.config
	if c.Archive == "" {
		return nil, nil
	}
	a, err := archive.Open(c.Archive, archive.Options{MaxFile: c.ArchiveFile,
		Stored: !c.ArchiveGzip, Software: "recrawl/" + VersionName(), UserAgent: c.UserAgent})
	if err == nil {
		p.Warn(a.Notes()...)
	}
	return a, err
}

// requisites opens the keeper of requisites, or returns nil without an archive.
func (p *Program) requisites(client *fetch.MeteredClient, a *archive.Archive) (*requisite.Keeper,
	error) {
	c := &p.config
	if a == nil || !c.Requisites {
		return nil, nil
	}
	o := requisite.Options{Client: client.Client, Archive: a, Dir: c.Archive,
		Budget: c.RequisiteLimits(), Able: p.hasSpace}
	if p.clock != nil {
		o.Clock = p.clock
	}
	return requisite.Open(o)
}

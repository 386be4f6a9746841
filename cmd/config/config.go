package config

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/cmd/show/dashboard"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/archive/captures"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/fetch/extract"
	"github.com/recrawl/recrawl/fetch/guard"
	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/planner/preferences"
	"github.com/recrawl/recrawl/satstore/paper"
	"github.com/recrawl/recrawl/sitegraph"
)

// Config has all settings of all commands, each declared by a field and its tag (see Set). A key is
// the name of a flag; keys of some commands have the command's name before them in files and the
// environment. A tag cannot be broken, so lines are as long as their help.
type Config struct {
	Data         string   `for:"run doctor node archive-status plan explain sites checkpoint inspect check tune export import frontier schedule-report schedule-simulate schedule-plan serve corpus-remove" path:"directory" help:"directory of the planner's store"`
	UserAgent    string   `key:"user-agent" for:"run doctor node show-page show-robots show-feed" help:"sent with each request; must contain a contact (web or mail address)"`
	Budget       []string `default:"1000/day" unit:"none" for:"run node plan explain serve" help:"fetches or bytes an hour or a day, never exceeded: 1000/day, 2GB/day; several hold together. Or a share of the known pages a day, at least 100: 2%"`
	ServerBudget []string `key:"server-budget" unit:"none" for:"run node plan explain serve" help:"the same for each server, or for some: 500/day, *.example.org=50/day"`
	MaxAge       []string `key:"max-age" unit:"d" for:"run node plan explain serve" help:"largest age of a copy: 30d, or https://example.com/news/=1d; its visits come before others. run warns at its start where it cannot be kept"`
	Weight       []string `for:"run node plan explain serve" help:"worth of a change of pages whose URL begins so: https://example.com/news/=3; 0 for never"`
	Weights      string   `for:"run node plan explain eval tune serve" path:"any" help:"file of weights of single pages from corpus weigh: a weight and a URL a line; rules of --weight multiply them"`
	Unlimited    bool     `for:"run node plan explain serve" help:"no budget at all; only for your own servers"`

	New       float64       `default:"0.25" range:"[0,1]" want:"a share from 0 to 1" for:"run node plan explain eval demo tune serve" help:"share of the budget that first visits of new pages may take, 0 to 1"`
	Least     float64       `key:"least-value" range:"[0,)" want:"0 or more changes" for:"run node plan explain eval serve" help:"leave the budget unused where no visit is worth this number of expected changes, times weight; 0: use all of it. For policies with probabilities"`
	Round     time.Duration `default:"1h" for:"run node plan explain serve" help:"planning period; divides the day"`
	Rounds    int           `range:"[0,)" for:"run" help:"stop after this number of rounds; 0 for never"`
	Delay     time.Duration `default:"10s" range:"[0,)" for:"run doctor node show-page show-robots show-feed tune schedule-report schedule-plan serve" help:"least time between two requests to a server or address; 0 only for your own servers"`
	Workers   int           `default:"64" range:"[1,10000]" for:"run doctor node" help:"visits at the same time, at most one to a server; those to slow servers are not counted, up to 7 a worker and 4,096 in all"`
	Policy    string        `default:"{policy}" for:"run node plan explain demo tune serve" names:"{policies}" help:"policy that ranks the pages: {choices}; or exec:COMMAND, a program of yours (not in demo and tune)"`
	AnswerIn  time.Duration `key:"policy-timeout" default:"10s" range:"[1ms,1h]" want:"1ms to 1h" for:"run node plan explain eval serve" help:"longest wait for an answer of a policy that is a program (--policy exec:COMMAND)"`
	Gone      float64       `key:"gone-worth" default:"0.3" range:"[0,100]" for:"run node plan explain eval tune serve" help:"sites: worth of finding that a page is gone, in changes; 0: do not look for such pages"`
	Objective string        `default:"changes" for:"run node plan explain eval tune serve" names:"changes, freshness, age" help:"sites: aim of the visits: changes, freshness or age of the copies, or weights: changes=1,freshness=0.5"`
	SearchLag time.Duration `key:"search-lag" range:"[0,8784h]" want:"0 to 8784h" for:"run node plan explain eval tune serve" help:"sites: time from a visit until a search shows its result, e.g. 336h for a corpus built every two weeks; shorter-lived changes are worth less"`
	Alpha     float64       `range:"[0,1)" want:"0 to below 1" for:"run node plan explain eval serve" help:"gamma: the importance of a page of mean weight, 0 to below 1; above 0 pages are drawn at random [NICT eq. 1]"`
	Sample    int           `default:"5" range:"[1,)" want:"1 page a server or more" for:"run node plan explain tune serve" help:"pages that server-sample visits first, of each server"`
	Seed      uint64        `default:"1" for:"run node plan explain eval demo tune schedule-simulate schedule-plan serve corpus-weigh" help:"seed of ties and random choices"`
	Change    string        `default:"digest" oneof:"digest, text, main" for:"run node plan explain eval demo survey tune import serve" help:"difference that counts as a change: digest, text or main"`
	Rules     string        `for:"run node show-page" path:"yaml yml" help:"file of rules in YAML: the parts of pages that count, by the beginning of their URL; they overrule --change"`
	Documents []string      `for:"run doctor node show-page corpus-build" names:"{documents}" help:"documents that are pages beside HTML, e.g. pdf,text: {documents}. A change of one is a change of its text"`
	Languages []string      `for:"run node show-page show-filters corpus-build" help:"languages of the wanted pages, e.g. de,en; others are visited seldom"`
	Filters   string        `for:"run node show-page show-filters corpus-build" path:"yaml yml" help:"file of filters in YAML: unwanted pages, by words, links or a program; they are visited seldom"`
	Labelled  string        `for:"show-filters" path:"jsonl" help:"file of labelled pages, a line of JSON each, to measure the filters by"`

	AllowPrivate  bool          `key:"allow-private" for:"run doctor node show-page show-robots show-feed guard" help:"also visit loopback and private addresses, and any port"`
	AllowNetwork  []string      `key:"allow-network" for:"run doctor node show-page show-robots show-feed guard" help:"also visit these addresses, e.g. 10.20.0.0/16; may be repeated"`
	AllowPort     []int         `key:"allow-port" range:"[1,65535]" for:"run doctor node show-page show-robots show-feed guard" help:"also visit this port, e.g. 8080, beside 80 and 443; may be repeated"`
	CAFile        string        `key:"ca-file" for:"run doctor node show-page show-robots show-feed" path:"any" help:"PEM file of certificates to trust beside those of the system"`
	Resolver      string        `for:"run doctor node show-page show-robots show-feed guard" help:"name server to ask, e.g. 127.0.0.1:53, instead of those of the system"`
	Proxy         string        `for:"run doctor node show-page show-robots show-feed" help:"HTTP proxy of all requests, e.g. http://127.0.0.1:3128 of recrawl guard; HTTP_PROXY and the like are ignored"`
	RobotsAgent   string        `key:"robots-agent" for:"run doctor node show-page show-robots show-feed" help:"name of the robot in robots.txt, if it differs from --user-agent"`
	RobotsAnyHost bool          `key:"robots-any-host" for:"run doctor node show-page show-robots show-feed" help:"follow a redirect of robots.txt to any server, not only on the same domain"`
	RobotsMaxAge  time.Duration `key:"robots-max-age" default:"24h" range:"[1m,24h]" want:"1m to 24h" for:"run node show-page show-robots show-feed" help:"time for which a robots.txt holds, at most 24h"`
	SoftMissing   bool          `key:"soft-404" default:"true" for:"run node" help:"find pages that are gone although the server answers 200; after a suspicion, ask for a URL that cannot exist"`
	Timeout       time.Duration `default:"1m" range:"(0,)" want:"more than 0" for:"run doctor node show-page show-robots show-feed" help:"longest time of one request, from connecting to the last byte"`
	MaxBody       int64         `key:"max-body" default:"2000000" range:"[1,)" want:"1 byte or more" for:"run doctor node show-page show-robots show-feed" help:"bytes read of a page; the rest is cut"`
	MaxPages      int           `key:"max-pages" default:"{max-pages}" range:"[1,)" for:"run node" help:"pages of a server that may become known"`
	MinFree       int64         `key:"min-free" default:"50000000" range:"[0,)" want:"0 or more bytes" for:"run doctor node" help:"free bytes of the disk below which no visit begins; 0 for no bound"`

	Seeds  string           `for:"run doctor" path:"any" help:"file of start pages, a URL a line with its scope: page, directory, server or hops N; no other pages become known"`
	Others string           `for:"run" help:"append links to other servers to this file, each once, for import; none: ignore them"`
	Push   string           `for:"run hint" help:"address at which run takes hints and IndexNow, e.g. 127.0.0.1:8090; none: it takes none"`
	WebSub string           `key:"websub-callback" for:"run" help:"public URL under which hubs of feeds reach --push, e.g. https://example.org/websub; none: no subscriptions"`
	Hosts  []fetch.HostRule `for:"run doctor node show-page show-robots show-feed" help:"settings of single servers; only in a file of settings"`

	Archive     string `for:"run doctor node demo export archive-status replay diff serve corpus-build corpus-remove" path:"directory" help:"directory for the WARC files of run, node and demo, node below it by shard; none: keep nothing"`
	ArchiveFile int64  `key:"archive-file" default:"1000000000" range:"[1000000,)" want:"1000000 bytes or more" for:"run node" help:"bytes from which the archive begins another WARC file"`
	ArchiveGzip bool   `key:"archive-gzip" default:"true" for:"run node" help:"compress answers that came without compression; false: three times the disk, less processor time"`

	Requisites      bool     `default:"true" for:"run node" help:"with --archive also keep the requisites of pages: style sheets, pictures, fonts, scripts; false: pages alone"`
	RequisiteBudget []string `key:"requisite-budget" default:"1GB/day" unit:"none" for:"run node" help:"bytes or fetches an hour or a day for requisites, beside --budget: 1GB/day, 5000/day; several hold together. node: of each shard"`

	Corpus string `for:"corpus-build corpus-show corpus-check corpus-remove corpus-weigh search run serve" path:"directory" help:"directory of a corpus: pages of an archive in the standard format, and their index"`
	Watch  string `for:"run plan explain" path:"yaml yml" help:"file of rules in YAML: changes to report, and their receivers, as for recrawl watch"`

	Listen         string   `for:"run serve demo" help:"address of the dashboard, e.g. 127.0.0.1:8089; outside loopback it asks for a token. run: no dashboard without; serve, demo --open: {dashboard}"`
	Names          []string `key:"listen-name" for:"run serve node frontier" help:"name of this machine in HTTP requests, e.g. crawl.example.org, beside localhost, its own address and the host of --websub-callback; may be repeated"`
	Certificate    string   `key:"listen-certificate" for:"run serve" help:"PEM file with the certificate of the dashboard, for TLS; none: no encryption"`
	CertificateKey string   `key:"listen-certificate-key" for:"run serve" help:"PEM file with its key"`
	PProf          bool     `for:"run serve" help:"also serve profiles of the program, at /debug/pprof/"`
	Parquet        string   `for:"eval tune survey schedule-simulate export" path:"directory" help:"also write the results as Parquet tables into this directory; docs/reference/columns.csv has their columns"`
	CSV            string   `for:"eval tune survey schedule-simulate export" path:"directory" help:"the same as CSV"`
	LogFormat      string   `key:"log-format" default:"text" oneof:"text, json" for:"run serve" help:"log format on standard error: text or json"`

	Plan       Plan           `for:"plan"`
	Replay     Replay         `for:"replay"`
	Show       Show           `for:"show-page show-feed"`
	ShowRobots ShowRobots     `for:"show-robots"`
	Checkpoint Checkpoint     `for:"checkpoint"`
	Check      Check          `for:"check"`
	Build      Build          `for:"corpus-build"`
	Search     query.Settings `for:"search"`
	Weigh      Weigh          `for:"corpus-weigh"`
	Diff       Diff           `for:"diff"`
	Import     Import         `for:"import"`
	Sites      Sites          `for:"sites"`
	Guard      guard.Limits   `for:"guard"`
	Frontier   Frontier       `for:"frontier"`
	Nodes      Nodes          `for:"node node-status node-hint node-abandon"`
	Node       Node           `for:"node"`
	Eval       Eval           `for:"eval"`
	Demo       Demo           `for:"demo"`
	Survey     Survey         `for:"survey"`
	Bench      Bench          `for:"sat"`
	Seen       Seen           `for:"seen"`
	Fetch      BenchFetch     `for:"fetch"`
	Tune       Tune           `for:"tune"`
	Schedule   Schedule       `for:"schedule-report schedule-simulate schedule-plan"`

	KnownPages int // of the store, for a budget as a share; whoever opens the store sets it
}

// Plan has the settings of plan.
type Plan struct {
	Show   int  `default:"20" range:"[1,)" help:"number of visits to show"`
	Report bool `help:"with --json: print an object with the use of the budgets and the pages that do not fit"`
}

// Node has the settings of node.
type Node struct {
	Name    string        `help:"name of this node, unlike that of all others: letters, digits, - and _; none: that of the machine"`
	Shards  int           `default:"16" range:"[1,4096]" help:"parts into which servers are divided, the same on all nodes; it cannot be changed. About five a node or more"`
	Adopt   []string      `help:"servers that become known by links of others: *.example.org, www.example.org, or * for any; none: those of start pages alone"`
	Metrics string        `help:"address of the metrics for Prometheus, open to anybody, e.g. 10.0.0.1:7424; none: nowhere"`
	Lease   time.Duration `default:"20s" range:"[2s,5m]" want:"2s to 5m" help:"time without a sign of a node before others take its shards"`
}

// Replay has the settings of replay.
type Replay struct {
	Listen  string `default:"127.0.0.1:8088" help:"address of loopback to serve at"`
	Scripts bool   `default:"true" help:"let scripts of captures run, in a frame that reaches captures alone; false: nothing runs"`
}

// Show has the settings of show page and show feed.
type Show struct {
	URL string `default:"http://localhost/" help:"URL of the file: links and rules go by it"`
}

// ShowRobots has the settings of show robots.
type ShowRobots struct {
	File  string `path:"txt" help:"file to read, instead of asking the server of the URL"`
	Agent string `help:"name of the crawler in robots.txt; none: that of --robots-agent, or in --user-agent"`
}

// Checkpoint has the settings of checkpoint.
type Checkpoint struct {
	To string `path:"directory" help:"a directory for the copy, new or empty"`
}

// Diff has the settings of diff.
type Diff struct {
	Of string `default:"text" oneof:"text, main, source" help:"texts to compare: text, main (without navigation and the like) or source"`
}

// Sites has the settings of sites.
type Sites struct {
	History string `path:"any" help:"a recorded history, or a directory of them"`
	Method  string `default:"a" oneof:"{methods}" want:"one of {methods}" help:"how to divide the server: {methods}"`
	Base    int    `default:"12" range:"[0,{last-week}]" help:"with --history: weeks after the start of the window"`
}

// Demo has the settings of demo.
type Demo struct {
	Sites  string  `path:"directory" help:"a directory of recorded sites to serve instead of the built-in web"`
	Weeks  int     `default:"24" range:"[1,48]" help:"virtual weeks"`
	Budget float64 `default:"0.02" range:"(0,1]" want:"a share of the pages a day, above 0 and at most 1" help:"fetches a day as a share of the pages"`
	Pages  int     `default:"1000" range:"[100,100000]" help:"pages of the built-in web, about; with --full 3000"`
	Claims bool    `help:"also measure over HTTP the worth of feeds, sitemaps and Last-Modified, as --full does"`
	Full   bool    `help:"a larger web, and all measures of the demo: half a minute"`
	Open   bool    `help:"then serve a dashboard over the same web as it would stand today, at --listen, until Ctrl-C"`
	Seeds  int     `default:"0" range:"[0,100]" help:"only measure the savings by feeds, sitemaps and Last-Modified, as the mean of this number of seeds from --seed on; 0: show the whole system"`
	HTML   string  `default:"recrawl-demo.html" path:"any" help:"file for the report; empty for none"`
	Keep   string  `path:"directory" help:"keep the stores in this directory instead of a temporary one"`
}

// Survey has the settings of survey.
type Survey struct {
	Weeks   []int  `help:"periods, each as a number of weekly snapshots (default 2,4,12,24)"`
	Base    int    `default:"12" range:"[0,{last-week}]" help:"weeks after the start of a server's window at which the periods begin"`
	Group   string `path:"any" help:"a file that puts servers into groups, a line each: server group"`
	GroupBy string `key:"group-by" default:"suffix" oneof:"suffix, server, none" help:"without --group: suffix (org, co.jp), server, or none"`
	HTML    string `path:"any" help:"also write a report with figures to this file"`

	Unfit string // a warning if some of the usual weeks do not fit after the base
}

// Settings returns the declared settings, with their values in c.
func (c *Config) Settings() *Set {
	s := NewSet(c, "RECRAWL_", Words)
	s.Others = []string{"RECRAWL_LONG"} // for tests
	s.Gone = map[string]string{"node.stores": "nodes share no directory any more, their stores " +
		"move by NATS: stop all nodes, copy that directory to shards/ in --data of each, remove " +
		"nats/ there, and start all without stores"}
	return s
}

// Words replaces names that tags and pages of the manual cannot know.
var Words = strings.NewReplacer(
	"{policy}", policy.Default,
	"{policies}", strings.Join(policy.LiveNames(), ", "),
	"{choices}", strings.Join(policy.ChoiceNames(), ", "),
	"{any-policy}", "all, peers, "+strings.Join(policy.Names(), ", "),
	"{formats}", captures.FormatNames(),
	"{documents}", strings.Join(extract.FormNames(), ", "),
	"{methods}", strings.Join(sitegraph.PartitionMethods(), ", "),
	"{dashboard}", dashboard.DefaultAddress,
	"{units}", strings.Join(paper.UnitNames, ", "),
	"{max-pages}", strconv.Itoa(sitegraph.DefaultBounds.MaxPages),
	"{last-week}", strconv.Itoa(eval.WindowWeeks-1))

// Missing returns the problems without which run cannot start.
func (c *Config) Missing() (problems []error) {
	if c.Data == "" {
		problems = append(problems,
			errors.New("no data directory given: --data says where the planner's store is"))
	}
	if c.UserAgent == "" {
		problems = append(problems, errors.New("no user agent given: --user-agent names a "+
			"contact, site owners must be able to reach you"))
	}
	return problems
}

// Complete sets fields that follow from other settings, after their check. It removes budgets if
// there is no limit.
func (c *Config) Complete(r *Review) {
	if c.Unlimited && r.From("unlimited") >= r.From("budget") {
		c.Budget = nil
	} else {
		c.Unlimited = false // a flag with a budget overrides a file without limits
	}
	if c.Eval.Protocol == "stream" && r.From("eval.sample") == FromDefault {
		c.Eval.Sample = 1
	}
	if len(c.Eval.Weeks) == 0 {
		_, most, usual := eval.Lengths(c.Eval.Protocol, c.Eval.Base)
		c.Eval.Weeks, c.Eval.Unfit = eval.FittingWeeks(usual, most, c.Eval.Base)
	}
	if len(c.Survey.Weeks) == 0 {
		c.Survey.Weeks, c.Survey.Unfit = eval.FittingWeeks(eval.UsualPeriods,
			eval.LongestPeriod(c.Survey.Base), c.Survey.Base)
	}
	if c.Tune.Weeks == 0 {
		_, most, usual := eval.Lengths("stream", c.Tune.Base)
		weeks, unfit := eval.FittingWeeks(usual, most, c.Tune.Base)
		c.Tune.Weeks, c.Tune.Unfit = weeks[0], unfit
	}
	if c.Demo.Full {
		if r.From("demo.pages") == FromDefault {
			c.Demo.Pages = fullDemo
		}
		if r.From("demo.claims") == FromDefault {
			c.Demo.Claims = true
		}
	}
}

// fullDemo is the number of pages of demo --full.
const fullDemo = 3000

// VisitsFor returns Objective, which was checked before.
func (c *Config) VisitsFor() preferences.Objective {
	o, _ := preferences.ParseObjective(c.Objective)
	return o
}

// ChangeBy returns Change, which was checked before.
func (c *Config) ChangeBy() sitegraph.ChangeBy {
	by, _ := sitegraph.ParseChangeBy(c.Change)
	return by
}

// Check has the settings of check.
type Check struct {
	Set    string `path:"directory" help:"instead of --data: directory of a set of URLs alone, from import --set"`
	Repair bool   `help:"make a new store in --to from all readable parts of this one"`
	To     string `path:"directory" help:"with --repair: directory of the new store, new or empty"`
}

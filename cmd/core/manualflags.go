package core

// flagHeading is a heading of flags in the whole help of a command, in that order.
type flagHeading struct {
	Title string
	Flags []string
}

// flagHeadings are the headings of shared flags. Other flags belong to one command.
var flagHeadings = []flagHeading{
	{"What is crawled", []string{"data", "user-agent", "seeds", "documents", "languages", "filters",
		"max-pages", "others", "rounds", "change", "rules", "soft-404"}},
	{"Budget", []string{"budget", "server-budget", "unlimited", "max-age", "weight", "weights",
		"new", "least-value", "round"}},
	{"Politeness and network", []string{"delay", "workers", "timeout", "max-body", "robots-agent",
		"robots-any-host", "robots-max-age", "allow-private", "allow-network", "allow-port",
		"ca-file", "resolver", "proxy"}},
	{"Archive", []string{"archive", "archive-file", "archive-gzip", "requisites",
		"requisite-budget", "corpus", "min-free"}},
	{"Changes told to and by others", []string{"watch", "push", "websub-callback"}},
	{"Dashboard and log", []string{"listen", "listen-name", "listen-certificate",
		"listen-certificate-key", "pprof", "log-format"}},
	{"Policy", []string{"policy", "policy-timeout", "objective", "search-lag", "gone-worth",
		"alpha", "sample", "seed"}},
	{"Results", []string{"html", "svg", "csv", "parquet"}},
}

// everydayFlags returns the flags in the short help of a command, by the name of its page, most
// used first; nil: all.
func everydayFlags(page string) []string { return everyday[page] }

var everyday = map[string][]string{
	"run": {"data", "user-agent", "budget", "seeds", "rounds", "policy", "documents", "archive",
		"watch", "listen"},
	"watch": {"data", "user-agent", "budget", "rounds", "change", "listen"},
	"node": {"data", "user-agent", "name", "routes", "route-at", "adopt", "budget", "archive",
		"listen", "token-file"},
	"init":   {"for", "data", "user-agent", "budget", "archive", "seeds"},
	"config": {"data", "user-agent"},
	"doctor": {"data", "user-agent", "archive", "workers"},
	"plan": {"data", "show", "budget", "server-budget", "max-age", "weight", "policy",
		"objective", "round"},
	"explain": {"data", "budget", "server-budget", "max-age", "weight", "policy", "objective",
		"round"},
	"serve": {"data", "listen", "archive", "budget", "server-budget", "policy", "round", "corpus",
		"listen-certificate", "listen-certificate-key"},
	"eval": {"protocol", "budget", "policy", "weeks", "base", "objective", "compare", "html", "svg",
		"csv"},
	"tune": {"data", "budget", "target", "policy", "base", "weeks", "futures", "check", "html",
		"csv"},
	"demo": {"full", "open", "listen", "budget", "policy", "seed", "sites", "keep", "archive",
		"html"},
	"import": {"data", "format", "history", "from", "to", "server", "verbose", "set"},
	"show-page": {"user-agent", "url", "documents", "languages", "filters", "rules",
		"allow-private"},
	"show-robots": {"agent", "file", "user-agent", "allow-private"},
	"show-feed":   {"user-agent", "allow-private"},
	"guard": {"listen", "interval", "parallel", "address-hour", "all-hour", "stop-after",
		"allow-private"},
	"corpus-build": {"corpus", "archive", "documents", "languages", "filters", "annotate", "near",
		"quota"},
	"schedule-report":   {"data", "delay", "journal", "log", "by", "pool", "html"},
	"schedule-simulate": {"data", "delay", "policy", "connections", "days", "sweep", "html"},
	"schedule-plan": {"data", "delay", "target", "node-connections", "node-mbps", "page-bytes",
		"html"},
	"bench-sat": {"engines", "records", "units", "repeat", "dir", "disk", "figures", "html"},
}

// flagsAsRun are pages of commands with the flags of run, because they show settings of a run.
var flagsAsRun = []string{"watch", "init", "config"}

package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/recrawl/recrawl/planner/policy"
	"github.com/recrawl/recrawl/sitegraph"
)

// Config holds all settings of all commands. A key is a flag's name; the keys of eval and
// demo have their command's name before them in files and the environment.
type Config struct {
	Data      string   // directory of one planner
	UserAgent string   `mapstructure:"user-agent"` // must contain a contact
	Budget    []string // limits for all servers together; none after load where Unlimited is set
	Unlimited bool     // no bound
	// ServerBudget are limits by server, and Weight what changes are worth, by address.
	ServerBudget []string `mapstructure:"server-budget"`
	Weight       []string

	New     float64       // share of the budget for first visits, 0..1
	Round   time.Duration // planning period
	Rounds  int           // rounds to run; 0: for ever
	Delay   time.Duration // between two requests to a server or address; 0: none
	Workers int           // visits at a time
	Policy  string
	Alpha   float64 // of gamma
	Seed    uint64
	Change  string // digest, text or main

	AllowPrivate  bool          `mapstructure:"allow-private"` // loopback and private addresses too
	AllowNetwork  []string      `mapstructure:"allow-network"` // prefixes asked though they are not public
	AllowPort     []int         `mapstructure:"allow-port"`    // beside 80 and 443
	CAFile        string        `mapstructure:"ca-file"`       // certificates trusted beside those of the system
	Resolver      string        // address:port of a name server
	RobotsAgent   string        `mapstructure:"robots-agent"`    // name that robots.txt is searched for
	RobotsAnyHost bool          `mapstructure:"robots-any-host"` // follow redirects of robots.txt anywhere
	Timeout       time.Duration // of one request in all
	MaxBody       int64         `mapstructure:"max-body"`  // bytes kept of a page
	MaxPages      int           `mapstructure:"max-pages"` // known of a server
	MinFree       int64         `mapstructure:"min-free"`  // bytes of the disk below which no visit begins

	Eval  EvalConfig
	Demo  DemoConfig
	Plan  PlanConfig
	Sites SitesConfig

	Survey SurveyConfig
	Bench  BenchConfig

	Checkpoint CheckpointConfig
	Tune       TuneConfig
}

// CheckpointConfig are the settings of checkpoint.
type CheckpointConfig struct{ To string }

// PlanConfig are the settings of plan.
type PlanConfig struct {
	Show   int  // visits
	Report bool // the budgets too, as JSON
}

// SitesConfig are the settings of sites.
type SitesConfig struct {
	History string // a file, or a directory of them
	Method  string
	Base    int    // weeks after the window's start
	SVG     string // file for the map
}

// EvalConfig are the settings of eval.
type EvalConfig struct {
	Protocol string
	Policy   []string
	Weeks    []int     // snapshot: horizons; stream: length
	Budget   []float64 // stream: share of the base pages a day
	Base     int       // weeks after the window's start
	History  int       // weekly states before the base
	Spread   bool
	Compare  string // the policy to set beside the others; "": see comparedPolicy
	Ablate   bool   // also that policy without each kind of evidence
	Runs     int    // stream: of each policy
	AtOnce   int    `mapstructure:"at-once"` // stream: policies at work at a time; 0: one a core
	Folds    int    // parts of the servers, each judged by what was learnt on the others; 0: no learning
	Model    string // a file of learn; "": what comes with the program
	HTML     string
	Figures  bool        // those of [LINK] instead of policies
	Groups   GroupConfig `mapstructure:",squash"` // of figures
	// Of policies by servers: pages sampled a server; least rates of the servers visited.
	Sample    int
	Threshold []float64

	unfit string // a warning, where not all of the usual weeks fit behind the base
}

// DemoConfig are the settings of demo.
type DemoConfig struct {
	Sites  string
	Weeks  int
	Budget float64
	Pages  int
	Claims bool
	HTML   string
	Keep   string
}

// setting is one key: its flag, default and meaning.
type setting struct {
	key      string
	value    any // the default; its type is the flag's type
	usage    string
	commands string // those that have the flag, blank-separated
}

var settings = append(tuneSettings, []setting{
	{"data", "", "directory of the planner's store", "run plan explain sites checkpoint inspect check tune export"},
	{"user-agent", "", "sent with each request; must contain a contact (web or mail address)", "run"},
	{"budget", []string{"1000/day"}, "fetches or bytes an hour or a day, never exceeded, as 1000/day or 2GB/day; several hold together", "run plan explain"},
	{"server-budget", []string{}, "the same for each server, or for some: 500/day, *.example.org=50/day", "run plan explain"},
	{"weight", []string{}, "what a change is worth to you where addresses begin so: https://example.com/news/=3; 0 for never", "run plan explain"},
	{"unlimited", false, "no bound instead of a budget; only for your own servers", "run plan explain"},
	{"new", 0.25, "share of the budget that first visits of new pages may take, 0 to 1", "run plan explain eval demo tune"},
	{"round", time.Hour, "planning period; divides the day", "run plan explain"},
	{"rounds", 0, "stop after so many rounds; 0 for never", "run"},
	{"delay", 10 * time.Second, "least time between two requests to a server or address; 0 only for your own servers", "run tune"},
	{"workers", 64, "visits at a time, one a server; those to slow servers are not counted", "run"},
	{"policy", policy.Default, "what decides: " + strings.Join(livePolicies(), ", "), "run plan explain demo tune"},
	{"alpha", 0.0, "gamma: the importance that every page has, 0 to below 1; above 0 pages are drawn [NICT eq. 1]", "run plan explain eval"},
	{"seed", uint64(1), "of ties and random choices", "run plan explain eval demo learn tune"},
	{"change", "digest", "which difference counts as a change: digest, text or main", "run plan explain eval demo survey learn tune"},
	{"allow-private", false, "also ask loopback and private addresses and any port", "run"},
	{"allow-network", []string{}, "also ask these addresses, as 10.20.0.0/16; repeat it for more", "run"},
	{"allow-port", []int{}, "also ask this port, as 8080, beside 80 and 443; repeat it for more", "run"},
	{"ca-file", "", "PEM file of certificates to trust beside those of the system", "run"},
	{"resolver", "", "name server to ask, as 127.0.0.1:53, instead of those of the system", "run"},
	{"robots-agent", "", "name that robots.txt is searched for, where it is not the one in --user-agent", "run"},
	{"robots-any-host", false, "follow a redirect of robots.txt to any server, not only on the same domain", "run"},
	{"timeout", time.Minute, "of one request in all", "run"},
	{"max-body", int64(2_000_000), "bytes kept of a page", "run"},
	{"max-pages", sitegraph.DefaultBounds.MaxPages, "pages of a server that may become known", "run"},
	{"min-free", int64(50_000_000), "bytes that stay free on the disk: with less, no visit begins; 0 for no bound", "run"},

	{"eval.protocol", "snapshot", "snapshot: one sweep N-1 weeks after the base; stream: a daily budget over weeks", "eval"},
	{"eval.policy", []string{"all"}, "policies to compare, or all; variants of value (value-own and so on) take part if named", "eval"},
	{"eval.weeks", []int{}, "horizons N of the snapshot protocol (default 2,4,12,24), or length of the stream (default 40)", "eval"},
	{"eval.budget", []float64{0.02}, "stream: fetches a day as shares of the base pages", "eval"},
	{"eval.base", 12, "weeks after the start of a server's window at which the policies take over", "eval"},
	{"eval.history", 0, "weekly states before the base that the policies may see (default with --figures: 12, or as many as there are)", "eval"},
	{"eval.spread", false, "add the 5th and 95th percentile over 200 resamples of the servers; --figures always has them", "eval"},
	{"eval.compare", "", "set this policy beside all others on the same 200 resamples of the servers; none for not (default value, if it takes part)", "eval"},
	{"eval.ablate", false, "also run the compared policy without each kind of evidence: what is it worth", "eval"},
	{"eval.runs", 1, "stream: so many runs of each policy, with seeds from --seed on; results are their means", "eval"},
	{"eval.at-once", 0, "stream: at most so many policies at work at a time, each of which takes memory; 0 for one a core", "eval"},
	{"eval.folds", 0, "first learn the parameters of value anew for each of so many folds of the servers, on the others (cross-validation); 0 for the parameters at hand", "eval"},
	{"eval.model", "", "parameters for value, a file of recrawl learn (default: those that come with the program)", "eval"},
	{"eval.sample", 5, "pages that server-sample fetches of each server first", "eval"},
	{"eval.threshold", []float64{0}, "snapshot: least change rates of the servers that server-* visit, one run each", "eval"},
	{"eval.figures", false, "snapshot: the figures of [LINK] on these histories, and which of its claims hold", "eval"},
	{"eval.group", "", "figures: a file that puts servers into groups, a line each: server group", "eval"},
	{"eval.group-by", "suffix", "figures, without --group: suffix (org, co.jp), server, or none", "eval"},
	{"eval.html", "", "also write a report with figures to this file", "eval"},

	{"demo.sites", "", "a directory of recorded sites to serve instead of the built-in web", "demo"},
	{"demo.weeks", 24, "virtual weeks", "demo"},
	{"demo.budget", 0.02, "fetches a day as a share of the pages", "demo"},
	{"demo.pages", 3000, "about so many pages in the built-in web", "demo"},
	{"demo.claims", true, "also measure over HTTP what feeds, sitemaps and Last-Modified are worth", "demo"},
	{"demo.html", "recrawl-demo.html", "file for the report; empty for none", "demo"},
	{"plan.show", 20, "so many visits", "plan"},
	{"plan.report", false, "with --json: an object that also says how far the budgets go and what does not fit", "plan"},
	{"sites.history", "", "a recorded history, or a directory of them", "sites"},
	{"sites.method", "a", "how to divide: " + strings.Join(partitionMethods, ", "), "sites"},
	{"sites.base", 12, "with --history: weeks after the start of the window", "sites"},
	{"sites.svg", "", "also draw the sites into this file", "sites"},
	{"survey.weeks", []int{}, "periods: so many weekly snapshots each (default 2,4,12,24)", "survey"},
	{"survey.base", 12, "weeks after the start of a server's window at which the periods begin", "survey"},
	{"survey.group", "", "a file that puts servers into groups, a line each: server group", "survey"},
	{"survey.group-by", "suffix", "without --group: suffix (org, co.jp), server, or none", "survey"},
	{"survey.html", "", "also write a report with figures to this file", "survey"},
	{"checkpoint.to", "", "a directory for the copy, new or empty", "checkpoint"},
	{"bench.records", 200_000, "page states in the store", "sat"},
	{"bench.unit", "hour", "step of time: minute, hour or day", "sat"},
	{"bench.units", 0, "steps to measure (default 90 minutes, 26 hours or 8 days, over the end of a day or more)", "sat"},
	{"bench.max-units", 0, "longest interval in units, T; longer ones are cut (default 400 days)", "sat"},
	{"bench.fixed", 100, "bytes of a record beside its URL: 50, 100, 200 or 400", "sat"},
	{"bench.buffer", "32MiB", "all write buffers of runs and of the SAT forms together", "sat"},
	{"bench.page", "4KiB", "one page of a write buffer", "sat"},
	{"bench.engines", []string{"all"}, "engines to measure; the first is what ratios are taken to", "sat"},
	{"bench.repeat", 3, "so many times each, engines in turn", "sat"},
	{"bench.messages", 0.0, "ad-hoc requests before each unit, as a share of its due records", "sat"},
	{"bench.disk", "256MiB", "at most so long files to measure the disk alone; 0 for not", "sat"},
	{"bench.dir", "", "a directory on the disk to measure (default: for temporary files)", "sat"},
	{"bench.html", "", "also write a report with figures to this file", "sat"},
	{"bench.figures", false, "also measure what figures 5 and 7 to 10 of [SAT] show", "sat"},
	{"bench.figure-records", 50_000, "page states in each run for those figures", "sat"},
	{"demo.keep", "", "keep the stores in this directory instead of a temporary one", "demo"},
}...)

// flagName is the key without its command.
func (s setting) flagName() string {
	if _, name, ok := strings.Cut(s.key, "."); ok {
		return name
	}
	return s.key
}

// addSettings gives a command the flags that are its own.
func addSettings(cmd *cobra.Command) {
	f := cmd.Flags()
	for _, s := range settings {
		if !slices.Contains(strings.Fields(s.commands), cmd.Name()) {
			continue
		}
		name := s.flagName()
		switch value := s.value.(type) {
		case string:
			f.String(name, value, s.usage)
		case bool:
			f.Bool(name, value, s.usage)
		case int:
			f.Int(name, value, s.usage)
		case int64:
			f.Int64(name, value, s.usage)
		case uint64:
			f.Uint64(name, value, s.usage)
		case float64:
			f.Float64(name, value, s.usage)
		case time.Duration:
			f.Duration(name, value, s.usage)
		case []string:
			f.StringSlice(name, value, s.usage)
		case []int:
			f.IntSlice(name, value, s.usage)
		case []float64:
			f.Float64Slice(name, value, s.usage)
		default:
			panic(fmt.Sprintf("recrawl: setting %s of type %T", s.key, value))
		}
	}
}

// load reads flags, environment and file into p.config and checks them all.
func (p *program) load(cmd *cobra.Command) error {
	v := viper.New()
	v.SetEnvPrefix("RECRAWL")
	v.SetEnvKeyReplacer(strings.NewReplacer("-", "_", ".", "_"))
	v.AutomaticEnv()
	for _, s := range settings {
		v.SetDefault(s.key, s.value)
		if flag := cmd.Flags().Lookup(s.flagName()); flag != nil && slices.Contains(strings.Fields(s.commands), cmd.Name()) {
			bindFlag(v, s, flag)
		}
	}
	if err := unknownEnvironment(); err != nil {
		return err
	}
	if p.configFile != "" {
		v.SetConfigFile(p.configFile)
		if err := v.ReadInConfig(); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return usageError{fmt.Errorf("config file %s does not exist", p.configFile), "check the path given with --config"}
			}
			return usageError{fmt.Errorf("read config file %s: %w", p.configFile, err), "it must be YAML, TOML or JSON, named by its ending"}
		}
	}
	if err := unknownKeys(v, p.configFile); err != nil {
		return err
	}
	if problems := wrongKinds(v); len(problems) > 0 {
		if budget := v.GetStringSlice("budget"); len(budget) > 0 { // not of a wrong kind, but a text that may be no budget
			problems = append(wrongLimits(budget), problems...)
		}
		err := errors.Join(problems...)
		return usageError{err, cmd.CommandPath() + " --help shows what each setting is"}
	}
	if err := v.UnmarshalExact(&p.config); err != nil {
		return usageError{fmt.Errorf("settings: %w", err), "each key must have a value of its kind; " + cmd.CommandPath() + " --help shows them"}
	}
	from := func(key string) origin { return originOf(v, cmd, key) }
	if err := p.config.check(strings.TrimPrefix(cmd.CommandPath(), "recrawl "), from); err != nil {
		return err
	}
	if p.config.Unlimited && from("unlimited") >= from("budget") {
		p.config.Budget = nil
	}
	return nil
}

// origin is where a value comes from; a later one overrules an earlier one.
type origin int

const (
	fromDefault origin = iota
	fromFile
	fromEnvironment
	fromFlag
)

func originOf(v *viper.Viper, cmd *cobra.Command, key string) origin {
	for _, s := range settings {
		if s.key != key || !slices.Contains(strings.Fields(s.commands), cmd.Name()) {
			continue
		}
		if flag := cmd.Flags().Lookup(s.flagName()); flag != nil && flag.Changed {
			return fromFlag
		}
	}
	switch {
	case os.Getenv(variable(key)) != "":
		return fromEnvironment
	case v.InConfig(key):
		return fromFile
	}
	return fromDefault
}

// variable is the key's name in the environment.
func variable(key string) string {
	return "RECRAWL_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(key))
}

// bindFlag lets a flag that was given overrule file and environment. Slices go by value:
// viper reads a flag's slice as text.
func bindFlag(v *viper.Viper, s setting, flag *pflag.Flag) {
	if !flag.Changed {
		return
	}
	if slice, ok := flag.Value.(pflag.SliceValue); ok {
		v.Set(s.key, slice.GetSlice())
		return
	}
	v.Set(s.key, flag.Value.String())
}

// unknownKeys refuses keys that no command has: a misspelt key would be ignored in silence.
func unknownKeys(v *viper.Viper, file string) error {
	var known []string
	for _, s := range settings {
		known = append(known, s.key)
	}
	for _, key := range v.AllKeys() {
		if !slices.Contains(known, key) {
			return usageError{fmt.Errorf("config file %s: unknown key %q", file, key), suggest(key, known)}
		}
	}
	return nil
}

// wrongKinds finds the values that are not what their key asks for, as text for a number.
func wrongKinds(v *viper.Viper) (problems []error) {
	for _, s := range settings {
		value := reflect.New(reflect.TypeOf(s.value))
		if err := v.UnmarshalKey(s.key, value.Interface()); err != nil {
			problems = append(problems, fmt.Errorf("%s: %v: want %s", s.key, v.Get(s.key), kindOf(s.value)))
		}
	}
	return problems
}

func kindOf(value any) string {
	switch value.(type) {
	case bool:
		return "true or false"
	case int, int64, uint64:
		return "a whole number"
	case float64:
		return "a number"
	case time.Duration:
		return "a time span as 90s or 1h30m"
	case []int:
		return "a list of whole numbers"
	case []float64:
		return "a list of numbers"
	case []string:
		return "a list of names"
	}
	return "a text"
}

// unknownEnvironment refuses variables RECRAWL_* that set nothing.
func unknownEnvironment() error {
	var known []string
	for _, s := range settings {
		known = append(known, variable(s.key))
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "RECRAWL_") && name != "RECRAWL_LONG" && !slices.Contains(known, name) {
			return usageError{fmt.Errorf("environment variable %s sets nothing", name), suggest(name, known)}
		}
	}
	return nil
}

// suggest names the known word nearest to a misspelt one.
func suggest(word string, known []string) string {
	best, distance := "", 4
	for _, k := range known {
		if d := editDistance(word, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "known are: " + strings.Join(known, ", ")
}

// editDistance counts the letters to insert, delete or replace (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

package core_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/sitegraph"
)

// TestBadInput gives the program invalid input. It must refuse it with a message that says where, a
// hint what to do, the documented exit code, and no standard output.
func TestBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	line := `{"url":"http://a.example/","t":1000000,"digest":"d41d8cd98f00b204e9800998ecf8427e","links":[]}` + "\n"
	later := strings.Replace(line, "1000000", "2000000", 1)
	whole := historyFile(t, "a.example", 3)
	truncated := writeFile(t, in("truncated.jsonl.gz"), whole[:len(whole)/2])
	noJSON := writeFile(t, in("nojson.jsonl"), line+"<html>\n"+later)
	backwards := writeFile(t, in("backwards.jsonl"), line+later+line)
	empty := writeFile(t, in("empty.jsonl"), "")
	noDigest := writeFile(t, in("nodigest.jsonl"), `{"url":"http://a.example/","t":1}`+"\n")
	elsewhere := writeFile(t, in("elsewhere.jsonl"),
		line+strings.Replace(later, "a.example", "b.example", 1))
	misspelt := writeFile(t, in("misspelt.yaml"), "budjet: 5\n")
	nested := writeFile(t, in("nested.yaml"), "eval:\n  protocoll: stream\n")
	wrongKind := writeFile(t, in("kind.yaml"), "budget: plenty\nround: soon\n")
	noYAML := writeFile(t, in("broken.yaml"), "budget: [1\n")
	noFormat := writeFile(t, in("settings.ini"), "budget=5\n")
	if err := os.Mkdir(in("nothing"), 0o755); err != nil {
		t.Fatal(err)
	}
	newer := newerStore(t)
	damaged := storeWith(t, "FORMAT", []byte("no version\n"))
	foreign := in("foreign")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(foreign, "thesis.tex"), "precious")
	agent := []string{"--user-agent", contact}

	for _, c := range []struct {
		name  string
		args  []string
		code  int
		words []string
	}{
		{"no such file", []string{"eval", in("missing.jsonl.gz")}, 1,
			[]string{in("missing.jsonl.gz"), "no such file"}},
		{"no such file beside a good one", []string{"eval", backwards, in("missing")}, 1,
			[]string{in("missing")}},
		{"directory without histories", []string{"eval", in("nothing")}, 1,
			[]string{in("nothing")}},
		{"truncated gzip", []string{"eval", truncated}, 1,
			[]string{truncated, "truncated", "again"}},
		{"truncated gzip for sites", []string{"sites", "--history", truncated, "a.example"}, 1,
			[]string{truncated, "truncated"}},
		{"line that is no JSON", []string{"eval", noJSON}, 1, []string{noJSON + ":2", "JSON"}},
		{"times going backwards", []string{"eval", backwards}, 1,
			[]string{backwards + ":3", "backwards", "1000000", "2000000", "sort"}},
		{"empty history", []string{"eval", empty}, 1, []string{empty, "empty"}},
		{"line without digest", []string{"eval", noDigest}, 1, []string{noDigest + ":1", "digest"}},
		{"two servers in a file", []string{"eval", elsewhere}, 1,
			[]string{elsewhere + ":2", "b.example"}},
		{"nothing to evaluate", []string{"eval"}, 2, []string{"no histories"}},
		{"history that ends before the base",
			[]string{"eval", writeFile(t, in("short.jsonl"), line), "--base", "12", "--protocol",
				"snapshot", "--policy", "nonsense"}, 2,
			[]string{"nonsense", "recrawl policies lists"}},

		{"config key misspelt", []string{"run", "--config", misspelt}, 2,
			[]string{misspelt, "budjet", `did you mean "budget"?`}},
		{"config key of a command misspelt", []string{"eval", "--config", nested, backwards}, 2,
			[]string{nested, "eval.protocoll", `did you mean "eval.protocol"?`}},
		{"config value of the wrong kind", []string{"run", "--config", wrongKind}, 2,
			[]string{"budget: plenty", "number", "line 2: round: \"soon\""}},
		{"config that is no YAML", []string{"run", "--config", noYAML}, 2, []string{noYAML}},
		{"config of an unknown kind", []string{"run", "--config", noFormat}, 2, []string{noFormat}},
		{"no such config", []string{"run", "--config", in("missing.yaml")}, 2,
			[]string{in("missing.yaml"), "does not exist"}},

		{"negative budget", []string{"run", "--budget", "-5"}, 2, []string{"--budget -5", "0"}},
		{"budget of -1", []string{"run", "--budget", "-1"}, 2,
			[]string{"--budget -1", "--unlimited"}},
		{"negative budget of a file", []string{"run", "--config", writeFile(t, in("negative.yaml"),
			"budget: -3\nplan:\n  show: 0\n")}, 2,
			[]string{"recrawl: error: budget: -3", "recrawl: error: plan.show: 0"}},
		{"budget and none", []string{"run", "--budget", "5", "--unlimited"}, 2,
			[]string{"not both"}},
		{"policy that knows the future",
			append([]string{"run", "--policy", "clairvoyant", "--data", in("fresh")}, agent...), 2,
			[]string{"--policy clairvoyant", "evaluations only"}},
		{"policy of sweeps", []string{"plan", "--policy", "server-true+a", "--data", in("fresh")},
			2, []string{"--policy server-true+a", "evaluations only"}},
		{"weeks beyond the window", []string{"eval", backwards, "--weeks", "55"}, 2,
			[]string{"--weeks 55", "2 to 49"}},
		{"runs of a sweep", []string{"eval", backwards, "--runs", "3"}, 2,
			[]string{"--runs 3", "--protocol stream"}},
		{"no runs", []string{"eval", backwards, "--protocol", "stream", "--runs", "0"}, 2,
			[]string{"--runs 0", "1 or more"}},
		{"budget that is no number", []string{"run", "--budget", "NaN"}, 2,
			[]string{"--budget NaN"}},
		{"budget with a comma", []string{"run", "--budget", "1,500/day"}, 2,
			[]string{"--budget 1,500/day", "thousands have no comma"}},
		{"others to a stream", []string{"run", "--others", "-"}, 2,
			[]string{"--others -", "a file"}},
		{"budget of a week", []string{"run", "--budget", "5/week"}, 2,
			[]string{"--budget 5/week", "2GB/day"}},
		{"budgets, one bad", []string{"run", "--budget", "5/day", "--budget", "3 apples"}, 2,
			[]string{"--budget 3 apples"}},
		{"server budget", []string{"run", "--server-budget", "http://a.com/=5"}, 2,
			[]string{"--server-budget http://a.com/=5", "SERVER=BUDGET"}},
		{"weight", []string{"run", "--weight", "news=3"}, 2,
			[]string{"--weight news=3", "ADDRESS=WEIGHT"}},
		{"hours in a round of a day", []string{"run", "--budget", "5/hour", "--round", "24h"}, 2,
			[]string{"--round 24h", "divides an hour"}},
		{"budget without end", []string{"run", "--budget", "+Inf"}, 2, []string{"--budget +Inf"}},
		{"several at once", []string{"run", "--budget", "-5", "--round", "7h", "--workers", "0",
			"--policy", "guess"}, 2, []string{"--budget -5", "--round 7h", "--workers 0",
			"--policy guess"}},
		{"round of no time", []string{"run", "--round", "0"}, 2, []string{"--round 0"}},
		{"unknown flag", []string{"run", "--bugdet", "5"}, 2,
			[]string{"--bugdet", "did you mean --budget?"}},
		{"flag without its value", []string{"run", "--budget"}, 2, []string{"budget"}},
		{"flag of the wrong kind", []string{"run", "--budget", "many"}, 2, []string{"many"}},
		{"unknown flag of the root", []string{"--verzion"}, 2, []string{"did you mean --version?"}},
		{"unknown command", []string{"rum"}, 2, []string{"rum"}},
		{"help for an unknown command", []string{"help", "nosuch"}, 2,
			[]string{"nosuch", "recrawl --help"}},
		{"argument of demo", []string{"demo", "extra"}, 2,
			[]string{"demo takes no arguments", "extra"}},
		{"demo of an empty directory", []string{"demo", "--sites", in("nothing"), "--html", ""}, 1,
			[]string{in("nothing"), "recorded site"}},
		{"demo with a report into nowhere", []string{"demo", "--html", in("no/such.html")}, 1,
			[]string{in("no")}},
		{"recorded site for a history",
			[]string{"eval", writeFile(t, in("site.jsonl"), `{"path":"/","t":1}`+"\n")}, 1,
			[]string{"demo --sites"}},
		{"half an address", []string{"explain", "--data", dir, "127.0.0.1"}, 2,
			[]string{`"127.0.0.1" is not a whole web address`}},
		{"half an address with a port", []string{"explain", "--data", dir, "127.0.0.1:80"}, 2,
			[]string{`"127.0.0.1:80" is not a whole web address`}},
		{"run without anything", []string{"run"}, 2, []string{"--data", "--user-agent"}},
		{"superfluous argument", []string{"plan", "--data", dir, "more"}, 2, []string{"more"}},
		{"negative stream budget", []string{"eval", "--protocol", "stream", "--budget=-0.1",
			backwards}, 2, []string{"-0.1"}},
		{"demo too long", []string{"demo", "--weeks", "100"}, 2, []string{"--weeks 100"}},

		{"no directory given", append([]string{"run", "http://a.example/"}, agent...), 2,
			[]string{"--data"}},
		{"no address to start from", append([]string{"run", "--data", in("fresh")}, agent...), 2,
			[]string{in("fresh")}},
		{"address that is none", append([]string{"run", "--data", in("fresh2"), "a.example"},
			agent...), 2, []string{"a.example", "http://"}},
		{"no such data directory", []string{"plan", "--data", in("missing")}, 1,
			[]string{in("missing")}},
		{"no such data directory to explain",
			[]string{"explain", "--data", in("missing"), "http://a.example/"}, 1,
			[]string{in("missing")}},
		{"data directory of a newer format",
			append([]string{"run", "--data", newer, "http://a.example/"}, agent...), 1,
			[]string{newer, "format 99", "newer"}},
		{"plan of a newer format", []string{"plan", "--data", newer}, 1,
			[]string{newer, "format 99", "newer"}},
		{"damaged data directory", []string{"plan", "--data", damaged}, 4,
			[]string{damaged, "damaged"}},
		{"plan of somebody else's directory", []string{"plan", "--data", foreign}, 1,
			[]string{foreign}},
		{"plan of a directory without a store", []string{"plan", "--data", in("nothing")}, 1,
			[]string{in("nothing"), "recrawl run --data"}},
		{"server that is not there", []string{"sites", "--history",
			writeFile(t, in("one.jsonl"), line), "b.example"}, 2,
			[]string{"b.example", "a.example"}},
		{"report into nowhere", []string{"eval", writeFile(t, in("good.jsonl.gz"), whole),
			"--weeks", "2", "--html", in("no/such/report.html")}, 1, []string{in("no/such")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			recrawl(t, c.args...).refused(t, c.code, c.words...)
		})
	}
	r := recrawl(t, append([]string{"run", "--data", foreign, "http://a.example/"}, agent...)...)
	if r.exit(t, 1); !strings.Contains(r.stderr, "thesis.tex") {
		t.Errorf("a directory of somebody else is refused with %q", r.stderr)
	}
	entries, err := os.ReadDir(foreign)
	if err != nil || len(entries) != 1 {
		t.Errorf("somebody else's directory holds %v now, %v", entries, err)
	}
}

// TestUnknownEnvironment checks that a misspelt variable is refused.
func TestUnknownEnvironment(t *testing.T) {
	recrawlIn(t, t.TempDir(), []string{"RECRAWL_BUDJET=5"}, "run").refused(t, 2, "RECRAWL_BUDJET",
		`did you mean "RECRAWL_BUDGET"?`)
}

// historyFile writes a history of a start page and pages of one directory, one of which changes
// weekly over the window of the evaluation.
func historyFile(t *testing.T, server string, pages int) string {
	t.Helper()
	const from, week = 1_700_000_000, 7 * 24 * 3600
	base := "http://" + server
	var links []string
	for i := range pages {
		links = append(links, fmt.Sprintf("%s/news/%d.html", base, i))
	}
	var all []*history.Page
	add := func(url string, versions int, links ...string) {
		p := &history.Page{URL: url}
		for v := range versions {
			digest := sitegraph.DigestOf(fmt.Appendf(nil, "%s %d", url, v))
			p.Versions = append(p.Versions, history.Version{T: from + int64(v)*week,
				Digests: sitegraph.Digests{Bytes: digest}, Links: links, LinksKnown: true})
		}
		all = append(all, p)
	}
	add(base+"/", 1, base+"/news/")
	add(base+"/news/", 60, links...)
	for i, url := range links {
		add(url, 1+i%2*59, base+"/")
	}
	var b bytes.Buffer
	if err := history.Write(&b, history.NewServer(server, from, all)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// storeWith makes a store by a run without visits, and replaces a file of it.
func storeWith(t *testing.T, name string, content []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	recrawl(t, "run", "--data", dir, "--user-agent", contact, "--rounds", "1", "--quiet",
		"http://"+anyPort()+"/").exit(t, 3) // nothing is fetched
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func newerStore(t *testing.T) string {
	t.Helper()
	return storeWith(t, "FORMAT", []byte("recrawl satstore 99\nunit_weeks 3\n"))
}

// TestFullDisk runs until a small file system is full, frees space, and continues: everything
// acknowledged is there.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8m", "recrawl-test",
		disk).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a small file system: %v %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	lab := serve(t, library(shelves{servers: 3, sections: 5, pages: 30, days: 3000,
		every: func(_, _, page int) int { return page % 9 }}))
	w := newWitness(t, lab, filepath.Join(disk, "data"), time.Second)
	args := append([]string{"run", "--data", w.dir, "--user-agent", contact, "--allow-private",
		"--delay", "1ms", "--round", "1s", "--unlimited", "--workers", fmt.Sprint(workers),
		"--quiet", "--min-free", "0"}, lab.starts()...)

	// A first part with room makes data that could be lost.
	w.runs = append(w.runs, time.Now())
	recrawl(t, append(args, "--rounds", "1")...).ok(t)
	w.look()
	filler := filepath.Join(disk, "filler")
	for _, room := range []int64{0, 20_000, 100_000, 300_000} {
		fill(t, disk, filler, room)
		w.runs = append(w.runs, time.Now())
		r := recrawl(t, args...).refused(t, 1, "disk is full", "space")
		if strings.Count(r.stderr, "\n") != 2 {
			t.Errorf("an error and a hint about a full disk became\n%s", r.stderr)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		w.look()
	}
	w.runs = append(w.runs, time.Now())
	before := len(w.lines)
	recrawl(t, append(args, "--rounds", "2")...).ok(t)
	w.look()
	w.judge()
	if len(w.lines) == before {
		t.Error("nothing was visited after space was free again")
	}
}

// TestDiskNearlyFull checks that with less than --min-free no visit begins, that run says so, and
// that it continues by itself when there is space.
func TestDiskNearlyFull(t *testing.T) {
	t.Parallel()
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "recrawl-test",
		disk).CombinedOutput(); err != nil {
		t.Skipf("needs the right to mount a small file system: %v %s", err, bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 10, days: 3000,
		every: func(_, _, page int) int { return page % 9 }}))
	filler := filepath.Join(disk, "filler")
	fill(t, disk, filler, 20_000_000)
	p := start(t, disk, nil,
		append([]string{"run", "--data", filepath.Join(disk, "data"), "--user-agent", contact,
			"--allow-private", "--delay", "1ms",
			"--round", "1s", "--unlimited", "--min-free", "30000000"}, lab.starts()...)...)
	eventually(t, "a word of the disk", func() bool {
		return strings.Contains(p.stderr.String(), "bytes free")
	})
	if n := lab.count(); n > 0 {
		t.Errorf("%d requests with less than --min-free", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	eventually(t, "visits when there is space", func() bool {
		return lab.count() > 10 && strings.Contains(p.stderr.String(), "going on")
	})
	p.interrupt()
}

// fill leaves room bytes free.
func fill(t *testing.T, disk, filler string, room int64) {
	t.Helper()
	var fs syscall.Statfs_t
	if err := syscall.Statfs(disk, &fs); err != nil {
		t.Fatal(err)
	}
	size := int64(fs.Bavail)*int64(fs.Bsize) - room
	f, err := os.Create(filler)
	if err == nil {
		_, err = f.Write(make([]byte, max(size, 0)))
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

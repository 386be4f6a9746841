package core_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/core"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/eval/history"
	"github.com/recrawl/recrawl/planner"
)

// needs skips a test without a language.
func needs(t testing.TB, language string) {
	t.Helper()
	if _, err := exec.LookPath(language); err != nil {
		t.Skipf("%s is missing, which runs the example: %v", language, err)
	}
}

// exampleOf returns the name of a policy that is an example in the documents.
func exampleOf(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../docs/reference/policies/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return "exec:" + path
}

// changing writes histories of servers whose pages change at very different rates, in random weeks:
// some never, some nearly each week.
func changing(t testing.TB, servers, pages int) string {
	t.Helper()
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(54, 0))
	for s := range servers {
		server := fmt.Sprintf("s%d.example", s)
		var text strings.Builder
		links := make([]string, pages)
		for i := range links {
			links[i] = fmt.Sprintf("/d%d/p%d", i%7, i)
		}
		write := func(line string) { text.WriteString(line + "\n") }
		write(lineOf(server, 0, "/", "top", strings.Fields(strings.Join(links, " "))...))
		for _, path := range links {
			write(lineOf(server, 0, path, "0"))
		}
		for week := 1; week < 60; week++ {
			rates := rand.New(rand.NewPCG(uint64(s), 1))
			for _, path := range links {
				if rate := rates.Float64(); rng.Float64() < rate*rate*rate {
					write(lineOf(server, week, path, fmt.Sprint(week)))
				}
			}
		}
		writeFile(t, filepath.Join(dir, server+".jsonl"), text.String())
	}
	return dir
}

// TestPolicyExamples checks that the examples in Python and R with the rule of a built-in policy
// have its results to the last digit, in both protocols. Ten lines of Python find more than the
// intervals of [SAT].
func TestPolicyExamples(t *testing.T) {
	t.Parallel()
	dir := changing(t, 3, 60)
	results := func(t *testing.T, protocol string, policies ...string) string {
		args := []string{"eval", dir, "--quiet", "--json", "--protocol", protocol, "--weeks", "12",
			"--policy", strings.Join(policies, ",")}
		return recrawl(t, args...).ok(t).stdout
	}
	for name, language := range map[string]string{"oldest.py": "python3", "oldest.R": "Rscript"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needs(t, language)
			of := exampleOf(t, name)
			for _, protocol := range []string{"snapshot", "stream"} {
				want := results(t, protocol, "uniform")
				got := strings.ReplaceAll(results(t, protocol, of), of, "uniform")
				if got != want || !strings.Contains(want, `"fetched": `) {
					t.Errorf("%s: %s\nwant %s", protocol, got, want)
				}
			}
		})
	}
	t.Run("likely.py", func(t *testing.T) {
		t.Parallel()
		needs(t, "python3")
		text := strings.TrimSpace(readFile(t, "../../docs/reference/policies/likely.py"))
		if lines := len(strings.Split(text, "\n")); lines > 13 { // three of them before the work
			t.Errorf("%d lines", lines)
		}
		r := recrawl(t, "eval", changing(t, 4, 150), "--quiet", "--json", "--protocol", "stream",
			"--weeks", "40", "--budget", "5%", "--policy",
			"interval,"+exampleOf(t, "likely.py")).ok(t)
		of := decode[[]streamRun](t, r, true)[0].Results
		t.Logf("interval finds %.3f of the changes, likely.py %.3f", *of[0].Coverage,
			*of[1].Coverage)
		if !(*of[1].Coverage > *of[0].Coverage+0.01) {
			t.Error("it does not find more than interval by a hundredth")
		}
	})
}

// greets starts a shell program that answers the hello.
const greets = `read hello; echo '{"protocol": 1}'; `

// TestPolicySession checks the page about policy programs: a session is shown except for line
// breaks, and a call prints its output.
func TestPolicySession(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	dir := t.TempDir()
	examples := filepath.Join(dir, "docs", "reference", "policies")
	if err := os.CopyFS(examples, os.DirFS("../../docs/reference/policies")); err != nil {
		t.Fatal(err)
	}
	shipped, err := filepath.Abs("../../histories")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(shipped, filepath.Join(dir, "histories")); err != nil {
		t.Skip(err)
	}
	calls := 0
	for _, s := range walkOf(t, "../../docs/reference/policy-programs.md") {
		switch {
		case s.file != "":
			writeFile(t, filepath.Join(dir, s.file), s.text)
		case s.text != "":
			calls++
			r := recrawlIn(t, dir, nil, splitLine(s.call)...).ok(t)
			if !matchesPage(r.stdout, s.text) {
				t.Errorf("recrawl %s prints\n%s", s.call, r.stdout)
			}
		}
	}
	document := readFile(t, "../../docs/reference/policy-programs.md")
	_, session, _ := strings.Cut(document, "```session\n")
	session, _, _ = strings.Cut(session, "```")
	told := strings.Split(readFile(t, filepath.Join(dir, "told")), "\n")
	answered := strings.Split(readFile(t, filepath.Join(dir, "answered")), "\n")
	var want strings.Builder
	for i := range 3 {
		want.WriteString(">" + told[i] + "<" + answered[i])
	}
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if calls != 2 || bare(session) != bare(want.String()) {
		t.Errorf("%d calls; the session is\n%s", calls, want.String())
	}
}

// badPrograms are programs that fail, with the reports about each.
var badPrograms = map[string][2]string{
	"dies":    {"exit 3", "it ended"},
	"talks":   {"echo starting; cat >/dev/null", `its first answer is "starting"`},
	"hangs":   {greets + "exec sleep 1000", "did not answer within 300ms"},
	"half":    {greets + `read m; printf '{"visit": ['; exec sleep 1000`, "did not answer within"},
	"halfend": {greets + `read m; printf '{"visit": ['`, "it ended"},
	"lies":    {greets + `while read m; do echo '{"visit": [1000000]}'; done`, "was not offered"},
	"babbles": {greets + `while read m; do echo '{"visit": []}'; echo more; done`,
		"want a line as|wrote more than its answer"},
	"floods": {greets + "read m; exec tr '\\0' x </dev/zero", "its answer has more than 4194304 octets|it ended"},
	"large": {`read hello; echo '{"protocol": 1, "format": "binary"}'; exec tr '\0' '\177' </dev/zero`,
		"its answer has 2139062143 octets|it wrote more|it ended"},
	"deaf": {greets + "while :; do sleep 1; done", "did not answer within"},
}

// saysOne checks that the output has one of some texts.
func saysOne(t *testing.T, name, output, texts string) {
	t.Helper()
	for text := range strings.SplitSeq(texts, "|") {
		if strings.Contains(output, text) {
			return
		}
	}
	t.Errorf("%s: none of %q in\n%s", name, texts, output)
}

// TestPolicyProgramsThatFail checks that in an evaluation a failing program ends it, with an error
// that says what it did and what to do. Its standard error is shown before. No process remains.
func TestPolicyProgramsThatFail(t *testing.T) {
	t.Parallel()
	dir := changing(t, 1, 20)
	for name, of := range badPrograms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeFile(t, filepath.Join(t.TempDir(), name+".sh"),
				"#!/bin/sh\necho pid $$ >&2\n"+of[0]+"\n")
			r := recrawl(t, "eval", dir, "--protocol", "stream", "--weeks", "4", "--quiet",
				"--policy", "uniform,exec:sh "+path, "--policy-timeout", "300ms").exit(t, 1)
			if r.stdout != "" {
				t.Errorf("it printed %s", r.stdout)
			}
			saysOne(t, name, r.stderr, of[1])
			for _, text := range []string{"recrawl: error: policy exec:sh " + path + ", round ",
				"recrawl: hint: docs/reference/policy-programs.md", "sh: pid "} {
				saysOne(t, name, r.stderr, text)
			}
			_, after, _ := strings.Cut(r.stderr, "sh: pid ")
			pid, _, _ := strings.Cut(after, "\n")
			if _, err := os.Stat("/proc/self"); err == nil {
				if _, err := os.Stat("/proc/" + pid); err == nil {
					t.Errorf("process %s is still there", pid)
				}
			}
		})
	}
	for policy, words := range map[string][]string{
		"exec:./none-there.py": {"none-there.py", "chmod +x", "exec:python3 mine.py"},
		"exec:":                {"--policy exec:", "as exec:./mine.py"},
	} {
		recrawl(t, "eval", dir, "--policy", policy).refused(t, 2, words...)
	}
	recrawl(t, "eval", dir, "--protocol", "stream", "--policy", "exec:cat", "--least-value",
		"0.1").refused(t, 2, "tells what a visit is worth")
	data := filepath.Join(t.TempDir(), "data")
	recrawl(t, "run", "--data", data, "--user-agent", contact, "--policy", "exec:./none-there.py",
		"http://127.0.0.1/").refused(t, 2, "none-there.py", "chmod +x")
	if _, err := os.Stat(data); err == nil {
		t.Error("a crawl without its policy made a store")
	}
	for _, call := range [][]string{{"tune", dir}, {"demo"}} {
		recrawl(t, append(call, "--policy", "exec:cat")...).refused(t, 2,
			"a program decides in eval, run, node, plan, explain and serve")
	}
}

// TestPolicyProgramShouts checks the limit on a program's standard error.
func TestPolicyProgramShouts(t *testing.T) {
	t.Parallel()
	path := writeFile(t, filepath.Join(t.TempDir(), "shouts.sh"), "i=0; while [ $i -lt 3000 ]; do "+
		"printf '%02000d\\n' $i >&2; i=$((i+1)); done\n")
	r := recrawl(t, "eval", changing(t, 1, 20), "--protocol", "stream", "--weeks", "4", "--quiet",
		"--policy", "exec:sh "+path).exit(t, 1)
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	if len(lines) != 1003 || len(lines[999]) != len("sh: ")+1000 ||
		!strings.HasSuffix(lines[1000], "more lines than 1000 an hour are left out") {
		t.Errorf("%d lines: %.200q", len(lines), lines)
	}
}

// TestPolicyProgramsLive crawls with programs that fail: each round still has its visits, and the
// user is warned. A program that fails once decides again in the next round, also after a restart
// of the crawl.
func TestPolicyProgramsLive(t *testing.T) {
	t.Parallel()
	lab := serve(t, library(shelves{servers: 1, sections: 2, pages: 4, days: 1, every: still}))
	crawl := func(t *testing.T, dir, script, timeout string, rounds int, words ...string) (
		r result, reasons map[string]int) {
		path := writeFile(t, filepath.Join(dir, "policy.sh"), "#!/bin/sh\n"+script+"\n")
		args := append([]string{"run", "--data", filepath.Join(dir, "data"), "--delay", "1ms",
			"--user-agent", contact, "--allow-private", "--unlimited", "--round", "1s",
			"--rounds", fmt.Sprint(rounds), "--policy", "exec:sh " + path,
			"--policy-timeout", timeout}, lab.starts()...)
		began := time.Now()
		if r = recrawlIn(t, dir, nil, args...); r.code != 0 && r.code != 3 {
			r.ok(t)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%d rounds took %v", rounds, took)
		}
		for _, word := range words {
			saysOne(t, script, r.stderr, word)
		}
		reasons = map[string]int{}
		for _, e := range readJournal(t, filepath.Join(dir, "data")) {
			if e.Verdict != "first" {
				reasons[e.Reason]++
			}
		}
		return r, reasons
	}
	for name, of := range badPrograms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, reasons := crawl(t, t.TempDir(), of[0], "300ms", 4, of[1],
				"ebayes decides for the rest of the round")
			instead := 0
			for reason, visits := range reasons {
				if strings.Contains(reason, "revisits") {
					instead += visits
				}
				if strings.Contains(reason, "policy.sh") {
					t.Errorf("%d visits: %s", visits, reason)
				}
			}
			if instead < 10 {
				t.Errorf("ebayes made %d visits of %v", instead, reasons)
			}
		})
	}
	t.Run("recovers", func(t *testing.T) {
		t.Parallel()
		needs(t, "python3")
		_, path, _ := strings.Cut(exampleOf(t, "oldest.py"), ":")
		dir := t.TempDir()
		script := fmt.Sprintf("if [ ! -e %[1]s/failed ]; then touch %[1]s/failed; echo oh >&2; exit "+
			"1; fi; exec python3 %[2]s", dir, path)
		chosen := 0
		for run := range 2 {
			words := []string{"sh: oh", "it ended"}
			if run == 1 {
				words = nil
			}
			r, reasons := crawl(t, dir, script, "20s", 6, words...)
			now := reasons["chosen by sh "+filepath.Join(dir, "policy.sh")]
			if now < chosen+10 || run == 1 && strings.Contains(r.stderr, "warning") {
				t.Errorf("run %d: %d visits are the program's, %d before: %v\n%s", run, now, chosen,
					reasons, r.stderr)
			}
			chosen = now
		}
	})
}

// processors returns the processor time of this process and its ended children.
func processors(t testing.TB) (sum time.Duration) {
	t.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var used syscall.Rusage
		if err := syscall.Getrusage(who, &used); err != nil {
			t.Fatal(err)
		}
		sum += time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	return sum
}

// BenchmarkPolicyProgram compares the examples with uniform, the same rule in Go, on the stream
// protocol, by wall and processor time. Both are measured in turn, from the base to the last week,
// with the start of the process.
func BenchmarkPolicyProgram(b *testing.B) {
	servers, err := history.ReadFiles(b.Context(), []string{changing(b, 10, 1000)}, nil)
	if err != nil {
		b.Fatal(err)
	}
	corpus, err := eval.NewDataset(b.Context(), servers, eval.Options{Base: 12 * 7 * planner.Day,
		Programs: core.Programs()})
	if err != nil {
		b.Fatal(err)
	}
	for name, language := range map[string]string{"oldest.py": "python3", "oldest.R": "Rscript"} {
		b.Run(name, func(b *testing.B) {
			needs(b, language)
			var took, worked [2]time.Duration
			visits := 0
			for b.Loop() {
				for i, policy := range []string{"uniform", exampleOf(b, name)} {
					began, before := time.Now(), processors(b)
					run, err := corpus.Stream(b.Context(), eval.StreamOptions{Weeks: 40,
						Budget: 0.02, New: 0.25, Seed: 1}, []string{policy}, nil)
					if err != nil {
						b.Fatal(err)
					}
					took[i] += time.Since(began)
					worked[i] += processors(b) - before
					visits += run.Results[0].Fetched
				}
			}
			b.ReportMetric(took[1].Seconds()/took[0].Seconds(), "times-uniform")
			b.ReportMetric(worked[1].Seconds()/worked[0].Seconds(), "times-processor-time")
			b.ReportMetric(float64(visits)/2/took[1].Seconds(), "visits/s")
		})
	}
}

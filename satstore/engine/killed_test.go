package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/satstore/paper"
)

// Processes that are killed at random times do a workload of 100 units. The test compares them with
// a plan: the records that each unit visits, their states and messages, and at the end every
// record, due time and waiting message.

const (
	killedUnits    = 100
	killedMessages = 0.3  // before each unit, as a share of its due records
	killedLoad     = 1000 // records put by a transaction
)

// A test process with these variables is to be killed: the place of its store, the number of
// records, and the number of commits after which it stops working and waits.
const (
	killedDir     = "RECRAWL_KILLED_DIR"
	killedRecords = "RECRAWL_KILLED_RECORDS"
	killedLimit   = "RECRAWL_KILLED_LIMIT"
)

// killedOptions make every kind of write frequent: of log, runs, holes, index and segments.
func killedOptions() Options {
	return Options{Levels: HoursAndDays, BufferBytes: 256 << 10, PageBytes: 1024,
		PartBytes: 16 << 10, LogBytes: 128 << 10, MaxFiles: 60, GarbageBytes: 64 << 10}
}

func killedPlan(t *testing.T, records int) *paper.Plan {
	w, err := paper.NewWorkload(paper.WorkloadOptions{Records: records, Unit: paper.Hour,
		MaxUnits: 60})
	must(t, err)
	p, err := w.Plan(t.Context(), killedUnits)
	must(t, err)
	return p
}

// TestKilled makes 5 kills with 3000 records; with RECRAWL_LONG 200 kills with 20,000.
func TestKilled(t *testing.T) {
	kills, records := 5, 3000
	if long() {
		kills, records = 200, 20_000
	}
	rng := seeded(t)
	p := killedPlan(t, records)
	k := &killer{t: t, plan: p, applied: p.Applied(killedMessages),
		dir: filepath.Join(t.TempDir(), "store"),
		at:  map[int64]bool{}, pace: 20 * time.Millisecond, startup: 100 * time.Millisecond}
	all := killedUnits + records/killedLoad
	for i := range kills {
		// An even share of the commits, and a few more, so that the time stays random.
		limit := min(all*(i+1)/(kills+1)+3, all-1)
		k.run(limit, func() (early bool, wait time.Duration) {
			if i%3 == 0 {
				return true, time.Duration(rng.Int64N(int64(k.startup * 3 / 2)))
			}
			return false, time.Duration(rng.Int64N(int64(k.pace)))
		})
	}
	k.run(all, nil)
	if k.clock != killedUnits {
		t.Fatalf("the last process ended at unit %d", k.clock)
	}
	k.judge()
	t.Logf("%d units of %d records, %d visits, %d messages sent; %d kills: %d before the store "+
		"was open, %d while it was loaded, %d of processes that waited; the others at %d "+
		"different units; %d units were committed and not acknowledged",
		killedUnits, records, p.Total, k.sent, kills, k.early, k.loading, k.idle, len(k.at),
		k.unknown)
}

// killer starts and kills processes, and knows what they acknowledged.
type killer struct {
	t       *testing.T
	plan    *paper.Plan
	applied []int
	dir     string

	pace    time.Duration // longest time from opening the store to the kill
	startup time.Duration // time until it is open, as in the last process

	clock, loaded                       int64 // acknowledged
	early, loading, idle, unknown, sent int
	at                                  map[int64]bool // units at which processes were killed
}

// run starts a process and kills it at the time that when returns, after its start or after the
// opening of the store. Without when the process runs to its end.
func (k *killer) run(limit int, when func() (early bool, wait time.Duration)) {
	k.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledProcess$", "-test.v")
	cmd.Env = append(os.Environ(), killedDir+"="+k.dir, fmt.Sprintf("%s=%d",
		killedRecords, k.plan.Records), fmt.Sprintf("%s=%d", killedLimit, limit))
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	must(k.t, err)
	must(k.t, cmd.Start())
	began := time.Now()
	opened, killed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killed)
		if when == nil {
			return
		}
		early, wait := when()
		if !early {
			<-opened
			k.startup = time.Since(began)
		}
		time.Sleep(wait)
		_ = cmd.Process.Kill() // Wait reports a process that had ended
	}()
	before := k.clock + k.loaded
	isOpen, waits, said := k.listen(bufio.NewScanner(out), opened)
	<-killed
	err = cmd.Wait()
	if done := when == nil; done != (err == nil) {
		k.t.Fatalf("the process at unit %d ended with %v\n%s%s", k.clock, err, said, &problems)
	}
	switch {
	case when == nil:
		return
	case !isOpen:
		k.early++
	case waits:
		k.idle++
		k.pace = max(k.pace*3/4, 2*time.Millisecond)
	default:
		if k.loaded < int64(k.plan.Records) {
			k.loading++
		} else {
			k.at[k.clock] = true
		}
		if k.clock+k.loaded == before {
			k.pace = k.pace * 5 / 4
		}
	}
}

// listen reads what a process acknowledges, to its end, and returns its other output.
func (k *killer) listen(lines *bufio.Scanner, opened chan struct{}) (
	isOpen, waits bool, said []byte) {
	defer func() {
		if !isOpen {
			close(opened)
		}
	}()
	for lines.Scan() {
		var n, clock int64
		var count, applied int
		var sum uint64
		line := lines.Text()
		switch {
		case scans(line, "opened %d %d", &clock, &n):
			if clock < k.clock || clock > k.clock+1 || n < k.loaded || n > k.loaded+killedLoad {
				k.t.Errorf("opened at unit %d with %d records; acknowledged were %d and %d",
					clock, n, k.clock, k.loaded)
			}
			if clock > k.clock {
				k.unknown++
			}
			k.clock, k.loaded, isOpen = clock, n, true
			close(opened)
		case scans(line, "loaded %d", &n):
			k.loaded = n
		case scans(line, "unit %d %d %d %d", &clock, &count, &sum, &applied):
			if clock != k.clock+1 || count != len(k.plan.Due[clock]) || sum != k.plan.Sums[clock] ||
				applied != k.applied[clock] {
				k.t.Errorf("unit %d after %d: %d visits, sum %x, %d messages; the plan has "+
					"%d, %x, %d", clock, k.clock,
					count, sum, applied, len(k.plan.Due[clock]), k.plan.Sums[clock],
					k.applied[clock])
			}
			k.clock = clock
		case line == "waits":
			waits = true
		default:
			said = append(append(said, line...), '\n')
		}
	}
	return isOpen, waits, said
}

func scans(line, format string, args ...any) bool {
	n, err := fmt.Sscanf(line, format, args...)
	return err == nil && n == len(args)
}

// judge compares the store with the end of the plan.
func (k *killer) judge() {
	s := mustOpen(k.t, k.dir, Options{ReadOnly: true})
	defer s.Close()
	checkClean(k.t, s)
	waiting, priority := map[uint32][]uint16{}, map[uint32]uint16{}
	for u := 1; u <= killedUnits; u++ {
		for _, r := range k.plan.Requests(u, killedMessages) {
			k.sent++
			waiting[r.Number] = append(waiting[r.Number], r.Priority)
		}
		for _, i := range k.plan.Due[u] {
			if list := waiting[i]; len(list) > 0 {
				priority[i] = list[len(list)-1]
				delete(waiting, i)
			}
		}
	}
	var body, want []byte
	wrong := 0
	for i := range uint32(k.plan.Records) {
		var due int64
		var ok bool
		var err error
		body, due, ok, err = s.Load(i, body[:0])
		must(k.t, err)
		var next int
		want, next = k.plan.AppendAt(want[:0], i, killedUnits+1)
		if p, ok := priority[i]; ok {
			k.plan.SetPriority(want, p)
		}
		list, err := s.Messages(i)
		must(k.t, err)
		same := len(list) == len(waiting[i])
		for n := range min(len(list), len(waiting[i])) {
			same = same && binary.LittleEndian.Uint16(list[n]) == waiting[i][n]
		}
		if !ok || due != int64(next) || !bytes.Equal(body, want) || !same {
			if wrong++; wrong <= 10 {
				k.t.Errorf("record %d: there: %v, due %d, want %d, body as planned: %v, %d "+
					"messages wait, want %d", i, ok, due, next,
					bytes.Equal(body, want), len(list), len(waiting[i]))
			}
		}
	}
	if s.Len() != k.plan.Records || wrong > 0 {
		k.t.Errorf("%d records, want %d; %d are wrong", s.Len(), k.plan.Records, wrong)
	}
}

// TestKilledProcess is the process of TestKilled: it continues the workload from the state of the
// store, and prints a line for each commit that returned.
func TestKilledProcess(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		t.Skip("TestKilled starts it")
	}
	var records, limit int
	if !scans(os.Getenv(killedRecords), "%d", &records) || !scans(os.Getenv(killedLimit), "%d",
		&limit) {
		t.Fatalf("no numbers in %s and %s", killedRecords, killedLimit)
	}
	p := killedPlan(t, records)
	s, err := Open(dir, killedOptions())
	must(t, err)
	waitAt := func(commits int) {
		if commits >= limit && limit < killedUnits+records/killedLoad {
			fmt.Println("waits")
			time.Sleep(time.Minute)
			t.Fatal("nobody killed it")
		}
	}
	fmt.Printf("\nopened %d %d\n", s.Clock(), s.Next())
	var body []byte
	for i := s.Next(); i < uint32(records); {
		waitAt(int(i) / killedLoad)
		for range killedLoad {
			body = p.AppendTo(body[:0], i)
			must(t, s.Put(i, int64(p.First(i)), body))
			i++
		}
		must(t, s.Commit())
		fmt.Printf("loaded %d\n", i)
	}
	for u := s.Clock() + 1; u <= killedUnits; u++ {
		waitAt(records/killedLoad + int(u) - 1)
		for _, r := range p.Requests(int(u), killedMessages) {
			must(t, s.Message(r.Number, binary.LittleEndian.AppendUint16(nil, r.Priority)))
		}
		var count, applied int
		var sum uint64
		must(t, s.Advance(u, func(r *Record) (int64, []byte) {
			for _, m := range r.Messages {
				p.SetPriority(r.Body, binary.LittleEndian.Uint16(m))
			}
			next, drawn := p.Visit(r.Body, int(u))
			count++
			sum += drawn
			applied += len(r.Messages)
			return int64(next), r.Body
		}))
		must(t, s.Commit())
		fmt.Printf("unit %d %d %d %d\n", u, count, sum, applied)
	}
	must(t, s.Close())
}

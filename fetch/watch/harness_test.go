package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// disk keeps settings like a store: a crash loses what was not committed.
type disk struct {
	committed, staged map[string][]byte
	operations        int
	crashAt           int // this operation and all later ones fail; 0: none
}

var errCrash = errors.New("the process died")

func newDisk() *disk { return &disk{committed: map[string][]byte{}, staged: map[string][]byte{}} }

func (d *disk) operate() error {
	if d.operations++; d.crashAt > 0 && d.operations >= d.crashAt {
		return errCrash
	}
	return nil
}

func (d *disk) SaveSetting(name string, value []byte) error {
	d.staged[name] = append([]byte{}, value...)
	return d.operate()
}

func (d *disk) Commit() error {
	if err := d.operate(); err != nil {
		return err
	}
	maps.Copy(d.committed, d.staged)
	clear(d.staged)
	return nil
}

func (d *disk) Setting(name string) ([]byte, bool, error) {
	if v, ok := d.staged[name]; ok {
		return v, true, nil
	}
	v, ok := d.committed[name]
	return v, ok, nil
}

// crash drops what was not committed.
func (d *disk) crash() { clear(d.staged); d.crashAt = 0 }

// mailbox receives messages, unless it is closed.
type mailbox struct {
	messages []*Message
	closed   bool
	asked    int
}

func (b *mailbox) Send(_ context.Context, m *Message) error {
	b.asked++
	if b.closed {
		return errors.New("closed")
	}
	b.messages = append(b.messages, m)
	return nil
}

// stage is a watch with invented visits, in a bubble of synctest.
type stage struct {
	t     *testing.T
	rules string
	*Watch
	disk  *disk
	box   *mailbox
	warns []string
	last  map[string]time.Time
	fails map[string]int
	known map[string]bool
}

func newStage(t *testing.T, rules string) *stage {
	s := &stage{t: t, rules: rules, disk: newDisk(), box: &mailbox{}, last: map[string]time.Time{},
		fails: map[string]int{}, known: map[string]bool{}}
	s.open()
	return s
}

func (s *stage) open() {
	s.t.Helper()
	file, err := parse([]byte(s.rules))
	if err != nil {
		s.t.Fatal(err)
	}
	senders := map[string]Sender{}
	for _, name := range file.Names() {
		senders[name] = s.box
	}
	s.Watch, err = Open(Options{File: file, Senders: senders, Setting: s.disk.Setting,
		Warn: func(text string) { s.warns = append(s.warns, text) }})
	if err != nil {
		s.t.Fatal(err)
	}
}

// visit makes a visit to a page with a text, and commits.
func (s *stage) visit(url, text string, named ...string) error {
	verdict := sitegraph.VerdictChanged
	if !s.known[url] {
		verdict = sitegraph.VerdictFirst
	}
	s.known[url] = true
	texts := make([]string, len(s.o.File.Texts(url)))
	for i := range texts {
		texts[i] = text
	}
	return s.sees(url, sitegraph.Observation{Outcome: sitegraph.OutcomeFetched, Status: 200,
		Watched: &sitegraph.Watched{Title: "Title of " + url[strings.LastIndexByte(url, '/'):],
			Texts: texts}}, verdict, named...)
}

func (s *stage) sees(url string, o sitegraph.Observation, verdict sitegraph.Verdict,
	named ...string) error {
	o.URL, o.Time = url, time.Now()
	s.fails[url]++
	if o.Outcome != sitegraph.OutcomeFailed {
		s.fails[url] = 0
	}
	s.See(&Visit{URL: url, Observation: &o, Verdict: verdict, Errors: s.fails[url],
		Before: s.last[url], Named: named})
	if o.Outcome == sitegraph.OutcomeFetched {
		s.last[url] = o.Time
	}
	if err := s.Keep(s.disk.SaveSetting); err != nil {
		return err
	}
	return s.disk.Commit()
}

func (s *stage) fail(url string) error {
	return s.sees(url, sitegraph.Observation{Outcome: sitegraph.OutcomeFailed,
		Detail: "connection refused"}, sitegraph.VerdictUnknown)
}

// pass lets time pass: a step each ten seconds for a minute, and then one at the end.
func (s *stage) pass(d time.Duration) error {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(10*time.Second, time.Until(end)))
		if time.Until(end) > 2*time.Minute && len(s.busy) == 0 && len(s.batches) == 0 &&
			len(s.outbox.values) == 0 {
			time.Sleep(time.Until(end) - 2*time.Minute)
		}
		if err := s.Step(time.Now(), s.disk); err != nil {
			return err
		}
		synctest.Wait()
	}
	return s.Step(time.Now(), s.disk)
}

// told returns the subjects of the messages since the last call.
func (s *stage) told() string {
	var subjects []string
	for _, m := range s.box.messages {
		subjects = append(subjects, m.Subject)
	}
	s.box.messages = nil
	return strings.Join(subjects, "\n")
}

// must ends the test on an error.
func (s *stage) must(errs ...error) {
	s.t.Helper()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) expect(what, subjects string) {
	s.t.Helper()
	s.must(s.pass(5 * time.Minute))
	if got := s.told(); got != subjects {
		s.t.Errorf("%s: told %q, want %q", what, got, subjects)
	}
}

const example = "https://example.com/docs/"

func page(i int) string { return fmt.Sprintf("%s%d", example, i) }

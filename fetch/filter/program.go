package filter

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// mostProcesses of a program.
const mostProcesses = 64

const (
	mostSaid   = 2 << 10 // octets of standard error in messages
	endWithin  = 2 * time.Second
	FirstPause = time.Second
	lastPause  = time.Minute
)

// Program asks processes of the user's command: each gets a line on standard input and answers with
// a line on standard output. Frames of bytes with their length can replace lines. Goroutines may
// share it.
//
// If a process takes too long, ends or gives an unreadable answer, its process group is killed. It
// starts again after a pause, which doubles from a second to a minute while it fails. Close ends
// the processes: it closes their standard input, and kills those that do not end within two
// seconds.
type Program struct {
	o ProgramOptions
	// free holds the idle processes; a nil one must be started.
	free chan *process

	mu       sync.Mutex
	failures int       // failures in a row
	rests    time.Time // end of the pause
}

// ProgramOptions configure a Program.
type ProgramOptions struct {
	Command   []string      // with its arguments
	Timeout   time.Duration // for an answer
	Processes int           // 0: one
	Most      int           // octets of an answer
	// Environment adds variables to access.EnvironmentWithoutSecrets, in its form.
	Environment []string
	// Said gets the standard error of the processes; if nil, errors contain the end of it.
	Said io.Writer
}

// ErrProgramPaused is the error during the pause after a failure.
var ErrProgramPaused = errors.New("it failed a moment ago")

// OpenProgram looks for the command, without starting it.
func OpenProgram(o ProgramOptions) (*Program, error) {
	if o.Processes < 0 || o.Processes > mostProcesses {
		return nil, fmt.Errorf("processes: want 1 to %d", mostProcesses)
	}
	if _, err := exec.LookPath(o.Command[0]); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	p := &Program{o: o, free: make(chan *process, max(o.Processes, 1))}
	for range cap(p.free) {
		p.free <- nil
	}
	return p, nil
}

// Ask sends a line, which has no end yet, to an idle process, and passes its answer to parse. The
// time-out starts when a process is free. If it takes longer, ends, or parse returns an error, its
// process group is killed, and another one starts after a pause.
func (p *Program) Ask(ctx context.Context, line []byte, parse func(answer []byte) error) error {
	return p.exchange(ctx, append(line, '\n'), (*process).readLine, parse)
}

// AskFramed is Ask for bytes. Four bytes with the length, little-endian, come before message and
// answer.
func (p *Program) AskFramed(ctx context.Context, message []byte,
	parse func(answer []byte) error) error {
	framed := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(message)),
		uint32(len(message)))
	return p.exchange(ctx, append(framed, message...), (*process).readFrame, parse)
}

func (p *Program) exchange(ctx context.Context, message []byte,
	read func(*process) ([]byte, error), parse func(answer []byte) error) (err error) {
	var with *process
	select {
	case with = <-p.free:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { p.free <- with }()
	if with == nil {
		if with, err = p.begin(); err != nil {
			return err
		}
	}
	limited, cancel := context.WithTimeout(ctx, p.o.Timeout)
	defer cancel()
	answer, err := with.ask(limited, message, read)
	if err == nil {
		err = parse(answer)
	}
	switch {
	case err == nil:
		p.went(true)
		return nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = fmt.Errorf("%s did not answer within %s", p.o.Command[0],
			words.Duration(p.o.Timeout))
	default:
		err = fmt.Errorf("%s: %w", p.o.Command[0], err)
	}
	said := with.kill()
	with = nil
	if ctx.Err() == nil {
		p.went(false)
		if said != "" {
			err = fmt.Errorf("%w; it says: %s", err, said)
		}
	}
	return err
}

// went notes the result for a page, and when a process may start again.
func (p *Program) went(well bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if well {
		p.failures = 0
		return
	}
	pause := lastPause
	if p.failures < 6 { // a second doubled so often exceeds the limit
		pause = FirstPause << p.failures
	}
	p.failures++
	p.rests = time.Now().Add(pause)
}

// begin starts a process, unless one has just failed.
func (p *Program) begin() (*process, error) {
	p.mu.Lock()
	wait := time.Until(p.rests)
	p.mu.Unlock()
	if wait > 0 {
		return nil, fmt.Errorf("%s: %w, and is begun again in %v",
			p.o.Command[0], ErrProgramPaused, wait.Round(time.Second))
	}
	one := &process{cmd: exec.Command(p.o.Command[0], p.o.Command[1:]...), said: &tail{}}
	one.cmd.Stderr = one.said
	if p.o.Said != nil {
		one.cmd.Stderr = p.o.Said
	}
	one.cmd.Env = access.EnvironmentWithoutSecrets(p.o.Environment...)
	one.cmd.WaitDelay = endWithin
	ownGroup(one.cmd)
	in, err := one.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := one.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	one.in, one.pipe, one.out = in, out, bufio.NewReaderSize(out, p.o.Most)
	if err := one.cmd.Start(); err != nil {
		p.went(false)
		return nil, err
	}
	return one, nil
}

// Close ends the processes when they are idle.
func (p *Program) Close() (err error) {
	for range cap(p.free) {
		if one := <-p.free; one != nil {
			err = errors.Join(err, one.end())
		}
	}
	for range cap(p.free) {
		p.free <- nil
	}
	return err
}

// process is a process of a command. It judges one page at a time.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	pipe io.Closer // closes out
	out  *bufio.Reader
	said *tail
}

// ask sends a message and reads the answer. After an error the caller must kill the process.
func (p *process) ask(ctx context.Context, message []byte,
	read func(*process) ([]byte, error)) ([]byte, error) {
	type result struct {
		answer []byte
		err    error
	}
	done := make(chan result, 1)
	go func() {
		if more, _ := p.out.Peek(p.out.Buffered()); len(more) > 0 {
			done <- result{nil, fmt.Errorf("it wrote more than its answer: %.80q", more)}
			return
		}
		if _, err := p.in.Write(message); err != nil {
			done <- result{nil, p.ended(err)}
			return
		}
		answer, err := read(p)
		done <- result{answer, p.ended(err)}
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-ctx.Done():
		// Both end what the goroutine waits for, also if another process holds the pipes.
		killGroup(p.cmd)
		p.in.Close()
		p.pipe.Close()
		<-done
		return nil, ctx.Err()
	}
}

// ended returns the meaning of the end of a pipe.
func (p *process) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) {
		return errors.New("it ended")
	}
	return err
}

// readLine reads a line, valid until the next call.
func (p *process) readLine() ([]byte, error) {
	answer, err := p.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		err = fmt.Errorf("its answer has more than %d octets", p.out.Size())
	}
	return answer, err
}

// readFrame reads a length and as many bytes.
func (p *process) readFrame() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(p.out, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > uint32(p.out.Size()) {
		return nil, fmt.Errorf("its answer has %d octets, more than %d", n, p.out.Size())
	}
	answer := make([]byte, n)
	_, err := io.ReadFull(p.out, answer)
	return answer, err
}

// kill ends the process, and returns the end of its standard error.
func (p *process) kill() (said string) {
	p.in.Close()
	killGroup(p.cmd)
	p.cmd.Wait() // the error only says that it was killed
	return p.said.text()
}

// end lets the process end, and kills it if it does not.
func (p *process) end() error {
	p.in.Close()
	timer := time.AfterFunc(endWithin, func() { killGroup(p.cmd) })
	defer timer.Stop()
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("end %s: %w", p.cmd.Path, err)
	}
	return nil
}

// tail keeps the end of what is written.
type tail struct {
	mu  sync.Mutex
	end []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	t.end = t.end[max(len(t.end)-mostSaid, 0):]
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.TrimSpace(string(t.end))), "")
}

package core

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns a terminal of so many columns, and what reads the text written to it.
func terminal(t *testing.T, columns uint16) (tty *os.File, written func() string) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { control.Close() })
	fd := int(control.Fd())
	err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	number, numberErr := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil || numberErr != nil {
		t.Fatal(err, numberErr)
	}
	tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return tty, func() string {
		tty.Close()
		text, _ := io.ReadAll(control) // its end is an error of Linux
		return strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

// Messages are broken at blanks on a terminal, and a call that they show can be copied. In a pipe
// each is one line.
func TestMessagesFitTheTerminal(t *testing.T) {
	const want = `recrawl: error: no data directory given: --data says where
  the planner's store is
recrawl: error: no user agent given: --user-agent names a
  contact, site owners must be able to reach you
recrawl: hint: for example:
  recrawl run --data crawl \
    --user-agent "mybot/1.0 (+https://example.org/bot)" URL...
recrawl: warning: the contact
  "one two three four five six seven eight nine ten eleven"
  stays whole,
  http://h.example/a-long-address-that-has-no-blank-to-break-at
  too
`
	say := func(w io.Writer) {
		p := &Program{args: []string{"run"}, stdout: io.Discard, stderr: w}
		if code := p.execute(t.Context(), (*Program).rootCommand); code != ExitMisuse {
			t.Errorf("exit code %d", code)
		}
		p.Warn(`the contact "one two three four five six seven eight nine ten eleven" stays ` +
			"whole, http://h.example/a-long-address-that-has-no-blank-to-break-at too")
	}
	tty, written := terminal(t, 62)
	say(tty)
	if got := written(); got != want {
		t.Errorf("on a terminal:\n%s\nwant:\n%s", got, want)
	}
	var pipe strings.Builder
	t.Setenv("COLUMNS", "62")
	say(&pipe)
	if got := pipe.String(); strings.Count(got, "\n") != 4 ||
		!strings.Contains(got, "hint: for example: recrawl run --data crawl --user-agent ") {
		t.Errorf("in a pipe:\n%s", got)
	}
}

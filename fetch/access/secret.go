package access

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"syscall"
)

// UnsafeError refuses a secret in a file that others can read or write.
type UnsafeError struct {
	File string
	Mode os.FileMode
}

func (e *UnsafeError) Error() string {
	return fmt.Sprintf("group or others may use the file %s (mode %04o)", e.File, e.Mode.Perm())
}

// Hint returns what to do.
func (e *UnsafeError) Hint() string { return "let nobody else use it: chmod 600 " + e.File }

// ReadSecret returns the content of a file of at most most bytes that only its owner may use. A
// group may read a file of root, because root gives keys to services so. It checks the open file,
// so that nobody can exchange it in between. The error is an UnsafeError if others may use the
// file, and never shows the content.
func ReadSecret(name string, most int) ([]byte, error) {
	// a pipe without a writer must not block
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	is, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !is.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case is.Mode().Perm()&others(is) != 0:
		return nil, &UnsafeError{name, is.Mode()}
	}
	text, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than %d octets", name, most)
	}
	return text, err
}

// others returns the permissions that a file must not have.
func others(is os.FileInfo) os.FileMode {
	const all, butGroupReads = 0o077, 0o037
	if owner, ok := is.Sys().(*syscall.Stat_t); ok && owner.Uid == 0 && os.Geteuid() != 0 {
		return butGroupReads
	}
	return all
}

// leastToken and mostToken limit a token, in bytes.
const (
	leastToken = 16
	mostToken  = 1024
)

// Token returns the only word in a file, which ReadSecret reads.
func Token(name string) (string, error) {
	text, err := ReadSecret(name, 2*mostToken)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	if text = bytes.TrimSpace(text); len(text) < leastToken || len(text) > mostToken ||
		bytes.ContainsAny(text, " \t\r\n") {
		return "", fmt.Errorf("%s has no token: want one word of %d to %d bytes", name, leastToken,
			mostToken)
	}
	return string(text), nil
}

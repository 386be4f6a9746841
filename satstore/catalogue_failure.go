package satstore

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// die makes the catalogue fail: the first error wins.
func (c *catalogue) die(err error) {
	c.once.Do(func() {
		c.cause = err
		close(c.dead)
	})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// halt makes the catalogue fail for good. Pebble keeps what it holds, and is never called again,
// not even to be closed.
func (c *catalogue) halt(err error) {
	c.die(err)
	c.haltMu.Lock()
	defer c.haltMu.Unlock()
	if !isClosed(c.halted) {
		close(c.halted)
	}
}

// Infof, Errorf and Fatalf make the catalogue Pebble's logger. Only Fatalf matters: if Pebble
// cannot write its manifest, it calls Fatalf to end the process. Fatalf ends only the calling
// goroutine, which is one of Pebble's or the one of finish, and makes the store fail.
func (c *catalogue) Infof(string, ...any)  {}
func (c *catalogue) Errorf(string, ...any) {}
func (c *catalogue) Fatalf(format string, args ...any) {
	err := fmt.Errorf("catalogue: "+format, args...)
	for _, a := range args {
		if cause, ok := a.(error); ok { // keep it for errors.Is
			err = fmt.Errorf("catalogue: %w", c.explain(cause))
		}
	}
	c.halt(err)
	runtime.Goexit()
}

// explain converts Pebble's error about a damaged or missing file to a *DamageError.
func (c *catalogue) explain(err error) error {
	var damage *DamageError
	if err == nil || errors.As(err, &damage) {
		return err
	}
	if pebble.IsCorruptionError(err) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, pebble.ErrDBDoesNotExist) {
		return c.damage(err)
	}
	return err
}

// damage names the damaged file, in one line.
func (c *catalogue) damage(err error) *DamageError {
	d := &DamageError{Path: c.dir, What: "catalogue"}
	var path *fs.PathError
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		d.Path, err = info.Path, info.Details // without the decoration
	} else if errors.As(err, &path) {
		d.Path = path.Path
	}
	d.Cause = oneLine{err}
	d.Offset = blockOffset(err)
	return d
}

// blockOffset finds the start of the damaged block in Pebble's message ("... block 4656/770: ...");
// 0 if there is none.
func blockOffset(err error) (offset int64) {
	if _, after, ok := strings.Cut(err.Error(), ": block "); ok {
		_, _ = fmt.Sscanf(after, "%d/", &offset) // 0 if it is none
	}
	return max(offset, 0)
}

// oneLine is an error whose message is cut to one line.
type oneLine struct{ error }

func (e oneLine) Error() string {
	return strings.Join(
		strings.FieldsFunc(e.error.Error(), func(r rune) bool { return r == '\n' || r == '\r' }),
		"; ",
	)
}
func (e oneLine) Unwrap() error { return e.error }

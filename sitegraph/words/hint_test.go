package words

import (
	"errors"
	"fmt"
	"testing"
)

type mistake struct{}

func (mistake) Error() string { return "wrong line; mend it" }
func (mistake) Hint() string  { return "mend it" }

// WithoutHint returns the short text.
func (mistake) WithoutHint() error { return errors.New("wrong line") }

// The outermost error with a hint decides. Without an exit code, the error counts as misuse.
func TestHintOf(t *testing.T) {
	full := errors.New("disk full")
	hinted := Hint(full, "make room", ExitFailed)
	for _, c := range []struct {
		err  error
		hint string
		code int
		text string
	}{
		{full, "", ExitFailed, "disk full"},
		{hinted, "make room", ExitFailed, "disk full"},
		{fmt.Errorf("save: %w", hinted), "make room", ExitFailed, "save: disk full"},
		{Hint(hinted, "buy another", ExitDamaged), "buy another", ExitDamaged, "disk full"},
		{fmt.Errorf("read: %w", mistake{}), "mend it", ExitMisuse, "wrong line"},
	} {
		hint, code, cause := HintOf(c.err)
		if hint != c.hint || code != c.code || cause.Error() != c.text {
			t.Errorf("%v: hint %q, code %d, text %q", c.err, hint, code, cause)
		}
	}
	if !errors.Is(hinted, full) {
		t.Error("an error with a hint hides its cause")
	}
}

package access_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/recrawl/recrawl/fetch/access"
)

func TestToken(t *testing.T) {
	const word = "0123456789abcdef"
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		want       string // of the error; "": none
	}{
		{"its owner's", word + "\n", 0o600, ""},
		{"read only", word, 0o400, ""},
		{"group reads", word, 0o640, "mode 0640"},
		{"others read", word, 0o604, "mode 0604"},
		{"all read", word, 0o644, "mode 0644"},
		{"others write", word, 0o602, "mode 0602"},
		{"group writes", word, 0o620, "mode 0620"},
		{"short", word[1:], 0o600, "no token"},
		{"long", strings.Repeat("a", 1025), 0o600, "no token"},
		{"larger", strings.Repeat("\n", 3000), 0o600, "larger"},
		{"two words", word + " " + word, 0o600, "no token"},
	} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		token, err := access.Token(file)
		if c.want == "" {
			if err != nil || token != word {
				t.Errorf("%s: %q, %v", c.name, token, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || token != "" ||
			strings.Contains(err.Error(), word[1:]) {
			t.Errorf("%s: %q, %v", c.name, token, err)
		}
		if unsafe := (*access.UnsafeError)(nil); errors.As(err, &unsafe) !=
			strings.HasPrefix(c.want, "mode") {
			t.Errorf("%s: %T", c.name, err)
		}
	}
}

func TestReadOfNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, filepath.Dir(pipe)} {
		if _, err := access.ReadSecret(name, 100); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("PATH", "/bin")
	t.Setenv("TZ", "UTC")
	t.Setenv("RECRAWL_TOKEN", "geheim")
	t.Setenv("MODEL", "small")
	got := access.EnvironmentWithoutSecrets("MODEL", "SIZE=3", "ABSENT")
	for _, want := range []string{"PATH=/bin", "TZ=UTC", "MODEL=small", "SIZE=3"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in %v", want, got)
		}
	}
	if text := strings.Join(got, " "); strings.Contains(text, "geheim") ||
		strings.Contains(text, "ABSENT") {
		t.Error(text)
	}
	if access.EnvironmentWithoutSecrets() == nil {
		t.Error("nil is all variables")
	}
}

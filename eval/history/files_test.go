package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, server string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(`{"url":"http://`+server+`/","t":1,"digest":"`+d1+`"}`),
			0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("1.jsonl", "c.example")
	write("2.jsonl.gz", "a.example")
	write("notes.txt", "x.example")
	outside := write("other", "b.example")
	var steps []int
	servers, err := ReadFiles(context.Background(), []string{dir, outside}, func(done, total int) {
		if total != 3 {
			t.Errorf("total is %d", total)
		}
		steps = append(steps, done)
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "a.example b.example c.example" {
		t.Errorf("servers %s", got)
	}
	if len(steps) != 3 || steps[0] != 1 || steps[2] != 3 {
		t.Errorf("progress %v", steps)
	}

	if _, err := ReadFiles(context.Background(), []string{outside, dir, outside},
		nil); err == nil || !strings.Contains(err.Error(), "both of the server b.example") {
		t.Errorf("one server twice: %v", err)
	}
	if _, err := ReadFiles(context.Background(), []string{t.TempDir()}, nil); err == nil ||
		!strings.Contains(err.Error(), "no files") {
		t.Errorf("empty directory: %v", err)
	}
	if _, err := ReadFiles(context.Background(), nil, nil); err == nil {
		t.Error("no paths are no error")
	}
	if _, err := ReadFiles(context.Background(), []string{filepath.Join(dir, "none")},
		nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReadFiles(ctx, []string{dir}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "3.jsonl"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := ReadFiles(context.Background(), []string{dir}, nil); !errors.As(err, &e) ||
		e.Line != 1 || e.File != filepath.Join(dir, "3.jsonl") {
		t.Errorf("bad file: %v", err)
	}
}

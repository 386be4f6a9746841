package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/recrawl/recrawl/satstore/machine"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// ReadFiles reads the histories at these paths: files of any name, and the files *.jsonl.gz and
// *.jsonl in directories, without subdirectories. Servers are sorted by name. It is an error if
// there are none, or if two files have the same server. Files are read in parallel; the first error
// in order of paths is returned. progress, if not nil, is called after each file, by one goroutine
// at a time.
func ReadFiles(ctx context.Context, paths []string, progress func(done, total int)) (
	[]*Server, error) {
	files, err := listFiles(paths)
	if err != nil {
		return nil, err
	}
	servers := make([]*Server, len(files))
	errs := make([]error, len(files))
	var mu sync.Mutex
	done := 0
	machine.EachOnCores(len(files), func(k int) {
		i := files[k].place
		if errs[i] = ctx.Err(); errs[i] == nil {
			servers[i], errs[i] = readFile(files[k].path)
		}
		mu.Lock()
		defer mu.Unlock()
		if done++; progress != nil {
			progress(done, len(files))
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(
		files,
		func(a, b file) int {
			return strings.Compare(servers[a.place].Name,
				servers[b.place].Name)
		},
	)
	sorted := make([]*Server, len(files))
	for k, f := range files {
		sorted[k] = servers[f.place]
		if k > 0 && sorted[k-1].Name == sorted[k].Name {
			return nil, words.Hint(fmt.Errorf(
				"read histories: %s and %s are both of the server %s; give one of them",
				files[k-1].path, f.path, sorted[k].Name), nameFiles, words.ExitFailed)
		}
	}
	return sorted, nil
}

type file struct {
	path  string
	bytes int64
	place int // in order of paths
}

const nameFiles = "name files of one server each, or directories with files *.jsonl.gz or *.jsonl"

// listFiles returns the files, the largest first: a large one started last would keep one core busy
// alone.
func listFiles(paths []string) ([]file, error) {
	var files []file
	add := func(path string, info fs.FileInfo) {
		files = append(files, file{path: path, bytes: info.Size(), place: len(files)})
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("read histories: %w", err)
		}
		if !info.IsDir() {
			add(path, info)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("read histories: %w", err)
		}
		for _, entry := range entries {
			name := entry.Name()
			if entry.IsDir() || !strings.HasSuffix(name, ".jsonl.gz") &&
				!strings.HasSuffix(name, ".jsonl") {
				continue
			}
			inside := filepath.Join(path, name)
			if info, err = os.Stat(inside); err != nil { // follows links, like opening
				return nil, fmt.Errorf("read histories: %w", err)
			}
			add(inside, info)
		}
	}
	if len(files) == 0 {
		return nil, words.Hint(fmt.Errorf("read histories: no files *.jsonl.gz or *.jsonl in %s",
			strings.Join(paths, ", ")), nameFiles, words.ExitFailed)
	}
	slices.SortStableFunc(files, func(a, b file) int { return cmp.Compare(b.bytes, a.bytes) })
	return files, nil
}

// FileOf returns the file in a directory that is named after the server, or else path itself. So
// for one server the whole directory need not be read.
func FileOf(path, server string) string {
	if filepath.Base(server) != server {
		return path
	}
	for _, ending := range []string{".jsonl.gz", ".jsonl"} {
		file := filepath.Join(path, server+ending)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return path // reading it returns the error
		}
	}
	return path
}

func readFile(path string) (*Server, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	defer f.Close()
	return Read(f, path)
}

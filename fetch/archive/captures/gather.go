package captures

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/fetch/archive"
)

// Sources are the files to read; the first one is open.
type Sources struct {
	paths  []string
	format Format
	first  *Input
}

// NewSources opens files, the WARC files of directories, or standard input for "-" or no path. A
// format other than "" holds for all.
func NewSources(paths []string, format Format) (*Sources, error) {
	s := &Sources{format: format}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			s.paths = append(s.paths, path) // Open reports a missing file
			continue
		}
		names, err := archive.Names(path)
		if err == nil && len(names) == 0 {
			err = archive.ErrNoFiles
		}
		if err != nil {
			return nil, fmt.Errorf("import %s: %w", path, err)
		}
		s.paths = append(s.paths, names...)
	}
	if len(paths) == 0 {
		s.paths = []string{"-"}
	}
	var err error
	s.first, err = Open(s.paths[0], format)
	return s, err
}

// List returns the input if it is a single list of URLs, or nil.
func (s *Sources) List() *Input {
	if len(s.paths) > 1 || s.first.Format != List {
		return nil
	}
	return s.first
}

// Close closes the open file.
func (s *Sources) Close() error { return s.first.Close() }

// Gather reads all files into a sorter in a directory, with this many octets of memory. The caller
// closes the sorter. progress gets the number of files read; it may be nil.
func (s *Sources) Gather(ctx context.Context, o Options, dir string, memory int,
	progress func(done, files int)) (sorter *Sorter, files []*File, err error) {
	if sorter, err = NewSorter(dir, memory); err != nil {
		return nil, nil, err
	}
	for i, path := range s.paths {
		in := s.first
		if i > 0 {
			if in, err = Open(path, s.format); err != nil {
				break
			}
		}
		if progress != nil {
			progress(i, len(s.paths))
		}
		var f *File
		f, err = Read(ctx, in, o, sorter.Add)
		if i > 0 {
			err = errors.Join(err, in.Close())
		}
		if err != nil {
			break
		}
		files = append(files, f)
	}
	if err != nil {
		return nil, nil, errors.Join(err, sorter.Close())
	}
	return sorter, files, nil
}

package captures

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/recrawl/recrawl/fetch/archive"
)

// Sources are files to be read, of which the first is open.
type Sources struct {
	paths  []string
	format Format
	first  *Input
}

// NewSources looks at what is to be read: files, directories, of which the WARC files are taken, or
// standard input for "-" or no path at all. A format that is not "" holds for all.
func NewSources(paths []string, format Format) (*Sources, error) {
	s := &Sources{format: format}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			s.paths = append(s.paths, path) // what is missing is told by Open
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

// List is the input if it is one list of addresses, else nil.
func (s *Sources) List() *Input {
	if len(s.paths) > 1 || s.first.Format != List {
		return nil
	}
	return s.first
}

// Close closes the file that is open.
func (s *Sources) Close() error { return s.first.Close() }

// Gather reads all files into a sorter in a directory, which takes so many octets of memory. The
// caller closes it. progress is told how many files are read; it may be nil.
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

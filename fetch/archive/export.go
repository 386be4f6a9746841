package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/satstore/directory"
)

// StandardOutput as a path means To.Out.
const StandardOutput = "-"

// ExportTo selects the results. An empty path is not made.
type ExportTo struct {
	Out      io.Writer // destination for a path of Stream: at most one of the three
	WARC     string    // directory for the WARC files
	CDXJ     string    // file for the index
	WACZ     string    // file
	Force    bool      // replace existing files
	Software string    // writer of the WACZ
	Created  string    // time of creation for the WACZ, RFC 3339
}

// Exported is the result of Export.
type Exported struct {
	Files    int      `json:"files"`    // WARC files
	Bytes    int64    `json:"bytes"`    // of them
	Captures int      `json:"captures"` // in the index
	Unplaced int      `json:"unplaced"` // captures without a line: others share their gzip member
	Pages    int      `json:"pages"`    // listed in the WACZ
	Made     []string `json:"made"`     // paths
	Replaced []string `json:"replaced"` // paths of Made that existed before
	Notes    []string `json:"notes"`    // damage that was found
}

// Export exports an archive for other tools: the WARC files, the index as CDXJ, and all in one file
// as WACZ 1.1.1. If the context ends it removes incomplete files. After each write it calls wrote
// with the bytes so far and the expected total; 0 means unknown.
//
// # Guarantees
//
//  1. The export is the state of the archive between two records, also while a run adds to it.
//     Index and files agree.
//  2. A file is made whole or not at all, and replaces another only with ExportTo.Force. A stream
//     ("-") may be cut.
//  3. A WACZ names each of its files with size and SHA-256 in datapackage.json, and that file in
//     datapackage-digest.json.
//
// A WACZ has
//
//	archive/*.warc.gz      the WARC files unchanged, without a second compression, so that records can
//	                       be read at their offsets
//	archive/not-modified.warc.gz
//	                       a revisit without a header for each capture of "not modified"
//	indexes/index.cdxj     the captures, to the millisecond (CDXJ 0.1.0): ReplayWeb.page finds the
//	                       record of a revisit by its exact moment. With seconds alone it takes a
//	                       later record of the URL. A line of "not modified" names its record in
//	                       not-modified.warc.gz, with status and digest of the original. With status
//	                       304 it would show an empty page, with the header of a 304 compressed
//	                       octets, and without a line perhaps another version
//	pages/pages.jsonl      each HTML page once, at its last successful capture, with its title
//	datapackage.json
//
// Memory grows with the captures of one key of the index, and not with the archive.
//
// Source: Web Archive Collection Zipped 1.1.1, specs.webrecorder.net.
func Export(ctx context.Context, r *Reader, to ExportTo, wrote func(done, total int)) (
	*Exported, error) {
	result := &Exported{Files: len(r.Files()), Made: []string{}, Replaced: []string{},
		Notes: append([]string{}, r.Notes()...)}
	for _, f := range r.Files() {
		result.Bytes += f.Size
	}
	if err := to.free(r); err != nil {
		return nil, err
	}
	files := watched{ctx: ctx, wrote: wrote, out: to.Out}
	for _, copies := range []string{to.WARC, to.WACZ} {
		if copies != "" {
			files.total += int(result.Bytes)
		}
	}
	if to.WARC == StandardOutput {
		if err := streamFiles(r, &files); err != nil {
			return nil, err
		}
	} else if to.WARC != "" {
		if err := copyFiles(r, to.WARC, &files, result); err != nil {
			return nil, err
		}
	}
	for _, step := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{to.CDXJ, func(w io.Writer) (err error) {
			result.Captures, result.Unplaced, err = writeIndex(r, w, nil)
			return err
		}},
		{to.WACZ, func(w io.Writer) error { return writeWACZ(r, w, to, result) }},
	} {
		if step.path == "" {
			continue
		}
		_, old := os.Lstat(step.path)
		if err := files.write(step.path, step.write); err != nil {
			return nil, err
		}
		if step.path == StandardOutput {
			continue
		}
		result.made(step.path, old == nil)
	}
	return result, nil
}

// free returns an error if a file exists already, before any work.
func (to *ExportTo) free(r *Reader) error {
	paths := []string{to.CDXJ, to.WACZ}
	if to.WARC != "" {
		for _, f := range r.Files() {
			paths = append(paths, filepath.Join(to.WARC, f.Name))
		}
	}
	for _, path := range paths {
		if path == "" || path == StandardOutput || to.Force {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("write %s: %w", path, fs.ErrExist)
		}
	}
	return nil
}

// watched writes files until a context ends, and reports its progress.
type watched struct {
	ctx         context.Context
	wrote       func(done, total int)
	out         io.Writer // destination for Stream
	to          io.Writer
	done, total int
}

func (f *watched) write(path string, content func(io.Writer) error) error {
	if path == StandardOutput {
		out := bufio.NewWriterSize(f.out, 64<<10)
		f.to = out
		return errors.Join(content(f), out.Flush())
	}
	return directory.WriteAtomically(path, func(w io.Writer) error {
		f.to = w
		return content(f)
	})
}

func (f *watched) Write(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := f.to.Write(p)
	f.done += n
	f.wrote(f.done, f.total)
	return n, err
}

// copyFiles copies the WARC files up to their last whole records.
func copyFiles(r *Reader, dir string, files *watched, result *Exported) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("directory of the WARC files: %w", err)
	}
	for _, f := range r.Files() {
		path := filepath.Join(dir, f.Name)
		_, old := os.Lstat(path)
		if err := files.write(path, func(w io.Writer) error {
			return copyFile(r, f, w)
		}); err != nil {
			return err
		}
		result.made(path, old == nil)
	}
	return nil
}

// made notes a file, and whether it replaced another.
func (r *Exported) made(path string, replaced bool) {
	r.Made = append(r.Made, path)
	if replaced {
		r.Replaced = append(r.Replaced, path)
	}
}

// ErrMixedCompression is returned if the files cannot be joined: readers derive the compression of
// a stream from its start.
var ErrMixedCompression = errors.New("some of the WARC files are compressed and others are not, or they are " +
	"of ARC; they cannot be one stream")

// streamFiles writes all WARC files in a row: records in a row are a WARC file.
func streamFiles(r *Reader, files *watched) error {
	kinds := map[string]bool{}
	for _, f := range r.Files() {
		kind, packed := strings.CutSuffix(f.Name, ".gz")
		kinds[fmt.Sprint(filepath.Ext(kind), packed)] = true
	}
	if len(kinds) > 1 {
		return ErrMixedCompression
	}
	return files.write(StandardOutput, func(w io.Writer) error {
		for _, f := range r.Files() {
			if err := copyFile(r, f, w); err != nil {
				return err
			}
		}
		return nil
	})
}

func copyFile(r *Reader, f WARCFile, w io.Writer) error {
	in, err := r.Open(f)
	if err != nil {
		return err
	}
	defer in.Close()
	n, err := io.Copy(w, in)
	if err == nil && n < f.Size {
		err = fmt.Errorf("%s has become shorter", f.Name)
	}
	return err
}

// writeIndex writes the lines of captures, sorted, with the seven usual fields. Captures that share
// a gzip member have no line. For replay, lines have milliseconds. A capture of "not modified" then
// has the line of its record in notModified, with status and digest of the original, and none
// without an original.
func writeIndex(r *Reader, w io.Writer, forReplay *notModified) (
	captures, unplaced int, err error) {
	out := bufio.NewWriter(w)
	var lines [][]byte // of one key and moment, perhaps in another order than their captures
	second := ""
	flush := func() error {
		slices.SortFunc(lines, bytes.Compare)
		for _, line := range lines {
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		lines = lines[:0]
		return nil
	}
	err = r.Each(func(c *Capture) error {
		plain := c.Plain()
		if forReplay != nil && c.Status == "304" {
			ok, err := forReplay.stand(r, c, &plain)
			if !ok || err != nil {
				return err
			}
		}
		if plain.Length == 0 {
			unplaced++
			return nil
		}
		captures++
		if at := c.Key + " " + Stamp(c.Time); at != second {
			if err := flush(); err != nil {
				return err
			}
			second = at
		}
		var line []byte
		if forReplay != nil {
			line, err = AppendIndexLineAt(nil, &plain, moment(c))
		} else {
			line, err = AppendIndexLine(nil, &plain)
		}
		lines = append(lines, line)
		return err
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = out.Flush()
	}
	return captures, unplaced, err
}

package index

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// sumsName is the file with the checksums of the engine's files, by name.
const sumsName = "sums"

// sumsOf returns the checksums of all files below a directory.
func sumsOf(dir string) (map[string]uint32, error) {
	sums := map[string]uint32{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		h := crc32.New(castagnoli)
		if _, err := io.Copy(h, f); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		sums[filepath.ToSlash(name)] = h.Sum32()
		return err
	})
	return sums, err
}

// Check reads all files of a set, and returns which are damaged or missing.
func Check(index string, s *Set) (damage []error) {
	for _, of := range s.Units {
		dir := unitPath(index, of.Number)
		var known map[string]uint32
		err := errors.Join(readGob(filepath.Join(dir, pagesName), new(pages)),
			readGob(filepath.Join(dir, stateName(of.State)), new(state)),
			readGob(filepath.Join(dir, sumsName), &known))
		sums, bad := sumsOf(filepath.Join(dir, engineDir))
		if err = errors.Join(err, bad); err != nil {
			damage = append(damage, err)
			continue
		}
		for name, sum := range known {
			if got, ok := sums[name]; !ok || got != sum {
				damage = append(damage, fmt.Errorf("%s is damaged or missing",
					filepath.Join(dir, engineDir, name)))
			}
		}
	}
	return damage
}

// Command unpack takes the WARC files out of a WACZ, into a directory.
//
//	unpack FILE DIRECTORY
package main

import (
	"archive/zip"
	"io"
	"log"
	"os"
	"path"
	"path/filepath"
)

func main() {
	z, err := zip.OpenReader(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range z.File {
		if path.Dir(f.Name) != "archive" {
			continue
		}
		in, err := f.Open()
		if err != nil {
			log.Fatal(err)
		}
		out, err := os.Create(filepath.Join(os.Args[2], path.Base(f.Name)))
		if err != nil {
			log.Fatal(err)
		}
		if _, err := io.Copy(out, in); err != nil {
			log.Fatal(err)
		}
		if err := out.Close(); err != nil {
			log.Fatal(err)
		}
	}
}

package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/recrawl/recrawl/fetch/extract"
)

// resource is an entry of datapackage.json: a file of the WACZ.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// packed writes the files of a WACZ.
type packed struct {
	zip       *zip.Writer
	resources []resource
}

// counted counts and digests the written octets.
type counted struct {
	w   io.Writer
	sum hash.Hash
	n   int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.sum.Write(p[:n])
	c.n += int64(n)
	return n, err
}

func (c *counted) hash() string { return "sha256:" + hex.EncodeToString(c.sum.Sum(nil)) }

// add writes a file.
func (p *packed) add(path string, method uint16, modified time.Time,
	write func(io.Writer) error) error {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: modified})
	if err != nil {
		return err
	}
	c := &counted{w: w, sum: sha256.New()}
	if err := write(c); err != nil {
		return err
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	p.resources = append(p.resources, resource{Name: name, Path: path, Hash: c.hash(), Bytes: c.n})
	return nil
}

func writeWACZ(r *Reader, w io.Writer, to ExportTo, result *Exported) error {
	created, err := time.Parse(time.RFC3339, to.Created)
	if err != nil {
		return fmt.Errorf("time of creation: %w", err)
	}
	p := &packed{zip: zip.NewWriter(w)}
	for _, f := range r.Files() {
		if f.Size == 0 {
			continue
		}
		if err := p.add("archive/"+f.Name, zip.Store, created, func(w io.Writer) error {
			return copyFile(r, f, w)
		}); err != nil {
			return err
		}
	}
	standing, err := newNotModified(r, to.Software)
	if err != nil {
		return err
	}
	if standing.any {
		if err := p.add("archive/"+standing.name, zip.Store, created, func(w io.Writer) error {
			return standing.write(r, w, created)
		}); err != nil {
			return err
		}
	}
	if err := p.add("indexes/index.cdxj", zip.Store, created, func(w io.Writer) error {
		captures, unplaced, err := writeIndex(r, w, standing)
		result.Unplaced = unplaced
		result.Captures = max(result.Captures, captures)
		return err
	}); err != nil {
		return err
	}
	if err := p.add("pages/pages.jsonl", zip.Deflate, created, func(w io.Writer) error {
		result.Pages, err = writePages(r, w)
		return err
	}); err != nil {
		return err
	}
	description, err := json.MarshalIndent(struct {
		Profile   string     `json:"profile"`
		Version   string     `json:"wacz_version"`
		Title     string     `json:"title"`
		Software  string     `json:"software"`
		Created   string     `json:"created"`
		Resources []resource `json:"resources"`
	}{"data-package", "1.1.1", "Pages kept by recrawl", to.Software, to.Created, p.resources}, "",
		"  ")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(description)
	digest, err := json.MarshalIndent(map[string]string{"path": "datapackage.json",
		"hash": "sha256:" + hex.EncodeToString(sum[:])}, "", "  ")
	if err != nil {
		return err
	}
	for _, file := range []struct {
		path string
		text []byte
	}{{"datapackage.json", description}, {"datapackage-digest.json", digest}} {
		if err := p.add(file.path, zip.Deflate, created, func(w io.Writer) error {
			_, err := w.Write(file.text)
			return err
		}); err != nil {
			return err
		}
	}
	return p.zip.Close()
}

// writePages lists each page once, at its last successful capture.
func writePages(r *Reader, w io.Writer) (pages int, err error) {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	if err := out.Encode(map[string]string{"format": "json-pages-1.0", "id": "pages",
		"title": "All pages"}); err != nil {
		return 0, err
	}
	key := ""
	var last []*Capture // of the URLs of key, in the order of their captures
	flush := func() error {
		for _, c := range last {
			pages++
			if err := out.Encode(struct {
				ID    string `json:"id"`
				URL   string `json:"url"`
				TS    string `json:"ts"`
				Title string `json:"title,omitempty"`
			}{fmt.Sprintf("page-%d", pages), c.URL, c.Time.UTC().Format(time.RFC3339),
				title(r, c)}); err != nil {
				return err
			}
		}
		last = last[:0]
		return nil
	}
	err = r.Each(func(c *Capture) error {
		if c.Key != key {
			if err := flush(); err != nil {
				return err
			}
			key = c.Key
		}
		kind := c.MIME
		if c.Status == "200" && c.isShared() {
			var err error
			if kind, err = r.sharedType(c); err != nil {
				return err
			}
		}
		if !extract.IsHTML(kind) || c.Status != "200" {
			return nil // revisits have the page of an earlier line
		}
		for i := range last {
			if last[i].URL == c.URL {
				last[i] = c
				return nil
			}
		}
		last = append(last, c)
		return nil
	})
	if err == nil {
		err = flush()
	}
	return pages, err
}

// titleWithin limits the octets of a page that are searched for a title, and its length.
const (
	titleWithin = 64 << 10
	titleLength = 300
)

// title returns the title of a page, or "" if it is unknown.
func title(r *Reader, c *Capture) string {
	a, err := r.Answer(c)
	if err != nil {
		return ""
	}
	text, _ := a.Text(titleWithin) // a damaged page may still have its start
	z := html.NewTokenizer(bytes.NewReader(text))
	z.SetMaxBuf(titleWithin)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "title" && z.Next() == html.TextToken {
				words := strings.Join(
					strings.Fields(strings.ToValidUTF8(html.UnescapeString(string(z.Text())),
						"\uFFFD")), " ")
				if runes := []rune(words); len(runes) > titleLength {
					words = string(runes[:titleLength])
				}
				return words
			}
		}
	}
}

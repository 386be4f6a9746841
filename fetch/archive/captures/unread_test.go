package captures

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// TestUnread checks that known formats which are not read are named.
func TestUnread(t *testing.T) {
	for text, want := range map[string]string{
		"<?xml version=\"1.0\"?>\n<!-- x -->\n<opml version=\"2.0\"><body/></opml>": "OPML",
		"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META><TITLE>Bookmarks</TITLE>":       "bookmarks",
		"\ufeff<!DOCTYPE html><html><a href=\"http://h.example/\">":                 "HTML",
		"{\"url\":\"http://h.example/\"}\n{\"url\":\"http://h.example/b\"}\n":       "JSON lines",
		`["http://h.example/", "http://h.example/b"]`:                               "JSON array",
		"%PDF-1.7": "PDF",
		"PK\x03\x04" + strings.Repeat("x", 26) + "[Content_Types].xml": "office",
	} {
		if in, err := Open(fileOf(t, "f", text), ""); !errors.Is(err, ErrUnread) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, in, err)
		}
	}
	for text, want := range map[string]Format{"# urls\nhttp://h.example/": List,
		`{"version":"https://jsonfeed.org/version/1","items":[]}`:  Sitemap,
		"<urlset><url><loc>http://h.example/</loc></url></urlset>": Sitemap} {
		in, err := Open(fileOf(t, "f", text), "")
		if err != nil || in.Format != want {
			t.Errorf("%q: %v, %v", text, in, err)
		}
	}
}

// TestWideList reads a list in UTF-16, with a mark and without.
func TestWideList(t *testing.T) {
	const text = "http://h.example/a\r\nhttp://h.example/ü\r\n"
	for _, as := range []struct {
		order unicode.Endianness
		mark  unicode.BOMPolicy
	}{{unicode.LittleEndian, unicode.UseBOM}, {unicode.BigEndian, unicode.UseBOM},
		{unicode.LittleEndian, unicode.IgnoreBOM}, {unicode.BigEndian, unicode.IgnoreBOM}} {
		wide, err := unicode.UTF16(as.order, as.mark).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		f, all, err := readAll(t, fileOf(t, "f.txt", wide), Options{})
		if err != nil || len(all) != 2 || all[1].URL != "http://h.example/%C3%BC" {
			t.Errorf("%v: %v, %+v, %v", as, all, f, err)
		}
	}
}

// TestPaddedList reads a compressed list of several members with zeros after them.
func TestPaddedList(t *testing.T) {
	list := zip1("http://h.example/a\n") + zip1("http://h.example/b\n")
	f, all, err := readAll(t, fileOf(t, "f.txt", list+strings.Repeat("\x00", 512)), Options{})
	if err != nil || len(all) != 2 || f.BadCount > 0 {
		t.Errorf("zeros: %v, %+v, %v", all, f, err)
	}
	f, all, err = readAll(t, fileOf(t, "f.txt", list+"damaged"), Options{})
	if err != nil || len(all) != 2 || f.BadCount != 1 {
		t.Errorf("damage: %v, %+v, %v", all, f, err)
	}
}

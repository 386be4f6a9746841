package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKey checks keys of the Wayback Machine.
func TestKey(t *testing.T) {
	for address, want := range map[string]string{
		"http://www.example.org/":                       "org,example)/",
		"https://WWW2.example.org":                      "org,example)/",
		"http://www/":                                   "www)/",
		"https://www3288.com/":                          "com,www3288)/",
		"https://www.www3288.com/":                      "com,www3288)/",
		"https://example.org/News/":                     "org,example)/news",
		"https://example.org//a///b":                    "org,example)/a/b",
		"https://example.org:443/":                      "org,example)/",
		"https://example.org:80/":                       "org,example:80)/",
		"http://example.org:8080/x":                     "org,example:8080)/x",
		"http://user:pass@example.org/x#frag":           "org,example)/x",
		"http://example.org/x?":                         "org,example)/x",
		"http://example.org/x?B=2&a=1&b=1":              "org,example)/x?a=1&b=1&b=2",
		"http://192.0.2.1/x":                            "1,2,0,192)/x",
		"http://[2001:db8::1]:8080/":                    "[2001:db8::1]:8080)/",
		"http://example.org/a b":                        "org,example)/a%20b",
		"http://example.org/Wroc%C5%82aw":               "org,example)/wroc%c5%82aw",
		"http://example.org/x?sid=" + hex32 + "&x=y":    "org,example)/x?x=y",
		"http://example.org/(" + letters24 + ")/x.aspx": "org,example)/x.aspx",
		"dns:example.org":                               "dns:example.org",
		"a b\nc":                                        "abc",
	} {
		if got := SURT(address); got != want {
			t.Errorf("key of %q is %q, want %q", address, got, want)
		}
	}
}

const (
	hex32     = "9682993c8daa2c5497996114facdc805"
	letters24 = "4hqa0555fwsecu455xqckv45"
)

// TestKeyPublished compares with published cases, if they are there.
func TestKeyPublished(t *testing.T) {
	raw, err := os.ReadFile("../../../../shared/data/urls/surt.json")
	if err != nil {
		t.Skipf("no published keys here: %v", err)
	}
	var cases struct {
		Surt []struct {
			Input, Output string
			Options       map[string]bool
		}
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for _, c := range cases.Surt {
		if len(c.Options) > 0 || !strings.HasPrefix(c.Input, "http") {
			continue
		}
		all++
		if got := SURT(c.Input); got == c.Output {
			right++
		} else {
			t.Logf("key of %q is %q, want %q", c.Input, got, c.Output)
		}
	}
	if right < all || all < 10 {
		t.Errorf("%d of %d keys are right", right, all)
	}
}

var lineTime = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func TestLine(t *testing.T) {
	c := &Capture{Key: "org,example)/x", Time: lineTime, URL: "http://example.org/x?a=<&>",
		MIME: "text/html", Status: "200",
		Digest: "sha1:AAAA", Length: 10, Offset: 1 << 40, Filename: "f.warc.gz",
		Date: "2026-01-31T12:00:00.000000Z", RefersURI: "http://example.org/", Within: 77}
	line, err := AppendIndexLine(nil, c)
	if err != nil || !bytes.HasPrefix(line,
		[]byte(`org,example)/x 20260131120000 {"url":"http://example.org/x?a=<&>",`)) ||
		bytes.Count(line, []byte("\n")) != 1 {
		t.Fatalf("%s, %v", line, err)
	}
	if got, err := ParseIndexLine(line); err != nil || *got != *c {
		t.Errorf("%+v, %v; want %+v", got, err, c)
	}
	plain := c.Plain()
	if line, _ := AppendIndexLine(nil, &plain); bytes.Contains(line, []byte("date")) ||
		bytes.Contains(line, []byte("refers")) {
		t.Errorf("plain: %s", line)
	}
	// Numbers as numbers, unknown fields, and blanks in the object.
	got, err := ParseIndexLine(
		[]byte(
			`a)/ 20260131120000 {"url": "http://a/", "status": 200, "length": 5, "offset": "7", "filename": "f", "other": [1]}`))
	if err != nil || got.Status != "200" || got.Length != 5 || got.Offset != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "a)/ 20260131120000", "a)/ 2026 {}", "a)/ 20261331120000 {}",
		"a)/ 20260131120000 [", " 20260131120000 {}",
		`a)/ 20260131120000 {"offset": "-1"}`, `a)/ 20260131120000 {"offset": {}}`,
		"a)/ 20260131120000 " + strings.Repeat(" ", MaxIndexLine)} {
		if c, err := ParseIndexLine([]byte(bad)); err == nil {
			t.Errorf("%.60q is %+v", bad, c)
		}
	}
}

func TestParseStamp(t *testing.T) {
	for text, want := range map[string]string{"2026": "20260101000000", "202602": "20260201000000",
		"20260203":   "20260203000000",
		"2026020304": "20260203040000", "20260203040506": "20260203040506"} {
		if at, err := ParseStamp(text); err != nil || Stamp(at) != want {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	for _, bad := range []string{"", "1", "abcd", "20261301", "202601310000000", "2026-01-31"} {
		if at, err := ParseStamp(bad); err == nil {
			t.Errorf("%q is %v", bad, at)
		}
	}
}

// TestIndexRun checks that a search finds the same lines as reading all.
func TestIndexRun(t *testing.T) {
	var lines []string
	for i := range 3000 {
		key := fmt.Sprintf("org,example%d)/%s", i%200, strings.Repeat("long", i%7*(i%11)))
		c := &Capture{Key: key, Time: lineTime.Add(time.Duration(i) * time.Second),
			URL:      "http://x/",
			Filename: strings.Repeat("f", i%50)}
		line, err := AppendIndexLine(nil, c)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	file := strings.Join(lines, "")
	run, err := NewIndexRun(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	wants := []string{"", "a", "org,example5)/", "org,example77)/ ", "zzz", lines[0], lines[2999],
		lines[1500][:30]}
	for i := 0; i < 3000; i += 13 {
		wants = append(wants, lines[i], lines[i][:len(lines[i])/3], lines[i]+"x")
	}
	for _, text := range wants {
		at, _ := slices.BinarySearch(lines, text)
		var got []string
		if err := run.From(text, func(line []byte) bool {
			got = append(got, string(line))
			return len(got) < 3
		}); err != nil {
			t.Fatal(err)
		}
		if want := lines[at:min(at+3, len(lines))]; !slices.Equal(got, want) {
			t.Fatalf("from %.50q: %.50q, want %.50q", text, got, want)
		}
	}
	key, _, _ := strings.Cut(lines[1500], " ")
	last, err := run.Last(key)
	if err != nil || len(last) == 0 || last[0].Key != key {
		t.Errorf("last of %s: %d, %v", key, len(last), err)
	}
	if none, err := run.Last("org,nothing)/"); err != nil || len(none) > 0 {
		t.Errorf("%d captures of nothing, %v", len(none), err)
	}
}

// TestRunOfLongKeys searches lines with long keys and long common prefixes, for example of Japanese
// URLs with nine octets a letter.
func TestRunOfLongKeys(t *testing.T) {
	var lines []string
	for i := range 1500 {
		key := "org,example)/" + strings.Repeat("%e3%82%b3", 19+i%2*4) + fmt.Sprint(i/3)
		line, err := AppendIndexLine(nil,
			&Capture{Key: key, Time: lineTime.Add(time.Duration(i) * time.Second), URL: "http://x/",
				Filename: "f"})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	file := strings.Join(lines, "")
	run, err := NewIndexRun(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		for _, text := range []string{line, line[:strings.Index(line, " ")+1]} {
			var got string
			if err := run.From(text, func(line []byte) bool {
				got = string(line)
				return false
			}); err != nil {
				t.Fatal(err)
			}
			at, _ := slices.BinarySearch(lines, text)
			if got != lines[at] {
				t.Fatalf("line %d, from %q: %q", i, text, got)
			}
		}
	}
}

// FuzzParse checks that a parsed line is the same after writing and parsing it again.
func FuzzParse(f *testing.F) {
	f.Add(
		[]byte(
			`org,example)/ 20260131120000 {"url": "http://example.org/", "status": 200, "length": "5", "offset": 7, "filename": "f"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := ParseIndexLine(line)
		if err != nil {
			return
		}
		again, err := AppendIndexLine(nil, c)
		if err != nil {
			t.Fatal(err)
		}
		if len(again) > MaxIndexLine { // escapes may be longer
			return
		}
		if got, err := ParseIndexLine(again); err != nil || *got != *c {
			t.Fatalf("%q is %+v, and then %+v, %v", line, c, got, err)
		}
	})
}

// FuzzKey checks that a key is one word, and its own key.
func FuzzKey(f *testing.F) {
	f.Add("http://www.example.org:8080/A//b/?z=1&a=2#x")
	f.Fuzz(func(t *testing.T, address string) {
		if key := SURT(address); strings.ContainsAny(key, " \n\r\t") {
			t.Errorf("key of %q is %q", address, key)
		}
	})
}

// TestLineToTheMillisecond checks that a line with milliseconds (CDXJ 0.1.0) is read with whole
// seconds.
func TestLineToTheMillisecond(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 32_999_999, time.FixedZone("", 3600))
	c := &Capture{Key: "example,h)/", Time: at.UTC().Truncate(time.Second),
		URL: "http://h.example/", Length: 1, Filename: "f"}
	line, err := AppendIndexLineAt(nil, c, at)
	if err != nil || !strings.HasPrefix(string(line), "example,h)/ 20260131110000032 {") {
		t.Fatalf("%s, %v", line, err)
	}
	if got, err := ParseIndexLine(line); err != nil || *got != *c {
		t.Errorf("%+v, %v, want %+v", got, err, c)
	}
	for _, stamp := range []string{"2026013112000003", "202601311200000321", "2026013112000003x",
		"20260131120000-01", "20269931120000032"} {
		if got, err := ParseIndexLine([]byte("example,h)/ " + stamp +
			` {"url":"http://h.example/"}`)); err == nil {
			t.Errorf("%s is read as %v", stamp, got.Time)
		}
	}
}

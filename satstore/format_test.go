package satstore

import (
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/recrawl/recrawl/sitegraph"
)

// FORMAT.md shows the bytes of a frame. They must stay: programs read existing stores by them.
func TestFormatExample(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	must(t, err)
	block := regexp.MustCompile("(?s)```\n([0-9a-f \n]+)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("no example in FORMAT.md")
	}
	want := strings.Join(strings.Fields(string(block[1])), "")
	r := sitegraph.Record{Page: 7, URL: "http://h/a", Referer: "http://h/",
		State: sitegraph.StateAlive, Status: 200, Due: at(1)}
	f, err := AppendRecord(nil, &r)
	must(t, err)
	if got := hex.EncodeToString(f); got != want {
		t.Errorf("got\n%s\nFORMAT.md has\n%s", got, want)
	}
	if fixedRecordBytes != 33 || maxBodyBytes != 131584 {
		t.Errorf("FORMAT.md names 33 and 131584 bytes, not %d and %d",
			fixedRecordBytes, maxBodyBytes)
	}
}

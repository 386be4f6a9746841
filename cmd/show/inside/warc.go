package inside

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/fetch/archive/warc"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Record is one record of a file.
type Record struct {
	Offset     int64        `json:"offset"` // of its gzip member, in the file
	Stored     int64        `json:"stored"` // bytes in the file; 0: its member has more records
	Type       string       `json:"type"`
	ID         string       `json:"id,omitempty"`
	Date       string       `json:"date,omitempty"`
	URI        string       `json:"uri,omitempty"`
	Status     int          `json:"status,omitempty"` // of an HTTP answer
	Length     int64        `json:"length"`           // bytes of the block
	Payload    int64        `json:"payload"`          // bytes of the body, without transfer coding
	Truncated  string       `json:"truncated,omitempty"`
	Profile    string       `json:"profile,omitempty"` // of a revisit
	RefersURI  string       `json:"refers_to_uri,omitempty"`
	RefersDate string       `json:"refers_to_date,omitempty"`
	Digests    string       `json:"digests"` // result of the comparison: right, wrong, or none
	Block      warc.Digest  `json:"block_digest"`
	Content    warc.Digest  `json:"payload_digest"`
	Header     []warc.Field `json:"header,omitempty"`
}

// WARC is the content of a file.
type WARC struct {
	Name    string   `json:"file"`
	Version string   `json:"version,omitempty"` // of its first record
	Records []Record `json:"records"`
	Wrong   int      `json:"wrong_digests"`
	Damage  string   `json:"damage,omitempty"` // end of reading, and why; "": end of the file
	Cut     bool     `json:"cut,omitempty"`    // the file ends in the middle of a record
}

// ReadWARCFile is ReadWARC of a file by its name.
func ReadWARCFile(name string, headers bool) (*WARC, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadWARC(name, f, headers)
}

// ReadWARC reads a file. It fails only by an error of the system; damage of the file is a result.
// With headers, Record.Header has the headers of the records.
func ReadWARC(name string, r io.Reader, headers bool) (*WARC, error) {
	f := &WARC{Name: name, Records: []Record{}}
	in := warc.NewReader(r, 0)
	for {
		rec, err := in.Next()
		var seen warc.Seen
		if err == nil {
			seen, err = in.Verify(rec)
		}
		var damage *warc.DamageError
		switch {
		case err == io.EOF:
			return f, nil
		case errors.As(err, &damage):
			f.Damage, f.Cut = damage.Error(), warc.IsCut(err)
			return f, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if f.Version == "" {
			f.Version = rec.Version
		}
		shown := Record{
			Offset: rec.Offset, Stored: rec.Stored, Type: rec.Type(), ID: rec.Get(warc.IDField),
			Date: rec.Get(warc.DateField), URI: rec.URI(), Status: seen.Status, Length: rec.Length,
			Payload: seen.Size, Truncated: rec.Get(warc.TruncatedField),
			Profile:   rec.Get(warc.ProfileField),
			RefersURI: rec.Get(warc.RefersURIField), RefersDate: rec.Get(warc.RefersDateField),
			Block: seen.Block, Content: seen.Payload, Digests: "none",
		}
		if headers {
			shown.Header = rec.Header
		}
		if seen.Block.Right || seen.Payload.Right {
			shown.Digests = "right"
		}
		if seen.Block.Wrong() || seen.Payload.Wrong() {
			shown.Digests = "wrong"
			f.Wrong++
		}
		f.Records = append(f.Records, shown)
	}
}

// Problem says what is wrong with the file; "": nothing.
func (f *WARC) Problem() string {
	switch {
	case f.Damage != "":
		return fmt.Sprintf("%s: %s", f.Name, f.Damage)
	case f.Wrong > 0:
		return fmt.Sprintf("%s: %s with a wrong digest", f.Name, words.Plural(f.Wrong, "record"))
	}
	return ""
}

// Finding says in a sentence how many records there are, and whether they are whole.
func (f *WARC) Finding() string {
	text := fmt.Sprintf("%s, %s: ", words.Plural(len(f.Records), "record"),
		cmp.Or(f.Version, "no WARC"))
	switch {
	case f.Damage != "":
		return text + "reading ended at damage."
	case f.Wrong > 0:
		return text + words.Plural(f.Wrong, "wrong digest") + "."
	}
	return text + "all are whole, and no digest is wrong."
}

// Tables returns the records, a row each.
func (f *WARC) Tables() []report.Table {
	t := report.Table{Header: []string{"offset", "stored", "type", "status", "block", "payload",
		"digests", "date", "address"}}
	for i := range f.Records {
		r := &f.Records[i]
		status := ""
		if r.Status > 0 {
			status = strconv.Itoa(r.Status)
		}
		kind := r.Type
		switch {
		case r.Profile == warc.NotModified:
			kind += " (not modified)"
		case r.Profile == warc.SamePayload:
			kind += " (same payload)"
		case r.Truncated != "":
			kind += " (cut: " + r.Truncated + ")"
		}
		t.Rows = append(t.Rows, []string{
			strconv.FormatInt(r.Offset, 10), strconv.FormatInt(r.Stored, 10), kind, status,
			strconv.FormatInt(r.Length, 10), strconv.FormatInt(r.Payload, 10), r.Digests, r.Date,
			r.URI,
		})
	}
	t.Note, t.Spare = f.Damage, []int{5, 4, 1, 6}
	return []report.Table{t}
}

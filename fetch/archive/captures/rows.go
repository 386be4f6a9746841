package captures

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// rows reads an index that is one JSON array from an index server: of objects, or of arrays with
// the column names in the first. Rows are counted like lines, from 1.
func (r *reader) rows(ctx context.Context, in io.Reader) error {
	ration := &rationed{r: in, left: 2 * mostLine}
	d := json.NewDecoder(ration)
	var names []string
	_, err := d.Token()
	n := int64(1)
	for ; err == nil && d.More(); n++ {
		ration.left = 2 * mostLine
		var row json.RawMessage
		if err = d.Decode(&row); err != nil {
			break
		}
		if n == 1 && row[0] == '[' {
			if names, err = namesOf(row); err != nil {
				r.file.bad(n, err.Error(), row)
				return nil
			}
			continue
		}
		r.file.Read++
		if err := r.row(n, row, names); err != nil {
			return err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err == nil {
		_, err = d.Token()
	}
	if err != nil { // a cut answer has rows before the cut
		r.file.EndedHere = fmt.Sprintf("after row %d: %v", n-1, err)
		r.file.bad(n, err.Error(), nil)
	}
	return nil
}

func namesOf(row []byte) (names []string, err error) {
	if err := json.Unmarshal(row, &names); err != nil || !slices.ContainsFunc(names,
		func(name string) bool { return name == "original" || name == "url" }) {
		return nil, errors.New("want the names of the columns, with original or url among them, " +
			"as index servers write with output=json")
	}
	return names, nil
}

// row passes on the capture of a row. Without columns for moment and status it is a list entry.
func (r *reader) row(n int64, row []byte, names []string) error {
	var i indexed
	var cells []cell
	objects := map[string]cell{}
	err := json.Unmarshal(row, &objects)
	switch {
	case names == nil && err != nil:
		r.file.bad(n, "want a JSON object", row)
		return nil
	case names == nil:
		for name, value := range objects {
			i.set(name, value)
		}
	case json.Unmarshal(row, &cells) == nil && len(cells) == len(names):
		for at, name := range names {
			i.set(name, cells[at])
		}
	case len(cells) < 2: // an empty row, followed by the key to request more
		return nil
	default:
		r.file.bad(n, fmt.Sprintf("%d columns; want %d", len(cells), len(names)), row)
		return nil
	}
	if names != nil && (!slices.Contains(names, "timestamp") ||
		!slices.Contains(names, "statuscode") && !slices.Contains(names, "status")) {
		if url, ok := r.page(n, i.url, row); ok {
			r.file.Listed++
			return r.give(&Capture{URL: url, Kind: KindListed})
		}
		return nil
	}
	if err := i.at(); err != nil {
		r.file.bad(n, err.Error(), row)
		return nil
	}
	return r.indexed(n, row, i)
}

var errRow = errors.New("a row is too long")

// rationed reads no more than it may, so that a row has a limit.
type rationed struct {
	r    io.Reader
	left int
}

func (r *rationed) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, errRow
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

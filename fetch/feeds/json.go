package feeds

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/recrawl/recrawl/sitegraph"
)

// feedVersion is in the version of every JSON Feed.
const feedVersion = "jsonfeed.org/version/"

// errJSON is the error for invalid JSON.
var errJSON = errors.New("the JSON is broken")

// jsonItem is an entry of a JSON Feed. An id should be a string, but may be a number.
type jsonItem struct {
	ID        any    `json:"id"`
	URL       string `json:"url"`
	Published string `json:"date_published"`
	Modified  string `json:"date_modified"`
}

// readJSON reads a JSON Feed 1.0 or 1.1 (jsonfeed.org), item by item. Members may come in any
// order.
func (r *reader) readJSON(in io.Reader) error {
	d := json.NewDecoder(in)
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return ErrNone
	}
	var hubs, self json.RawMessage
	defer func() {
		if r.Kind == sitegraph.SourceUnknown { // its items came before its version
			r.Claims = nil
		}
		r.readHubs(hubs, self)
	}()
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return cutJSON(err)
		}
		switch name {
		case "version":
			var version any
			if err := d.Decode(&version); err != nil {
				return cutJSON(err)
			}
			text, _ := version.(string)
			if !strings.Contains(text, feedVersion) {
				return ErrNone
			}
			r.Kind = sitegraph.SourceFeed
		case "items":
			if err := r.readItems(d); err != nil {
				return err
			}
		case "hubs":
			if err := d.Decode(&hubs); err != nil {
				return cutJSON(err)
			}
		case "feed_url":
			if err := d.Decode(&self); err != nil {
				return cutJSON(err)
			}
		default:
			var skipped json.RawMessage
			if err := d.Decode(&skipped); err != nil {
				return cutJSON(err)
			}
		}
	}
	if _, err := d.Token(); err != nil {
		return cutJSON(err)
	}
	return nil
}

// readHubs reads the hubs of a feed, and its topic. It ignores invalid values.
func (r *reader) readHubs(hubs, self json.RawMessage) {
	var all []json.RawMessage
	_ = json.Unmarshal(hubs, &all)
	for _, raw := range all[:min(len(all), maxHubEntries)] {
		var hub struct{ Type, URL string }
		if json.Unmarshal(raw, &hub) == nil && !strings.EqualFold(hub.Type, "rssCloud") {
			r.addHub(r.resolver, trim(hub.URL))
		}
	}
	var topic string
	if json.Unmarshal(self, &topic) == nil {
		r.setTopic(r.resolver, trim(topic))
	}
}

// maxHubEntries limits the entries that are read.
const maxHubEntries = 100

// readItems reads the entries. It skips a value that is no list of objects.
func (r *reader) readItems(d *json.Decoder) error {
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return cutJSON(err)
	}
	for d.More() {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return cutJSON(err)
		}
		var item jsonItem
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		id, _ := item.ID.(string)
		var c sitegraph.Claim
		for _, text := range [...]string{item.Published, item.Modified} {
			if t, ok := parseDate(text); ok && t.Year() < 9999 && latest(t).After(c.Modified) {
				c.Modified = latest(t)
			}
		}
		ref := trim(item.URL)
		if ref == "" && absolute.MatchString(id) {
			ref = trim(id)
		}
		if err := r.add(r.resolver, ref, c); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return cutJSON(err)
}

// cutJSON returns the error of a cut text in the form of other formats.
func cutJSON(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errCut
	}
	return fmt.Errorf("%w: %v", errJSON, err)
}

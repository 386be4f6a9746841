package robots

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

// part is a text and the number of its repetitions.
type part struct {
	Text   string
	Repeat int
}

func join(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(strings.Repeat(p.Text, p.Repeat))
	}
	return b.String()
}

type publishedCase struct {
	Name, Ref, Robots, URL, Layer string
	RobotsHex                     string          `json:"robots_hex"`
	RobotsParts                   []part          `json:"robots_parts"`
	URLParts                      []part          `json:"url_parts"`
	UserAgent                     string          `json:"user_agent"`
	Delay                         json.RawMessage `json:"delay_seconds"`
	AlsoDisallowed                string          `json:"also_disallowed"`
	Allowed                       bool
}

func (c publishedCase) body(t *testing.T) []byte {
	switch {
	case c.RobotsHex != "":
		b, err := hex.DecodeString(c.RobotsHex)
		if err != nil {
			t.Fatal(err)
		}
		return b
	case c.RobotsParts != nil:
		return []byte(join(c.RobotsParts))
	}
	return []byte(c.Robots)
}

func (c publishedCase) target() string {
	url := c.URL
	if c.URLParts != nil {
		url = join(c.URLParts)
	}
	_, rest, _ := strings.Cut(url, "://")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return "/"
	}
	return rest[i:]
}

func readPublished(t *testing.T) (cases, delays []publishedCase) {
	raw, err := os.ReadFile("../../../shared/data/robots/rfc9309-extra.json")
	if err != nil {
		t.Skipf("the published cases are not here: %v", err)
	}
	var file struct {
		Cases      []publishedCase
		CrawlDelay []publishedCase `json:"crawl_delay"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases, file.CrawlDelay
}

// TestPublishedCases runs every case, also the optional ones and Google's.
func TestPublishedCases(t *testing.T) {
	cases, _ := readPublished(t)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			body, target := c.body(t), c.target()
			got := Parse(body, Product(c.UserAgent)).Allowed(target)
			if got != c.Allowed {
				t.Errorf("%s: allowed %v, want %v", c.Ref, got, c.Allowed)
			}
		})
	}
}

func TestPublishedDelays(t *testing.T) {
	_, delays := readPublished(t)
	for _, c := range delays {
		t.Run(c.Name, func(t *testing.T) {
			r := Parse(c.body(t), Product(c.UserAgent))
			got, ok := r.Delay()
			var seconds float64
			switch want := string(c.Delay); {
			case want == "null":
				if ok {
					t.Errorf("delay %v, want none", got)
				}
			case want == `"cap"`:
				if got != MaxDelay {
					t.Errorf("delay %v, want %v", got, MaxDelay)
				}
			default:
				if err := json.Unmarshal(c.Delay, &seconds); err != nil {
					t.Fatal(err)
				}
				if !ok || got != time.Duration(seconds*float64(time.Second)) {
					t.Errorf("delay %v %v, want %v s", got, ok, seconds)
				}
			}
			if c.AlsoDisallowed != "" && r.Allowed(c.AlsoDisallowed) {
				t.Errorf("%s is allowed: the delay cost the rule after it", c.AlsoDisallowed)
			}
		})
	}
}

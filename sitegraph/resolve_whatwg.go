package sitegraph

import "github.com/nlnwa/whatwg-url/url"

// address is an absolute address as parsed by the WHATWG URL Standard.
type address struct{ parsed *url.Url }

func newAddress(raw string) (*address, error) {
	parsed, err := url.Parse(raw)
	if err != nil {
		return nil, err
	}
	// The library makes a base's query parameters at the first resolution. Making them now lets
	// many goroutines resolve at once.
	parsed.SearchParams()
	return &address{parsed}, nil
}

func (a *address) resolve(ref string) (parts, error) {
	u, err := a.parsed.Parse(ref)
	if err != nil {
		return parts{}, err
	}
	return partsOf(u), nil
}

func parseAddress(raw string) (parts, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return parts{}, err
	}
	return partsOf(u), nil
}

func partsOf(u *url.Url) parts {
	return parts{u.Scheme(), u.Hostname(), u.Port(), u.Pathname(), u.Query()}
}

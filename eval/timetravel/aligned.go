package timetravel

import "time"

// aligned shifts each server of an archive so that its first version appears at one time.
type aligned struct {
	Archive
	shift map[string]time.Duration // server -> shift to its own time
}

// Align puts servers that were recorded at different times on one clock: each one's first version
// appears at start. Last-Modified shifts too. Bodies stay unchanged, with the times in feeds and
// sitemaps: World shifts those that it reads.
func Align(web Archive, start time.Time) Archive {
	a := aligned{web, map[string]time.Duration{}}
	for _, server := range web.Servers() {
		var first time.Time
		for _, path := range web.Paths(server) {
			if times := web.Times(server, path); len(times) > 0 &&
				(first.IsZero() || times[0].Before(first)) {
				first = times[0]
			}
		}
		if !first.IsZero() {
			a.shift[server] = first.Sub(start)
		}
	}
	return a
}

func (a aligned) Resource(server, path string, t time.Time) Resource {
	r := a.Archive.Resource(server, path, t.Add(a.shift[server]))
	if !r.LastModified.IsZero() {
		r.LastModified = r.LastModified.Add(-a.shift[server])
	}
	return r
}

func (a aligned) Times(server, path string) []time.Time {
	times := a.Archive.Times(server, path)
	moved := make([]time.Time, len(times))
	for i, t := range times {
		moved[i] = t.Add(-a.shift[server])
	}
	return moved
}

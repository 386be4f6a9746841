package access

import "net/netip"

// special are the special-purpose blocks of the IANA registries (RFC 6890) that no public page can
// have, and multicast.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// wrapped are the blocks of IPv6 that contain an IPv4 address at an octet: the destination of the
// packet counts.
var wrapped = []struct {
	prefix netip.Prefix
	offset int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible, RFC 4291 2.5.5.1
	{netip.MustParsePrefix("::ffff:0:0/96"), 12},   // IPv4-mapped, RFC 4291 2.5.5.2
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated, RFC 2765
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64, RFC 6052
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4, RFC 3056
}

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// IsPublic reports whether an address can be that of a public server, by the special-purpose blocks
// of the IANA registries. It returns false for the zero address and one with a zone.
//
// The crawler and the guard each decide where connections may go. They share only this
// classification.
//
// Sources: RFC 6890 (special-purpose addresses), RFC 4291, RFC 6052, RFC 3056 (IPv4 within IPv6).
func IsPublic(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	for _, w := range wrapped {
		if w.prefix.Contains(addr) {
			b := addr.As16()
			return IsPublic(netip.AddrFrom4([4]byte(b[w.offset : w.offset+4])))
		}
	}
	return true
}

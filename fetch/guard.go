package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// errRefused is wrapped by every refusal of the guard: the page is excluded, and nothing
// was sent.
var errRefused = errors.New("not a public address")

// notPublic are the special-purpose blocks of the IANA registries (RFC 6890) that no
// public page can have, and multicast.
var notPublic = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
	"172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
)

// wrapped are the blocks of IPv6 that carry an IPv4 address at an octet: what counts is
// where the packet ends up.
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

// isPublic reports whether an address can be that of a public server.
func isPublic(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	for _, p := range notPublic {
		if p.Contains(addr) {
			return false
		}
	}
	for _, w := range wrapped {
		if w.prefix.Contains(addr) {
			b := addr.As16()
			return isPublic(netip.AddrFrom4([4]byte(b[w.offset : w.offset+4])))
		}
	}
	return true
}

// guard decides which addresses and ports may be connected to.
type guard struct {
	allowPrivate bool
	networks     []netip.Prefix // that may be asked though they are not public
	ports        []uint16
}

// checkAddr refuses what is not public. The address is that which will be dialled, so no
// spelling of it in a link, no host name and no second answer of DNS gets around it.
func (g guard) checkAddr(addr netip.Addr) error {
	if g.allowPrivate && addr.IsValid() || isPublic(addr) {
		return nil
	}
	if slices.ContainsFunc(g.networks, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) }) {
		return nil
	}
	return fmt.Errorf("%w: %s", errRefused, addr)
}

func (g guard) checkPort(port uint16) error {
	if g.allowPrivate || port == 80 || port == 443 || slices.Contains(g.ports, port) {
		return nil
	}
	return fmt.Errorf("%w: port %d", errRefused, port)
}

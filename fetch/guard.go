package fetch

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"

	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/sitegraph"
)

// errRefused is wrapped by every refusal of the guard. The page is excluded, and no request was
// sent.
var errRefused = errors.New("not a public address")

// deniedBy is a refusal that another setting of the user would avoid.
type deniedBy struct{ sitegraph.Denial }

func (r *deniedBy) Error() string {
	if r.By == sitegraph.DeniedByPort {
		return errRefused.Error() + ": port " + r.What
	}
	return errRefused.Error() + ": " + r.What
}

func (r *deniedBy) Unwrap() error { return errRefused }

// deny returns a deniedBy error.
func deny(by sitegraph.DeniedBy, what string) error {
	return &deniedBy{sitegraph.Denial{By: by, What: what}}
}

// guard decides to which addresses and ports the client may connect.
type guard struct {
	allowPrivate bool
	networks     []netip.Prefix // permitted although they are not public
	ports        []uint16
}

// checkAddr returns an error for an address that is not public. It sees the address that will be
// dialled, so no spelling in a link, no host name and no second answer of DNS gets around it.
func (g guard) checkAddr(addr netip.Addr) error {
	if g.allowPrivate && addr.IsValid() || access.IsPublic(addr) {
		return nil
	}
	if slices.ContainsFunc(g.networks, func(p netip.Prefix) bool {
		return p.Contains(addr.Unmap())
	}) {
		return nil
	}
	return deny(sitegraph.DeniedByAddress, addr.String())
}

func (g guard) checkPort(port uint16) error {
	if g.allowPrivate || port == 80 || port == 443 || slices.Contains(g.ports, port) {
		return nil
	}
	return deny(sitegraph.DeniedByPort, strconv.Itoa(int(port)))
}

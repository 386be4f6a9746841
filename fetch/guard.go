package fetch

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"

	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/sitegraph"
)

// errRefused is wrapped by every refusal of the guard: the page is excluded, and nothing
// was sent.
var errRefused = errors.New("not a public address")

// deniedBy is a refusal that another setting of the user would not make.
type deniedBy struct{ sitegraph.Denial }

func (r *deniedBy) Error() string {
	if r.By == sitegraph.DeniedByPort {
		return errRefused.Error() + ": port " + r.What
	}
	return errRefused.Error() + ": " + r.What
}

func (r *deniedBy) Unwrap() error { return errRefused }

// deny is that error.
func deny(by sitegraph.DeniedBy, what string) error {
	return &deniedBy{sitegraph.Denial{By: by, What: what}}
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

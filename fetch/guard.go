package fetch

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/recrawl/recrawl/fetch/public"
)

// errRefused is wrapped by every refusal of the guard: the page is excluded, and nothing
// was sent.
var errRefused = errors.New("not a public address")

// guard decides which addresses and ports may be connected to.
type guard struct {
	allowPrivate bool
	networks     []netip.Prefix // that may be asked though they are not public
	ports        []uint16
}

// checkAddr refuses what is not public. The address is that which will be dialled, so no
// spelling of it in a link, no host name and no second answer of DNS gets around it.
func (g guard) checkAddr(addr netip.Addr) error {
	if g.allowPrivate && addr.IsValid() || public.Is(addr) {
		return nil
	}
	if slices.ContainsFunc(g.networks, func(p netip.Prefix) bool {
		return p.Contains(addr.Unmap())
	}) {
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

package sitegraph

import (
	"fmt"
	"strings"
)

// DeniedBy is the kind of setting of the user that refuses a visit.
type DeniedBy uint8

const (
	DeniedByNothing DeniedBy = iota
	DeniedByAddress          // the IP address is not public
	DeniedByPort             // the port is neither 80 nor 443
	DeniedByGuard            // the crawler's proxy lets nothing through to it
)

var deniedByNames = [...]string{"nothing", "address", "port", "guard"}

func (r DeniedBy) String() string { return enumName(deniedByNames[:], int(r)) }

// Denial is the refusal of a visit by a setting of the user, before anything was sent to the
// server. It says nothing about the page, which another setting allows at once.
type Denial struct {
	By   DeniedBy
	What string // the address, the port, or the message of the guard
}

// IsZero reports whether nothing was refused.
func (r Denial) IsZero() bool { return r.By == DeniedByNothing }

// String returns why a page was not asked for, and what allows it.
func (r Denial) String() string { return DenialText(r.By, 1, []string{r.What}) }

// DenialText returns, for some pages, why they were not asked for, and what allows it. whats are
// the refused addresses, ports or messages; an empty one means others.
func DenialText(by DeniedBy, pages int, whats []string) string {
	its, address, port, is, them := "its", "address", "port", "is", "it"
	if pages != 1 {
		its, address, port, is, them = "their", "addresses", "ports", "are", "them"
	}
	shown := strings.Join(whats, ", ")
	if last := len(whats) - 1; last > 0 && whats[last] == "" {
		shown = strings.Join(whats[:last], ", ") + " and others"
	}
	switch by {
	case DeniedByAddress:
		return fmt.Sprintf("%s %s %s private (%s); --allow-private allows it", its, address, is,
			shown)
	case DeniedByPort:
		flag := strings.Join(whats, ",")
		if whats[len(whats)-1] == "" {
			flag = "PORT"
		}
		if len(whats) == 1 {
			port, is = "port", "is"
		}
		return fmt.Sprintf("%s %s %s not allowed (%s); --allow-port %s allows it", its, port, is,
			shown, flag)
	}
	return fmt.Sprintf("the guard refuses %s (%s); a setting of recrawl guard allows it", them, shown)
}

package intake_test

import (
	"github.com/recrawl/recrawl/cmd/show/exchange"
	"github.com/recrawl/recrawl/satstore/seen/intake"
)

func init() { intake.PageOf = exchange.AddressesPage }

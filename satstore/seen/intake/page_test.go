package intake_test

import (
	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/satstore/seen/intake"
)

func init() { intake.PageOf = present.AddressesPage }

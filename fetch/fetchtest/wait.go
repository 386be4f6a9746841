package fetchtest

import (
	"flag"
	"runtime"
	"strconv"
)

// MoreAtOnce lets three times as many parallel tests run as there are cores, if the command line
// says no number. TestMain calls it before it runs the tests.
func MoreAtOnce() {
	const parallel = "test.parallel"
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == parallel })
	if !said {
		_ = flag.Set(parallel, strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
}

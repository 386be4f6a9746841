package fetchtest

import (
	"flag"
	"runtime"
	"strconv"
)

// MoreAtOnce lets three times as many parallel tests run as there are cores, unless the command
// line names a number. TestMain calls it before the tests.
func MoreAtOnce() {
	const parallel = "test.parallel"
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == parallel })
	if !said {
		_ = flag.Set(parallel, strconv.Itoa(3*runtime.GOMAXPROCS(0)))
	}
}

package fetchtest

import (
	"flag"
	"runtime"
	"strconv"
)

// MoreAtOnce sets how many parallel tests run for each core, unless the command line names a
// number. TestMain calls it before the tests of a package that mostly waits.
func MoreAtOnce(perCore int) {
	const parallel = "test.parallel"
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == parallel })
	if !said {
		_ = flag.Set(parallel, strconv.Itoa(perCore*runtime.GOMAXPROCS(0)))
	}
}

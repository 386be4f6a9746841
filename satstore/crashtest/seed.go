package crashtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Seeded returns random numbers for a test, and logs the command that repeats it.
func Seeded(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(os.Getpid())
	if v, err := strconv.ParseUint(os.Getenv("RECRAWL_SEED"), 10, 64); err == nil {
		seed = v
	}
	folder, err := os.Getwd() // the folder of the package
	Must(t, err)
	t.Logf("repeat with RECRAWL_SEED=%d go test %s -run '^%s$'", seed, folder, t.Name())
	return rand.New(rand.NewPCG(seed, 1))
}

// Long reports whether long tests are selected.
func Long() bool { return os.Getenv("RECRAWL_LONG") != "" }

// Must ends the test at an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

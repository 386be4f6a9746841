package evaltest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// onlySeed repeats one run of a random test.
var onlySeed = flag.Int64("seed", -1, "run random tests with this seed only")

// OneSeed reports whether the flag asks for a single run.
func OneSeed() bool { return *onlySeed >= 0 }

// Seeds returns the seeds of a random test: 0 to n-1, or only that of the flag.
func Seeds(n uint64) []uint64 {
	if *onlySeed >= 0 {
		return []uint64{uint64(*onlySeed)}
	}
	var all []uint64
	for s := range n {
		all = append(all, s)
	}
	return all
}

// Repeat returns the command that repeats a run of a random test.
func Repeat(t *testing.T, seed uint64) string {
	t.Helper()
	folder, err := os.Getwd() // the folder of the package
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("seed %d; repeat with: go test %s -run '^%s$' -seed %d",
		seed, folder, name, seed)
}

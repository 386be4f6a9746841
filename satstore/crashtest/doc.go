// Package crashtest has helpers for the tests of all stores: random tests that can be repeated, and
// disks that fail or become full.
//
// A random test takes its seed from the environment (RECRAWL_SEED), else from the number of the
// process. RECRAWL_LONG selects long tests.
package crashtest

// Package crashtest has what the tests of all stores share: random tests that can be repeated, and
// disks that fail or become full.
//
// A random test takes its seed from the environment (RECRAWL_SEED), else from the number of the
// process. RECRAWL_LONG asks for the long form of tests.
package crashtest

// Package evaltest has what the tests of eval and of the packages below it share: random tests that
// can be repeated, and histories made by hand.
//
// Importing it defines the flag -seed of the test binary.
package evaltest

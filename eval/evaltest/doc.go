// Package evaltest has helpers for the tests of eval and the packages below it: repeatable random
// tests, and histories made by hand.
//
// Importing it defines the flag -seed of the test binary.
package evaltest

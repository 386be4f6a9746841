// Package rank orders pages: heaps by score, first-in-first-out queues, and a seeded order among
// equals that depends on addresses alone, so that runs can be repeated.
package rank

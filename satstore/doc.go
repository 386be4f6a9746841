// Package satstore keeps what is remembered of every page on disk, ordered by when the
// page is due next.
package satstore

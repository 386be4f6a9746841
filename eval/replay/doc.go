// Package replay is the third world of the loop: recorded histories answer instead of
// servers, millions of visits a minute, through the same interfaces as the live web.
//
// # Guarantees
//
//  1. A visit in a round sees the page as it stood at the end of that round.
//  2. Servers whose windows start at different times run on one clock: each is moved so that
//     its window starts at the world's epoch.
//  3. A Store keeps in memory what satstore keeps on disk.
//
// A World may be used by many goroutines; a Fetcher and a Store by one.
package replay

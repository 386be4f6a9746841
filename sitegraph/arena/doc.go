// Package arena keeps rarely read data in memory-mapped files, so that it takes memory only while
// it is in use: the addresses, links and numbers by page of a crawl of millions of pages.
//
// There are two kinds of data: pieces, which are written once and can be freed (Put, Free), and
// columns, slices of numbers that grow (Grow, Append).
//
// Nothing in the files must outlive the process, since the store has its own data. The files have
// no names, so the system removes them however the process ends. But a process may leave an image
// of them (Keep), from which the next one continues (TakeImage) instead of making them anew.
//
// # Guarantees
//
//  1. A piece that Put returned stays unchanged: after Free until the next Release.
//  2. A full disk costs memory and nothing else: Put refuses, and Grow returns a slice in memory.
//  3. The room of a freed piece is reused for one of about its size. If the image has the piece,
//     that happens after the next image.
//  4. An image exists whole or not at all, whenever the machine stops. It stays until the next one
//     replaces it, whatever the processes do that continue from it. Each byte is checked (CRC-32C)
//     before its use, or for a large image during its use: results may outlive the process once
//     Checked reports success.
//
// Data that was read or written stays in memory until Release, until the system needs the memory,
// or until it exceeds Watch, on systems that report its size (Pace, for loops that read much). A
// disk that cannot be read ends the process (SIGBUS). One goroutine uses a File. Many may read its
// pieces, and the values of a column like those of a slice.
package arena

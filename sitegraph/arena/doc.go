// Package arena keeps rarely read data in memory-mapped files, so that data takes memory only while
// it is in use. Such data are the URLs, links and numbers by page of a crawl of millions of pages.
//
// There are two kinds of data: pieces, which are written once and can be freed (Put, Free), and
// columns, slices of numbers that grow (Grow, Append).
//
// Nothing in the files needs to outlive the process, because the store has all data. The files have
// no names, so the system removes them however the process ends. But a process may leave an image
// of the files (Keep). The next process continues from the image (TakeImage), instead of making the
// files anew.
//
// # Guarantees
//
//  1. A piece that Put returned stays unchanged until it is freed, and then until the next Release.
//  2. A full disk costs memory and nothing else: Put refuses, and Grow returns a slice in memory.
//  3. A new piece of about the same size reuses the room of a freed piece. If the freed piece is
//     part of an image, its room is reused only after the next image is written.
//  4. An image exists whole or not at all, whenever the machine stops. Processes that continue from
//     an image do not change it; it stays until the next image replaces it.
//  5. Each byte of an image is checked (CRC-32C) before use. A large image is checked while it is
//     in use, so do not store results until Checked reports success.
//
// Data that was read or written stays in memory until Release, or until the system needs the
// memory. If the system reports how much memory the files take, Watch bounds it. Loops that read
// much use a Pace to stay within that bound.
//
// If the disk cannot be read, the process ends (SIGBUS). Only one goroutine may use a File. Many
// goroutines may read its pieces, and the values of a column like those of a slice.
package arena

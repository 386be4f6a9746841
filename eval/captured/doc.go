// Package captured makes page histories of captures of others, so that policies can be judged on
// any archive.
//
// # Guarantees
//
//  1. A version begins at the first capture that had its content, as it is not known when between
//     two captures a page changed. A capture of 404 or 410 ends a page, and so does one of 3xx.
//  2. All versions of a page have digests of one kind: those of bodies, with text and main text, if
//     all captures have bodies; else those that came with the captures, of bytes.
//  3. Links are those of the bodies. Where a server has no body at all, its top page gets a link to
//     each page, and the result says so: depth means nothing there. A top page that was never
//     captured is made up then.
//  4. Memory is that of the Sorter and of the captures of one server.
package captured

#!/usr/bin/env Rscript
# Oldest copy first, in the binary form: columns of numbers, which R reads without a package.
source <- file("stdin", "rb")
sink <- file("/dev/stdout", "wb", raw = TRUE)
int <- function(n) readBin(source, "integer", n, 4, endian = "little")
num <- function(n) readBin(source, "double", n, 8, endian = "little")
put <- function(x) writeBin(as.integer(x), sink, 4, endian = "little")

while (!identical(readBin(source, "raw", 1), charToRaw("\n"))) {} # hello: mode, seed, budget
writeLines('{"protocol": 1, "format": "binary", "addresses": false}', sink)
flush(sink)
last <- tie <- numeric(0) # by page, counted from 1; last is NA where a page is no candidate
while (length(int(1)) == 1) { # bytes of the message, which its head tells, too
  head <- int(8) # round, budget, want, pages, out, outcomes, bytes of addresses, 0
  num(2) # start and end of the round
  page <- int(head[4]) + 1
  int(7 * head[4]) # server, site, depth, visits, changes, errors, claimed
  column <- matrix(num(7 * head[4]), ncol = 7) # first, last, last_change, stable, shortest, ...
  last[page] <- column[, 2]
  tie[page] <- column[, 7]
  last[int(head[5]) + 1] <- NA
  int(2 * head[6]) # outcomes: page, verdict
  num(head[6]) # when
  best <- head(order(last, tie, na.last = NA), head[3])
  last[best] <- NA
  put(c(4 + 4 * length(best), length(best), best - 1))
  flush(sink)
}

package show

// Help says to users how a WARC file is shown.
const Help = `show warc reads a WARC file of any writer, compressed or not, and prints its records: where each
begins, how large it is, what it is about, and whether the digests of block and payload hold. It reads
up to the first damage and names it. The exit code is 4 where something is damaged or a digest is wrong.`

// Examples are calls of it.
const Examples = `  recrawl show warc archive/recrawl-20260131120000-00000.warc.gz
  recrawl show warc --json other.warc.gz | jq '.records[].header'`

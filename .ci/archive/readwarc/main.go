// Command readwarc reads WARC files with gowarc, of the National Library of Norway, which checks
// their syntax and recomputes every digest. It prints the lines that warcio.mjs prints, so that
// both readers can be compared.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/nlnwa/gowarc/v3"
)

func main() {
	records, faults := 0, 0
	for _, file := range os.Args[1:] {
		n, bad := read(file)
		records, faults = records+n, faults+bad
	}
	fmt.Fprintf(os.Stderr, "gowarc: %d records, %d faults\n", records, faults)
	if faults > 0 || records == 0 {
		os.Exit(1)
	}
}

func read(file string) (records, faults int) {
	fault := func(at int64, err error) {
		if faults++; faults <= 20 {
			fmt.Fprintf(os.Stderr, "%s at %d: %v\n", file, at, err)
		}
	}
	r, err := gowarc.NewWarcFileReader(file, 0,
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrWarn),
		gowarc.WithSpecViolationPolicy(gowarc.ErrWarn),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrFail), gowarc.WithAddMissingDigest(false))
	if err != nil {
		fault(0, err)
		return 0, faults
	}
	defer r.Close()
	for record, err := range r.Records() {
		if err != nil {
			fault(record.Offset, err)
			return records, faults
		}
		records++
		wrong, err := record.WarcRecord.ValidateDigest()
		block, ok := record.WarcRecord.Block().(gowarc.Block)
		chunked := isChunked(block)
		for _, w := range append(wrong, record.Validation...) {
			// gowarc sums up the chunks themselves; by WARC 1.1, 5.9 they are no part of a payload.
			if !chunked || !strings.HasPrefix(w.Error(), "payload: wrong digest") {
				fault(record.Offset, w)
			}
		}
		if err != nil {
			fault(record.Offset, err)
		}
		if !ok {
			continue
		}
		length, _ := record.WarcRecord.ContentLength()
		payload := "-"
		if p, ok := block.(gowarc.PayloadBlock); ok && record.WarcRecord.Type() == gowarc.Response {
			payload = p.PayloadDigest()
		}
		if chunked {
			payload = "chunked"
		}
		fmt.Println(record.WarcRecord.Type(), "<"+record.WarcRecord.RecordId()+">", length,
			block.BlockDigest(), payload)
		record.WarcRecord.Close()
	}
	return records, faults
}

func isChunked(block any) bool {
	b, ok := block.(gowarc.ProtocolHeaderBlock)
	return ok && strings.Contains(strings.ToLower(string(b.ProtocolHeaderBytes())),
		"\r\ntransfer-encoding: chunked\r\n")
}

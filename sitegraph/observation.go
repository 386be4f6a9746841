package sitegraph

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Outcome is how a visit ended. A misbehaving site is an outcome, never an error of the program.
type Outcome uint8

const (
	OutcomeUnknown     Outcome = iota
	OutcomeFetched             // an HTML page with its body, or a source
	OutcomeNotModified         // 304: the copy is still good (RFC 9110 15.4.5)
	OutcomeGone                // 404 or 410
	OutcomeRedirected          // 3xx with a usable Location, kept in RedirectTo
	OutcomeExcluded            // robots.txt, an address policy, or no HTML page and no source
	OutcomeFailed              // anything temporary: 5xx, time-out, refused connection
)

var outcomeNames = [...]string{
	"unknown",
	"fetched",
	"not-modified",
	"gone",
	"redirected",
	"excluded",
	"failed",
}

func (o Outcome) String() string { return enumName(outcomeNames[:], int(o)) }

// Digest is the MD5 of a content. The zero value means unknown.
type Digest [md5.Size]byte

// IsZero reports whether the digest is unknown.
func (d Digest) IsZero() bool { return d == Digest{} }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// DigestOf returns the MD5 of b.
func DigestOf(b []byte) Digest { return md5.Sum(b) }

// ParseDigest parses 32 hexadecimal digits as an MD5. It reduces "algorithm:hex" of another
// algorithm to 16 bytes by MD5, so that equal digests stay equal.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	if algorithm, rest, ok := strings.Cut(s, ":"); ok {
		if algorithm != "md5" {
			if rest == "" || algorithm == "" {
				return d, fmt.Errorf("digest %q has no algorithm or no value", s)
			}
			return md5.Sum([]byte(s)), nil
		}
		s = rest
	}
	if len(s) != 2*md5.Size {
		return d, fmt.Errorf("digest %q is not 32 hexadecimal digits", s)
	}
	if _, err := hex.Decode(d[:], []byte(s)); err != nil {
		return Digest{}, fmt.Errorf("digest %q is not 32 hexadecimal digits", s)
	}
	return d, nil
}

// Digests are the three fingerprints of one content. Unknown ones are zero.
type Digests struct {
	// Bytes is that of the body as sent, without content coding; for a file, such as PDF, that of
	// its text; or see PayloadDigest.
	Bytes Digest
	Text  Digest // the visible text
	Main  Digest // the main text: without navigation, header, footer, sidebars; or see RuledDigest
}

// ChangeBy names the digest whose difference counts as a change.
type ChangeBy uint8

const (
	ChangeByBytes ChangeBy = iota // --change digest, the default
	ChangeByText
	ChangeByMain
)

var changeByNames = [...]string{"digest", "text", "main"}

func (c ChangeBy) String() string { return enumName(changeByNames[:], int(c)) }

// ParseChangeBy reads "digest", "text" or "main".
func ParseChangeBy(s string) (ChangeBy, error) {
	for i, name := range changeByNames {
		if s == name {
			return ChangeBy(i), nil
		}
	}
	return 0, fmt.Errorf("unknown kind of change %q: want digest, text or main", s)
}

// Key returns the digest that decides; that of the bytes if the named one is unknown.
func (d Digests) Key(by ChangeBy) Digest {
	switch {
	case by == ChangeByText && !d.Text.IsZero():
		return d.Text
	case by == ChangeByMain && !d.Main.IsZero():
		return d.Main
	}
	return d.Bytes
}

// Differ reports whether two contents differ by the named digest, or by a common rule (see
// Compare). The digests of text and main text decide only if both sides have them; otherwise those
// of the bytes do.
func (d Digests) Differ(other Digests, by ChangeBy) bool {
	return d.Compare(other, by) == Different
}

func (d Digests) differ(other Digests, by ChangeBy) bool {
	switch {
	case by == ChangeByText && !d.Text.IsZero() && !other.Text.IsZero():
		return d.Text != other.Text
	case by == ChangeByMain && !d.Main.IsZero() && !other.Main.IsZero():
		return d.Main != other.Main
	}
	return d.Bytes != other.Bytes
}

// byBytes reports whether the digests of the bytes decide.
func (d Digests) byBytes(other Digests, by ChangeBy) bool {
	return by == ChangeByBytes || by == ChangeByText && (d.Text.IsZero() || other.Text.IsZero()) ||
		by == ChangeByMain && (d.Main.IsZero() || other.Main.IsZero())
}

// Observation is what one visit saw. It does not change after the fetcher returned it.
type Observation struct {
	URL     string    // the requested canonical address
	Time    time.Time // when the page was in this state
	Outcome Outcome
	Status  int    // HTTP status; 0 if there was no answer
	Detail  string // for people: why it failed or was excluded; "" otherwise

	Digests Digests // of a fetched page, or of one that a filter rejects
	// CopyMain is Digests.Main of the copy by the present rule, made from a kept body. Zero: that
	// of the record holds.
	CopyMain  Digest
	Size      int64 // bytes of the body read
	Truncated bool  // the body was cut at the limit
	// Transferred is how many bytes the visit read from the network in all, with headers,
	// robots.txt and encryption. 0: unknown; then Size is used.
	Transferred int64

	// Links and Frames are canonical absolute addresses without fragments, each once, without the
	// page itself. Frames are also among the links. LinksKnown is false if the visit saw no links
	// (304, failures): then the old ones remain. FramesKnown is false if frames cannot be
	// distinguished from other links.
	Links, Frames           []string
	LinksKnown, FramesKnown bool

	// Sources are canonical addresses of feeds and sitemaps of the server, named by the page or the
	// server's robots.txt, or /sitemap.xml if robots.txt names none.
	Sources []string
	// Source is the kind of source that was fetched, SourceUnknown for a page. Claims are its
	// claims, each address once; perhaps only a part of them: see Truncated.
	Source SourceKind
	Claims []Claim
	// Hubs are canonical addresses for subscriptions to changes of a fetched source, and Topic is
	// its address there (WebSub 4); none: it names no hub.
	Hubs  []string
	Topic string

	RedirectTo string // canonical address, for OutcomeRedirected
	// Canonical is the address that the page names as its own (RFC 6596), if it is another one; "":
	// none.
	Canonical    string
	ETag         string
	LastModified time.Time // zero: unknown
	NoIndex      bool      // meta robots or X-Robots-Tag
	NoArchive    bool      // the same, for any answer: its body is not to be kept
	MediaType    string    // as sent by the server, in lower case without parameters; "": unknown
	Address      string    // IP address of the server; "": no server was asked

	// Watched has the watched parts of a fetched page; nil: none.
	Watched *Watched

	// Trouble is the outcome's meaning for the server, beside the page.
	Trouble Trouble
	// ByRobots is set if robots.txt excludes the page.
	ByRobots bool
	// Filter is the name of the user's filter that excludes the page; "": none.
	Filter string
	// Denied is the user's setting that excludes the page; zero: none.
	Denied Denial
	// Robots is a fingerprint of the rules of robots.txt for this crawler; 0: unknown.
	Robots uint64

	Elapsed   time.Duration // from the request to the last byte
	NotBefore time.Time     // the server must not be asked earlier; zero: no wish
}

// Watched is the part of a page for those who watch it.
type Watched struct {
	Title string
	Dated time.Time // last change by the document's own date; zero: none
	Texts []string  // one for each watcher, in the order of the fetcher's request
	// Challenge is set if the page asks whether a person sees it, instead of showing its content.
	Challenge bool
}

// Trouble is the outcome's meaning for the server: whether to ask it more slowly.
type Trouble uint8

const (
	TroubleUnknown Trouble = iota // unknown: no request was sent
	TroubleNone                   // a proper answer
	// TroubleFailing: it answered with 5xx, closed the connection, or did not answer in time.
	TroubleFailing
	TroubleBusy // it asked for fewer requests: 429 or 503
)

var troubleNames = [...]string{"unknown", "none", "failing", "busy"}

func (t Trouble) String() string { return enumName(troubleNames[:], int(t)) }

// Verdict is the meaning of an observation for a page, given its record.
type Verdict uint8

const (
	VerdictUnknown   Verdict = iota // nothing: a failure, or an observation applied before
	VerdictFirst                    // the first copy, or the first after the page was gone
	VerdictUnchanged                // the copy is still good
	VerdictChanged                  // the content differs from the copy
	VerdictLeft                     // gone, moved elsewhere, or excluded
	// VerdictDoubted: one answer says that it left, which is no proof: the copy stays.
	VerdictDoubted
	VerdictBaseline // another rule read the copy: not compared; the next visit is
)

var verdictNames = [...]string{"unknown", "first", "unchanged", "changed", "left", "doubted",
	"baseline"}

func (v Verdict) String() string { return enumName(verdictNames[:], int(v)) }

func enumName(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("unknown(%d)", i)
}

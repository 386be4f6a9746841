package sitegraph

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Outcome is how a visit ended. A site that misbehaves is an outcome, never an error of the
// program.
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

// Digest is the MD5 of a content. The zero value means: not known.
type Digest [md5.Size]byte

// IsZero reports whether the digest is not known.
func (d Digest) IsZero() bool { return d == Digest{} }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// DigestOf returns the MD5 of b.
func DigestOf(b []byte) Digest { return md5.Sum(b) }

// ParseDigest reads 32 hexadecimal digits as an MD5. "algorithm:hex" of another algorithm is
// reduced to 16 bytes by MD5, so that equal digests stay equal.
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

// Digests are the three fingerprints of one content. Those not known are zero.
type Digests struct {
	// Bytes is of the body as it was sent, after content coding was undone; of a file, such as PDF,
	// of its text; or see PayloadDigest.
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

// Key returns the digest that decides; that of the bytes where the one asked for is not known.
func (d Digests) Key(by ChangeBy) Digest {
	switch {
	case by == ChangeByText && !d.Text.IsZero():
		return d.Text
	case by == ChangeByMain && !d.Main.IsZero():
		return d.Main
	}
	return d.Bytes
}

// Differ reports whether two contents differ by the digest asked for, or by the rule that both
// have (see Compare). The digests of text and main text decide only where both sides have them;
// otherwise those of the bytes do.
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

// Observation is what one visit saw. It is not changed after the fetcher returned it.
type Observation struct {
	URL     string    // the canonical address asked for
	Time    time.Time // the moment whose state of the page this is
	Outcome Outcome
	Status  int    // HTTP status; 0 if no answer came
	Detail  string // for people: why it failed or was excluded; "" otherwise

	Digests Digests // of a fetched page, or of one that a filter rejects
	// CopyMain is Digests.Main of the copy by what counts now, made of a body that was kept. Zero:
	// that of the record holds.
	CopyMain  Digest
	Size      int64 // bytes of the body read
	Truncated bool  // the body was cut at the limit
	// Transferred is how many bytes the visit read from the network in all, with headers,
	// robots.txt and encryption. 0: not known; then Size is used.
	Transferred int64

	// Links and Frames are canonical absolute addresses without fragments, each once, without the
	// page itself. Frames are also among the links. LinksKnown is false where the visit saw no
	// links (304, failures): then the old ones remain. FramesKnown is false where frames cannot be
	// told from other links.
	Links, Frames           []string
	LinksKnown, FramesKnown bool

	// Sources are canonical addresses of feeds and sitemaps of the server that the page or the
	// server's robots.txt names, or /sitemap.xml where robots.txt names none.
	Sources []string
	// Source is the kind of source that was fetched, SourceUnknown for a page. Claims are what it
	// claims, each address once; perhaps only a part of them: see Truncated.
	Source SourceKind
	Claims []Claim
	// Hubs are canonical addresses at which changes of a source that was fetched can be subscribed
	// to, and Topic is the address under which they know it (WebSub 4); none: it names no hub.
	Hubs  []string
	Topic string

	RedirectTo string // canonical address, for OutcomeRedirected
	// What the page names as its own address (RFC 6596), if that is another one; "": nothing.
	Canonical    string
	ETag         string
	LastModified time.Time // zero: not told
	NoIndex      bool      // meta robots or X-Robots-Tag
	NoArchive    bool      // the same: the body of the answer is not to be kept. Of any answer
	MediaType    string    // as the server named it, in lower case without parameters; "": not told
	Address      string    // IP address that was asked; "": none was

	// Watched is what is watched of a page that was fetched; nil: nothing is.
	Watched *Watched

	// Trouble says what the outcome tells of the server, beside the page.
	Trouble Trouble
	// ByRobots: robots.txt is why the page is excluded.
	ByRobots bool
	// Filter is the name of the filter of the user that excludes the page; "": none does.
	Filter string
	// Denied is the setting of the user that excludes the page; zero: none does.
	Denied Denial
	// Robots is a fingerprint of the rules of robots.txt that hold for us; 0: not known.
	Robots uint64

	Elapsed   time.Duration // from the request to the last byte
	NotBefore time.Time     // the server is not to be asked again earlier; zero: no wish
}

// Watched is what those who watch a page get to see of it.
type Watched struct {
	Title string
	Dated time.Time // when it was last changed, as a document says itself; zero: it does not
	Texts []string  // one for each of them, in the order in which the fetcher was asked for them
	// Challenge is whether the page asks if a person sees it, in place of its matter.
	Challenge bool
}

// Trouble is what an outcome tells of the server: whether it should be asked more slowly.
type Trouble uint8

const (
	TroubleUnknown Trouble = iota // not known: no request was sent
	TroubleNone                   // the server answered as a server should
	// it answered with 5xx, broke the connection off, or did not answer in time
	TroubleFailing
	TroubleBusy // it asked for fewer requests: 429 or 503
)

var troubleNames = [...]string{"unknown", "none", "failing", "busy"}

func (t Trouble) String() string { return enumName(troubleNames[:], int(t)) }

// Verdict is what an observation means for a page, given what we remembered.
type Verdict uint8

const (
	VerdictUnknown   Verdict = iota // told nothing: a failure, or an observation applied before
	VerdictFirst                    // the first copy, or the first after the page was gone
	VerdictUnchanged                // the copy is still good
	VerdictChanged                  // the content differs from the copy
	VerdictLeft                     // gone, moved elsewhere, or excluded
	// one answer says that it left, which is no proof: the copy stays
	VerdictDoubted
	VerdictBaseline // the copy was read by another rule: not compared, the next visit is
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

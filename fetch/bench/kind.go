package bench

// Kinds of clients.
const (
	Raw = "raw" // net/http, connections kept alive, bodies dropped
	// net/http, a new connection for each page, as pauses make it
	RawNew                = "raw-new"
	Colly                 = "colly"           // colly v2: robots.txt, links, digests
	Ours                  = "run"             // this program
	OursUnmodified        = "run-304"         // again, without changed pages
	OursArchive           = "run-archive"     // with --archive
	OursArchiveUnmodified = "run-archive-304" // again, without changed pages
	// OursArchiveStored is with --archive, and without compression by the program.
	OursArchiveStored = "run-archive-stored"
	OursGzip          = "run-gzip" // pages sent with gzip
	OursGzipArchive   = "run-gzip-archive"
)

// Kind is a client and its settings.
type Kind struct {
	Name, About string

	ours     bool // a run of this program
	packed   bool // pages sent with gzip
	archived bool
	stored   bool   // no compression by this program
	after    string // client whose directory is reused; "": a new one
}

// Kinds are all clients in the order of their turns.
var Kinds = []Kind{
	{Name: Raw, About: "net/http, connections kept alive, bodies dropped"},
	{Name: RawNew, About: "net/http, a new connection for each page"},
	{Name: Colly, About: "colly v2: robots.txt, links resolved, a digest of each page, " +
		"connections kept alive"},
	{Name: Ours, About: "recrawl run: from the start pages on, with robots.txt, links, digests, " +
		"planner, store", ours: true},
	{Name: OursUnmodified, About: "recrawl run once more: all pages answer 304", ours: true,
		after: Ours},
	{Name: OursArchive, About: "recrawl run --archive", ours: true, archived: true},
	{Name: OursArchiveUnmodified, About: "recrawl run --archive once more: all pages answer 304",
		ours: true, archived: true, after: OursArchive},
	{Name: OursArchiveStored, About: "recrawl run --archive --archive-gzip=false", ours: true,
		archived: true, stored: true},
	{Name: OursGzip, About: "recrawl run, pages sent with gzip", ours: true, packed: true},
	{Name: OursGzipArchive, About: "recrawl run --archive, pages sent with gzip", ours: true,
		packed: true, archived: true},
}

// requirements are ratios of CPU a page, with their limits.
var requirements = []struct {
	of, to string
	most   float64
}{
	{Ours, Colly, 0.55},
	{OursArchive, Colly, 0.70},
	{OursGzipArchive, Colly, 0.70},
	{OursUnmodified, Raw, 4},
	{OursArchive, Ours, 1.25},
	{OursArchiveStored, Ours, 1.25},
	{OursGzipArchive, OursGzip, 1.25},
}

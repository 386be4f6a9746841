package listed

// Kind is the kind of a line of a list.
type Kind uint8

const (
	Unknown Kind = iota
	Address
	Blank
	Comment
	Header    // names of columns
	NoScheme  // such as www.example.org/page
	NotWeb    // another scheme than http and https
	Spaced    // a blank in the address
	Divided   // a comma or another separator inside, which may begin a column
	Several   // more than one address
	Invisible // control characters, or other invisible ones
	Forbidden // a character that is never in an address
	TooLong   // longer than an address may be
	NotUTF8   // bytes that are no UTF-8
	Zeros     // zero bytes
	Malformed // no whole address of a page
	Kinds     // their number
)

var kindNames = [Kinds]string{
	"unknown", "an address", "blank", "comment", "names of columns",
	"no http:// or https:// before it", "not http or https", "a blank inside",
	"a comma, semicolon or bar that may begin a column",
	"several addresses in a line", "control or invisible characters inside",
	"quotes, brackets or backslashes inside", "too long", "not UTF-8",
	"zero bytes: no text", "no whole web address",
}

func (k Kind) String() string { return kindNames[k] }

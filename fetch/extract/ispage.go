package extract

import "strings"

// notPages are extensions of paths that are no pages, by kind. Links to them are left out: a visit
// would cost a request and find no HTML.
var notPages = func() map[string]bool {
	set := map[string]bool{}
	for _, kind := range []string{
		// Documents
		"pdf ps eps dvi djvu epub mobi doc docx xls xlsx ppt pptx odt ods odp rtf tex bib",
		// Images
		"png jpg jpeg jpe gif svg svgz webp avif ico bmp tif tiff psd ai heic",
		// Sound, films
		"mp3 ogg oga wav flac m4a aac mid mp4 m4v webm ogv avi mov mkv mpg mpeg wmv flv swf",
		// Archives
		"zip gz tgz bz2 tbz xz txz lz lzma zst tar rar 7z jar war ear whl gem deb rpm dmg iso cab",
		// Programs
		"exe msi apk bin pkg img dll so class wasm dat",
		// Parts of pages
		"css less scss js mjs cjs ts map woff woff2 ttf otf eot",
		// Data, feeds
		"xml rss atom rdf json jsonl jsonld yaml yml toml csv tsv sql xsd xsl xslt dtd wsdl owl ttl",
		// Plain text, signatures
		"txt md rst log patch diff asc sig sha1 sha256 sha512 md5 ics vcf torrent",
		// Source text
		"c h cc cpp hpp java py rb go rs pl sh bat ps1 ipynb r rmd proto",
	} {
		for _, ending := range strings.Fields(kind) {
			set[ending] = true
		}
	}
	return set
}()

// maxEnding is longer than any listed extension.
const maxEnding = 8

// IsPage reports whether a canonical URL may lead to a page, by its extension. If documents count
// as pages, use Forms.IsPage.
func IsPage(url string) bool { return Forms(0).IsPage(url) }

// endingOf returns the listed extension of a URL in lower case, or "".
func endingOf(url string) string {
	if i := strings.IndexByte(url, '?'); i >= 0 {
		url = url[:i]
	}
	name := url[strings.LastIndexByte(url, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || len(name)-dot-1 > maxEnding {
		return ""
	}
	return strings.ToLower(name[dot+1:])
}

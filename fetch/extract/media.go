package extract

import (
	"mime"
	"strings"
)

// IsHTML reports whether a Content-Type is that of HTML or XHTML, also one with malformed
// parameters.
func IsHTML(contentType string) bool {
	kind := mediaType(contentType)
	return kind == "text/html" || kind == "application/xhtml+xml"
}

// mediaType is a Content-Type in lower case without its parameters, which may be malformed.
func mediaType(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(contentType, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind
}

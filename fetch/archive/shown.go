package archive

import (
	"path"
	"strings"
)

// shown are the endings of what pages show, where a server gives no type that says so.
var shown = map[string]bool{".css": true, ".js": true, ".mjs": true, ".woff": true, ".woff2": true,
	".ttf": true, ".otf": true, ".eot": true, ".png": true, ".jpg": true, ".jpeg": true,
	".gif": true, ".webp": true, ".avif": true, ".svg": true, ".ico": true, ".mp4": true,
	".webm": true, ".mp3": true, ".ogg": true}

// IsShown reports whether an address with answers of a media type is what pages show, and no page:
// a style sheet, script, picture, font or a piece of media. The type may be "", if it is not known.
func IsShown(url, mime string) bool {
	kind, of, _ := strings.Cut(mime, "/")
	switch kind {
	case "image", "font", "audio", "video":
		return true
	case "", "unk":
	default:
		if of != "octet-stream" {
			return of == "css" || strings.HasSuffix(of, "javascript") ||
				strings.Contains(of, "font-")
		}
	}
	return shown[Ending(url)]
}

// Ending returns the ending of the path of an address in lower case, for example ".css"; "" if it
// has none.
func Ending(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return strings.ToLower(path.Ext(url))
}

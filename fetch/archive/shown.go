package archive

import (
	"path"
	"strings"
)

// shown are the extensions of requisites, for servers that send no usable type.
var shown = map[string]bool{".css": true, ".js": true, ".mjs": true, ".woff": true, ".woff2": true,
	".ttf": true, ".otf": true, ".eot": true, ".png": true, ".jpg": true, ".jpeg": true,
	".gif": true, ".webp": true, ".avif": true, ".svg": true, ".ico": true, ".mp4": true,
	".webm": true, ".mp3": true, ".ogg": true}

// IsShown reports whether a URL is a requisite and not a page, by the media type of its answers: a
// style sheet, script, picture, font or piece of media. The type may be "" if it is not known.
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

// Ending returns the extension of the path of a URL in lower case, for example ".css", or "".
func Ending(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return strings.ToLower(path.Ext(url))
}

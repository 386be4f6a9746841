package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	icu "github.com/saintfish/chardet"
	"github.com/wlynxg/chardet"
	"golang.org/x/text/encoding/japanese"
)

// isUTF8 reports whether a page without a charset is UTF-8, except for a character cut at its end,
// or a few mistakes.
func isUTF8(page []byte) bool {
	if utf8.Valid(page) {
		return true
	}
	const mistakes = 10 // characters for each mistake
	characters, wrong := 0, 0
	for len(page) > 0 {
		if i := firstHigh(page); i > 0 {
			page = page[i:]
			continue
		}
		_, n := utf8.DecodeRune(page)
		switch {
		case n > 1:
			characters++
		case !utf8.FullRune(page): // cut
		default:
			wrong++
		}
		page = page[n:]
	}
	return characters > 0 && characters >= mistakes*wrong
}

// firstHigh returns the place of the first octet beyond ASCII, or the length of text.
func firstHigh(text []byte) int {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(text)
}

// utf16 returns the form of UTF-16 in which a page without a byte order mark begins, by its first
// tag, or "".
func utf16(page []byte) string {
	for ; len(page) >= 4; page = page[2:] {
		a, b := page[0], page[1]
		switch {
		case a == '<' && b == 0 && page[3] == 0:
			return "utf-16le"
		case a == 0 && b == '<' && page[2] == 0:
			return "utf-16be"
		case a|b > ' ' || a != 0 && b != 0:
			return ""
		}
	}
	return ""
}

// isISO2022JP reports whether a page switches to Japanese characters and decodes without a mistake.
func isISO2022JP(page []byte) bool {
	if bytes.IndexByte(page, 0x1b) < 0 || firstHigh(page) < len(page) ||
		!bytes.Contains(page, []byte("\x1b$B")) && !bytes.Contains(page, []byte("\x1b$@")) {
		return false
	}
	text, err := japanese.ISO2022JP.NewDecoder().Bytes(page)
	return err == nil && !bytes.ContainsRune(text, utf8.RuneError)
}

const (
	// mostGuessed limits the text for a guess, in octets.
	mostGuessed = 4 << 10
	// leastSure is the least confidence of the detector.
	leastSure = 0.5
)

// guessed maps names of the detector to charsets that may be guessed. Latin ones are missing: they
// cannot be distinguished reliably, so the usual one, windows-1252, is used. Of two charsets for a
// script the usual one is used also.
var guessed = map[string]string{
	"SHIFT_JIS": "shift_jis", "CP932": "shift_jis", "EUC-JP": "euc-jp",
	"EUC-KR": "euc-kr", "CP949": "euc-kr", "GB2312": "gb18030", "GB18030": "gb18030",
	"Big5": "big5", "Windows-1251": "windows-1251", "MacCyrillic": "windows-1251",
	"KOI8-R": "koi8-r", "ISO-8859-5": "iso-8859-5", "IBM866": "ibm866",
	"Windows-1253": "windows-1253", "ISO-8859-7": "windows-1253", "Windows-1255": "windows-1255",
	"TIS-620": "windows-874",
}

// paired are charsets with characters of two octets. At least share percent of the characters of a
// text are common ones. A few words show that, while a detector that counts frequencies needs more.
var paired = []struct {
	name   string
	share  int
	common func(lead, trail byte) bool
}{
	{"shift_jis", 10, func(lead, trail byte) bool { // kana
		return lead == 0x82 && trail >= 0x9f || lead == 0x83
	}},
	{"euc-jp", 20, func(lead, trail byte) bool { // kana
		return (lead == 0xa4 || lead == 0xa5) && trail >= 0xa1
	}},
	{"euc-kr", 70, func(lead, trail byte) bool { // Hangul
		return lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1
	}},
	{"gb18030", 90, func(lead, trail byte) bool { // level 1 of GB 2312, and punctuation
		return (lead >= 0xb0 && lead <= 0xd7 || lead == 0xa1 || lead == 0xa3) && trail >= 0xa1
	}},
	{"big5", 90, func(lead, trail byte) bool { // level 1, and punctuation
		return lead >= 0xa4 && lead <= 0xc6 || lead == 0xa1
	}},
}

// guess returns the charset of a page that names none and is not in UTF-8.
//
// Letters beyond ASCII stand alone in Latin words, and side by side in other scripts. More text
// does not change that. So a page in windows-1252 remains one, whatever the detector says.
func guess(page []byte) string {
	const usual = "windows-1252"
	text := textToGuess(page)
	together := standTogether(text)
	for i, p := range paired {
		// In Shift_JIS the second octet of a character may be ASCII.
		if (i == 0 || together) && isPaired(text, p.share, p.common) {
			return p.name
		}
	}
	if !together {
		return usual
	}
	r := chardet.Detect(text)
	name, ok := guessed[r.Encoding]
	if !ok || r.Confidence < leastSure {
		return cmp.Or(arabic(text), usual)
	}
	if name == "koi8-r" && slices.ContainsFunc(text, isOfUkraine) {
		return "koi8-u"
	}
	return name
}

// arabic returns the charset of a text in Arabic or Persian, whose letters the other detector does
// not know, or "".
func arabic(text []byte) string {
	const least = 25 // percent; Persian reaches little more
	r, err := icu.NewTextDetector().DetectBest(text)
	if err != nil || r.Confidence < least {
		return ""
	}
	switch r.Charset {
	case "windows-1256", "ISO-8859-6":
		return r.Charset
	}
	return ""
}

// isOfUkraine reports whether an octet is a letter in KOI8-U and a line in KOI8-R.
func isOfUkraine(c byte) bool { return strings.IndexByte("\xa4\xa6\xa7\xad", c) >= 0 }

// isPaired reports whether a text consists of pairs of octets, with enough common ones.
func isPaired(text []byte, share int, common func(lead, trail byte) bool) bool {
	const least = 6 // characters
	all, found, wrong := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch lead := text[i]; {
		case lead < utf8.RuneSelf:
		case i+1 == len(text) || text[i+1] < 0x40:
			wrong++
		default:
			i++
			all++
			if common(lead, text[i]) {
				found++
			}
		}
	}
	return all >= least && found > 1 && 100*found >= share*all && 50*wrong <= all
}

// standTogether reports whether most octets beyond ASCII have a neighbour beyond ASCII. Blanks do
// not count, nor repeated octets such as lines of dots.
func standTogether(text []byte) bool {
	const blank = 0xa0
	high := func(i int) bool { return text[i] >= utf8.RuneSelf && text[i] != blank }
	alone, together := 0, 0
	for i, c := range text {
		switch {
		case !high(i):
		case i > 0 && high(i-1) && text[i-1] != c, i+1 < len(text) && high(i+1) && text[i+1] != c:
			together++
		default:
			alone++
		}
	}
	return together > alone
}

// textToGuess returns the start of the text between tags, without lines and elements in pure ASCII.
// It cuts between characters.
func textToGuess(page []byte) []byte {
	text := make([]byte, 0, mostGuessed)
	for len(page) > 0 {
		end := bytes.IndexAny(page, "<\n")
		part := page
		if end >= 0 {
			part = page[:end]
		}
		if firstHigh(part) < len(part) {
			if len(text) > 0 && len(text)+len(part) > mostGuessed {
				break
			}
			text = append(append(text, part[:min(len(part), mostGuessed)]...), '\n')
		}
		if end < 0 {
			break
		}
		closed := end
		if page[end] == '<' {
			if closed = bytes.IndexByte(page, '>'); closed < end {
				closed = end
			}
		}
		page = page[closed+1:]
	}
	return text
}

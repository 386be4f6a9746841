package extract

import (
	"bytes"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

// Some servers answer 200 for missing pages (a soft 404). Package fetch compares the Sketch of a
// page with the one of the server's answer for a URL that cannot exist.

const (
	// sketchSize is the most pairs of words in a sketch. Texts with fewer pairs are compared
	// exactly, longer ones with a standard error of 0.03 at a resemblance of 0.9.
	sketchSize = 128
	// maxHeading limits the part of a title or heading that is read, in octets.
	maxHeading = 256
)

// Sketch is a sample of the pairs of neighbouring words of a text, and its title (Broder, "On the
// resemblance and containment of documents", 1997, bottom-k). Words of the page's URL are left out,
// because soft 404 pages often repeat it.
type Sketch struct {
	Pairs []uint32 // the smallest hashes, ascending, at most sketchSize
	Words int      // number of words in the text
	Title uint64   // hash of the title; 0: none
}

// Resemblance returns the share of all pairs of words that two texts have in common, 0 to 1. For
// texts longer than a sketch it is an estimate.
func (s *Sketch) Resemblance(other *Sketch) float64 {
	a, b := s.Pairs, other.Pairs
	union, common := 0, 0
	for union < sketchSize && (len(a) > 0 || len(b) > 0) {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			common++
		}
		union++
	}
	if union == 0 {
		return 0
	}
	return float64(common) / float64(union)
}

func sketchOf(text, title []byte, url string) *Sketch {
	skip := map[string]bool{}
	for _, word := range wordsOf([]byte(url)) {
		skip[word] = true
	}
	s := &Sketch{Title: 0}
	words := slices.DeleteFunc(wordsOf(text), func(w string) bool { return skip[w] })
	s.Words = len(words)
	for i := 1; i < len(words); i++ {
		h := fnv.New64a()
		h.Write([]byte(words[i-1]))
		h.Write([]byte{0})
		h.Write([]byte(words[i]))
		sum := h.Sum64() // the low half alone mixes the last octets badly
		s.Pairs = append(s.Pairs, uint32(sum^sum>>32))
	}
	slices.Sort(s.Pairs)
	s.Pairs = slices.Compact(s.Pairs)
	if len(s.Pairs) > sketchSize {
		s.Pairs = slices.Clone(s.Pairs[:sketchSize])
	}
	if named := slices.DeleteFunc(wordsOf(title), func(w string) bool {
		return skip[w]
	}); len(named) > 0 {
		h := fnv.New64a()
		for _, word := range named {
			h.Write([]byte(word))
			h.Write([]byte{0})
		}
		s.Title = h.Sum64()
	}
	return s
}

// wordsOf returns the runs of letters and digits, in lower case.
func wordsOf(text []byte) []string {
	return strings.FieldsFunc(string(bytes.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// saysMissing reports whether a title or heading says that the page is missing.
func saysMissing(heading []byte) bool {
	words := " " + strings.Join(wordsOf(heading[:min(len(heading), maxHeading)]), " ") + " "
	return slices.ContainsFunc(missingPhrases, func(phrase string) bool {
		return strings.Contains(words, phrase)
	})
}

// missingPhrases are phrases in titles of missing pages, in the form of wordsOf. Those with blanks
// around them are whole words.
var missingPhrases = []string{
	" 404 ", " error 410 ", "not found", "cannot be found", "could not be found", "can t be found",
	"couldn t find",
	"does not exist", "doesn t exist", "no longer exists", "no longer available", "page missing",
	"page unavailable",
	"nicht gefunden", "existiert nicht", "nicht mehr verfügbar", "nicht vorhanden",
	"introuvable", "non trouvée", "n existe pas", "n existe plus", "pas été trouvée",
	"no encontrada", "no encontrado", "no existe", "não encontrada", "não encontrado", "não existe",
	"non trovata", "non trovato", "non esiste", "niet gevonden", "bestaat niet", "nie znaleziono",
	"nie istnieje",
	"nenalezena", "neexistuje", "hittades inte", "ikke fundet", "ikke funnet", "ei löytynyt",
	"bulunamadı", "nem található",
	"не найдена", "не найден", "не существует", "не знайдено", "見つかりません", "存在しません", "找不到", "不存在",
	"찾을 수 없",
}

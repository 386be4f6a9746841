package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"github.com/recrawl/recrawl/fetch/archive"
)

// Difference is the difference between two texts of a page, word by word.
type Difference struct {
	Removed int     `json:"removed"` // words
	Added   int     `json:"added"`
	Pieces  []Piece `json:"pieces"`
	// More counts the removed and added words without room in Pieces.
	More int `json:"more,omitempty"`

	sameAs string // equal for equal differences
}

// Piece is a run of added, removed or neighbouring words.
type Piece = archive.DifferencePiece

const (
	// compareFor limits the time of a comparison; the pages of data/sites take a few milliseconds
	// each.
	compareFor = 300 * time.Millisecond
	// beside is the number of words shown next to a difference, mostShown the number of octets in
	// all.
	beside    = 6
	mostShown = 3000
)

// differenceOf compares two texts.
func differenceOf(older, newer string) Difference {
	return Shorten(archive.DifferenceOfWords(older, newer, compareFor))
}

// Shorten returns the part of a comparison for people: the differing words and a few around them,
// at most mostShown octets.
func Shorten(r *archive.Difference) Difference {
	d := Difference{Removed: r.Removed, Added: r.Added}
	hash := sha256.New()
	room := mostShown
	for i, p := range r.Pieces {
		if p.Of == "equal" {
			if room > 0 {
				text := near(p.Text, i > 0, i < len(r.Pieces)-1)
				d.Pieces = append(d.Pieces, Piece{Of: p.Of, Text: text})
				room -= len(text)
			}
			continue
		}
		hash.Write([]byte(p.Of[:1] + strings.TrimSpace(p.Text) + "\n"))
		text := strings.Map(visible, p.Text)
		if room < len(text) {
			all := len(strings.Fields(text))
			text = beginning(text, max(room, 0))
			d.More += all - len(strings.Fields(text))
			room = 0
		}
		room -= len(text)
		if text != "" {
			d.Pieces = append(d.Pieces, Piece{Of: p.Of, Text: text})
		}
	}
	d.sameAs = hex.EncodeToString(hash.Sum(nil)[:8])
	return d
}

// near returns the words of a common text that are next to a difference.
func near(text string, behind, before bool) string {
	text = strings.Map(visible, text)
	words := strings.SplitAfter(text, " ")
	first, last := 0, 0
	if behind {
		first = beside
	}
	if before {
		last = beside
	}
	if len(words) <= first+last+1 {
		return text
	}
	return strings.Join(words[:first], "") + "... " + strings.Join(words[len(words)-last:], "")
}

// beginning returns the whole words of a text that fit in octets octets.
func beginning(text string, octets int) string {
	if len(text) <= octets {
		return text
	}
	at := strings.LastIndexByte(text[:octets], ' ')
	return text[:max(at, 0)]
}

// visible drops characters that affect the display: controls, and marks of direction.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return -1
	}
	return r
}

// Text returns the difference as one line: [-removed-] {+added+}.
func (d *Difference) Text() string {
	var b strings.Builder
	for _, p := range d.Pieces {
		text := strings.TrimSpace(p.Text)
		switch {
		case text == "":
			continue
		case p.Of == "removed":
			text = "[-" + text + "-]"
		case p.Of == "added":
			text = "{+" + text + "+}"
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(text)
	}
	return b.String()
}

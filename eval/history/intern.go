package history

import (
	"hash/maphash"
	"slices"
	"strings"
)

// interner keeps each URL, and each list of URLs, of a server once: most pages of a site have the
// same navigation, and every version repeats it.
type interner struct {
	words map[string]string
	lists map[uint64][]string // by hash; of two lists with one hash the first is shared
	seed  maphash.Seed
	list  []string // scratch
}

func newInterner() *interner {
	return &interner{words: map[string]string{}, lists: map[uint64][]string{},
		seed: maphash.MakeSeed()}
}

// bytes returns b as a string, or false if it is not plain.
func (n *interner) bytes(b []byte) (string, bool) {
	if word, ok := n.words[string(b)]; ok {
		return word, true
	}
	if !plain(b) {
		return "", false
	}
	word := string(b)
	n.words[word] = word
	return word, true
}

// string is for words from encoding/json. It remembers only plain ones, because bytes assumes that
// known words are plain.
func (n *interner) string(s string) string {
	if word, ok := n.words[s]; ok {
		return word
	}
	s = strings.Clone(s)
	if plain([]byte(s)) {
		n.words[s] = s
	}
	return s
}

// share returns an equal list that is never changed; nil for an empty one.
func (n *interner) share(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	var h maphash.Hash
	h.SetSeed(n.seed)
	for _, word := range list {
		h.WriteString(word)
		h.WriteByte(0)
	}
	key := h.Sum64()
	known, ok := n.lists[key]
	if ok && slices.Equal(known, list) {
		return known
	}
	own := slices.Clone(list)
	if !ok {
		n.lists[key] = own
	}
	return own
}

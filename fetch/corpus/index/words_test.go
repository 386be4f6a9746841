package index

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func terms(text string) (all []string) {
	for _, w := range Words(text) {
		all = append(all, w.Term)
	}
	return all
}

// needsDictionary skips a test in short runs, which use the race detector: it makes loading take
// ten seconds.
func needsDictionary(t testing.TB) {
	if testing.Short() {
		t.Skip("loads the dictionary")
	}
}

func TestWords(t *testing.T) {
	needsDictionary(t)
	for text, want := range map[string][]string{
		"The Café's 3.5 e-mails": {"the", "café's", "3.5", "e", "mails"},
		"地球温暖化の原因を調べた。":          {"地球", "温暖", "化", "の", "原因", "を", "調べる", "た"},
		"Goで検索エンジン":              {"go", "で", "検索", "エンジン"},
		"ＮＩＣＴ ｶﾀｶﾅ":              {"nict", "カタカナ"},
		"Überraschung, straße":   {"überraschung", "straße"},
		"— … !":                  nil,
	} {
		if got := terms(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// FuzzWords checks that words stand within the text, in order.
func FuzzWords(f *testing.F) {
	needsDictionary(f)
	f.Add("Goで検索、ｶﾀｶﾅ \xff é")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, w := range Words(text) {
			if w.From < last-mostRun || w.To > len(text) || w.From > w.To || w.Term == "" ||
				!utf8.ValidString(w.Term) {
				t.Fatalf("%+v of %q", w, text)
			}
			last = w.From
		}
	})
}

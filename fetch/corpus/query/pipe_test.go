package query

import (
	"bufio"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// shelf is a Searcher with fixed results.
type shelf struct{}

type damage struct{ error }

func (damage) Hint() string { return "build it anew" }

func (shelf) Search(_ context.Context, q *Query) (*Results, error) {
	switch q.Words {
	case "":
		return nil, ErrNoWords
	case "damaged":
		return nil, damage{errors.New("a unit is damaged")}
	}
	return &Results{Query: q.Words, Total: q.Skip, Terms: []TermHits{{q.Server, 2}},
		Hits: []Hit{{ID: 7, Changed: q.Changed, Snippet: "two\nlines",
			Marks: [][2]int{{0, 3}}}}}, nil
}

// remote asks a goroutine that answers through a pipe.
func remote(t *testing.T, open func() (Searcher, error)) Remote {
	t.Helper()
	askIn, askOut := io.Pipe()
	tellIn, tellOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Answer(askIn, tellOut, open) }()
	t.Cleanup(func() {
		askOut.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewReader(tellIn)
	return Remote{func(_ context.Context, line []byte, parse func([]byte) error) error {
		if _, err := askOut.Write(append(line, '\n')); err != nil {
			return err
		}
		answered, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		return parse(answered)
	}}
}

// TestRemote checks that a remote searcher returns the same results, errors of the query, and other
// errors with hints. An error does not end it.
func TestRemote(t *testing.T) {
	r := remote(t, func() (Searcher, error) { return shelf{}, nil })
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for _, q := range []Query{{Words: "river", Skip: 3, Server: "a.example",
		Changed: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}, {Words: "two\nlines"}} {
		want, _ := shelf{}.Search(t.Context(), &q)
		got, err := r.Search(t.Context(), &q)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := r.Search(t.Context(), &Query{}); !errors.As(err, new(*Error)) ||
		err.Error() != ErrNoWords.Error() {
		t.Errorf("no words: %v", err)
	}
	_, err := r.Search(t.Context(), &Query{Words: "damaged"})
	var hinted interface{ Hint() string }
	if errors.As(err, new(*Error)) || !errors.As(err, &hinted) ||
		hinted.Hint() != "build it anew" || err.Error() != "a unit is damaged" {
		t.Errorf("damage: %v", err)
	}
}

// TestAnswerRefuses checks that every query to an unusable corpus gets the error, and that an
// invalid query ends the answers.
func TestAnswerRefuses(t *testing.T) {
	r := remote(t, func() (Searcher, error) { return nil, damage{errors.New("no index")} })
	for range 2 {
		if err := r.Check(t.Context()); err == nil || err.Error() != "no index" {
			t.Errorf("error %v", err)
		}
	}
	if err := Answer(strings.NewReader("no JSON\n"), io.Discard, nil); err == nil {
		t.Error("what is no query is answered")
	}
}

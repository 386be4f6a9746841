package query

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Argument before the directory of a corpus makes a program call Answer.
const Argument = "answer-searches"

// MostAnswer limits an answer, in octets: MostResults with their snippets.
const MostAnswer = 8 << 20

// Searcher answers queries. Goroutines may share it.
type Searcher interface {
	Search(context.Context, *Query) (*Results, error)
}

// answer is the line for a query. Exactly one of Results and Error is set.
type answer struct {
	Results *Results `json:"results,omitempty"`
	Error   string   `json:"error,omitempty"`
	Hint    string   `json:"hint,omitempty"`
	Code    int      `json:"code,omitempty"` // exit status of a command after it
	Bad     bool     `json:"bad,omitempty"`  // the query is wrong
}

// Answer reads queries, a line of JSON each, and writes a line for each, until the input ends. It
// opens the searcher at the first query. An error of that is the first answer.
func Answer(in io.Reader, out io.Writer, open func() (Searcher, error)) error {
	asked, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	var s Searcher
	for {
		var q Query
		if err := asked.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var err error
		if s == nil {
			s, err = open()
		}
		var a answer
		if err == nil {
			a.Results, err = s.Search(context.Background(), &q)
		}
		if err != nil {
			a.Error, a.Bad = err.Error(), errors.As(err, new(*Error))
			a.Hint, a.Code, _ = words.HintOf(err)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

// Remote is a Searcher in another process, which calls Answer.
type Remote struct {
	// Ask sends a line, and passes the line of the answer to parse.
	Ask func(ctx context.Context, line []byte, parse func([]byte) error) error
}

// Check returns an error if the corpus cannot be searched.
func (r Remote) Check(ctx context.Context) error {
	if _, err := r.Search(ctx, &Query{}); !errors.As(err, new(*Error)) {
		return err
	}
	return nil
}

// Search asks the other process. An error in the query is an Error here also.
func (r Remote) Search(ctx context.Context, q *Query) (*Results, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	var a answer
	if err := r.Ask(ctx, line, func(line []byte) error {
		return json.Unmarshal(line, &a)
	}); err != nil {
		return nil, err
	}
	switch {
	case a.Bad:
		return nil, &Error{errors.New(a.Error)}
	case a.Error != "":
		return nil, words.Hint(errors.New(a.Error), a.Hint,
			cmp.Or(a.Code, words.ExitFailed)) // older programs send none
	case a.Results == nil:
		return nil, errors.New("the answer has no results")
	}
	return a.Results, nil
}

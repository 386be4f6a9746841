package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/recrawl/recrawl/fetch/filter"
)

// Annotator adds notes to documents. A note is about a sentence, for example an analysis of its
// words, or about the page, for example its publisher. Goroutines may share it.
type Annotator interface {
	// Annotate gets a document that it must not change. An error ends the build.
	Annotate(ctx context.Context, d *Document) ([]Note, error)
}

// Note is an annotation of a sentence, or of the page.
type Note struct {
	Sentence int    `json:"id"` // 0: the whole page
	Scheme   string `json:"scheme"`
	Text     string `json:"text"`
}

const (
	mostAnswer = 16 << 20        // octets of a program's answer
	answersIn  = 2 * time.Minute // for a page
)

// command is an annotator that runs a program of the user.
type command struct{ *filter.Program }

// AnnotatorCommand returns an annotator that asks a program. Each document is a line of JSON on
// standard input; each answer is a line with a JSON array of notes on standard output. processes is
// the number of concurrent processes.
func AnnotatorCommand(args []string, processes int) (interface {
	Annotator
	Close() error
}, error) {
	p, err := filter.OpenProgram(filter.ProgramOptions{Command: args, Timeout: answersIn,
		Processes: processes,
		Most:      mostAnswer})
	if err != nil {
		return nil, fmt.Errorf("annotator: %w", err)
	}
	return command{p}, nil
}

func (c command) Annotate(ctx context.Context, d *Document) (notes []Note, err error) {
	line, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	err = c.Ask(ctx, line, func(answer []byte) error {
		notes = nil
		if err := json.Unmarshal(answer, &notes); err != nil {
			return fmt.Errorf(
				`it answers %.80q: want a line like [{"id": 1, "scheme": "words", "text": "..."}]`,
				answer)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("annotate %s: %w", d.URL, err)
	}
	return notes, nil
}

// Take adds notes to a document. A note for a missing sentence is an error.
func (d *Document) Take(notes []Note) error {
	for _, n := range notes {
		a := Annotation{Scheme: valid(n.Scheme), Text: valid(n.Text)}
		switch {
		case n.Sentence == 0:
			d.Header.Information = append(d.Header.Information, a)
		case n.Sentence > 0 && n.Sentence <= len(d.Sentences):
			s := &d.Sentences[n.Sentence-1]
			s.Annotations = append(s.Annotations, a)
		default:
			return fmt.Errorf("annotation of sentence %d of %s, which has %d",
				n.Sentence, d.URL, len(d.Sentences))
		}
	}
	return nil
}

package papers_test

import (
	show "github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval/papers"
)

func init() { papers.PageOf, papers.SurveyPageOf = show.FiguresPage, show.SurveyPage }

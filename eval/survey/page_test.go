package survey_test

import (
	"github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval/survey"
)

func init() { survey.PageOf = papers.SurveyPage }

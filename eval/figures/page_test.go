package figures_test

import (
	"github.com/recrawl/recrawl/cmd/show/papers"
	"github.com/recrawl/recrawl/eval/figures"
)

func init() { figures.PageOf = papers.FiguresPage }

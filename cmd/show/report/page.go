package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Page is a whole report. It begins with the finding in words and the first chart of its sections,
// large. Empty lines in its texts separate paragraphs.
type Page struct {
	Title    string
	Finding  string // the result in a sentence or two; "": there is no single one
	Intro    string // the question, and its data
	Sections []Section
}

// Section is a part of a page: text, then charts, then tables. Long tables are folded.
type Section struct {
	Title, Text string
	Tables      []Table
	Charts      []Chart
}

// Lead returns the first chart of a page, or an empty one.
func (p Page) Lead() Chart {
	for _, s := range p.Sections {
		if len(s.Charts) > 0 {
			return s.Charts[0]
		}
	}
	return Chart{}
}

// HTML writes the page as one file that needs no other. If a chart is malformed, it fails before it
// writes anything.
func (p Page) HTML(w io.Writer) error {
	view := pageView{
		Title:   clean(p.Title),
		Finding: paragraphs(p.Finding),
		Intro:   paragraphs(p.Intro),
		Style:   template.CSS(pageStyle + chartStyle),
		Script:  template.JS(pageScript),
		Policy:  policy,
	}
	for i, s := range p.Sections {
		section := sectionView{
			ID:    fmt.Sprintf("section-%d", i+1),
			Title: clean(s.Title),
			Text:  paragraphs(s.Text),
		}
		for _, t := range s.Tables {
			section.Tables = append(section.Tables, t.view())
		}
		for _, c := range s.Charts {
			if err := c.check(); err != nil {
				return fmt.Errorf("report %q, section %q: %w", p.Title, s.Title, err)
			}
			figure := c.view()
			if view.Lead == nil {
				view.Lead = &figure
				continue
			}
			section.Charts = append(section.Charts, figure)
		}
		view.Sections = append(view.Sections, section)
	}
	view.Contents = len(view.Sections) > 2
	return pageTemplate.Execute(w, view)
}

type pageView struct {
	Title    string
	Finding  []string
	Intro    []string
	Style    template.CSS
	Script   template.JS
	Policy   template.HTMLAttr // content security policy
	Lead     *figureView
	Contents bool // a list of the sections at the top
	Sections []sectionView
}

type sectionView struct {
	ID, Title string
	Text      []string
	Tables    []tableView
	Charts    []figureView
}

type tableView struct {
	Title  string
	Folded string // the text that unfolds the table; "": it is open
	Header []cellView
	Rows   [][]cellView
	Note   []string
}

type cellView struct {
	Text     string
	Interval string // after a number; it may go to the next line
	Class    string // num, long or none
}

// shortTable is the largest number of rows of a table that is not folded.
const shortTable = 8

// shortCell is the greatest length of a text that stays on one line; columns with longer texts
// wrap.
const shortCell = 28

func (t Table) view() tableView {
	numeric := t.numeric()
	class := make([]string, len(numeric))
	for i := range class {
		if numeric[i] {
			class[i] = "num"
			continue
		}
		for _, row := range t.Rows {
			if i < len(row) && columns(oneLine(row[i])) > shortCell {
				class[i] = "long"
			}
		}
	}
	cells := func(row []string) []cellView {
		out := make([]cellView, len(numeric))
		for i := range out {
			out[i].Class = class[i]
			if i < len(row) {
				out[i].Text = clean(row[i])
			}
		}
		return out
	}
	body := func(row []string) []cellView {
		out := cells(row)
		for i, c := range out {
			if at := strings.Index(c.Text, " ["); at > 0 && numeric[i] {
				out[i].Text, out[i].Interval = c.Text[:at], c.Text[at+1:]
			}
		}
		return out
	}
	v := tableView{Title: clean(t.Title), Note: paragraphs(t.Note)}
	if len(t.Header) > 0 {
		v.Header = cells(t.Header)
	}
	for _, row := range t.Rows {
		v.Rows = append(v.Rows, body(row))
	}
	if len(t.Rows) > shortTable {
		v.Folded = strings.TrimSpace(v.Title + " (" + words.Plural(len(t.Rows), "row") + ")")
		v.Title = ""
	}
	return v
}

// The policy forbids the page every address, and every script but the one below.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" {{.Policy}}>
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<header>
<h1>{{.Title}}</h1>
{{- range .Finding}}
<p class="finding">{{.}}</p>
{{- end}}
{{- with .Lead}}
<div class="lead">{{template "figure" .}}</div>
{{- end}}
{{- range .Intro}}
<p>{{.}}</p>
{{- end}}
{{- if .Contents}}
<nav aria-label="Sections">{{range .Sections}}<a href="#{{.ID}}">{{.Title}}</a>{{end}}</nav>
{{- end}}
</header>
<main>
{{- range .Sections}}
<section id="{{.ID}}">
<h2>{{.Title}}</h2>
{{- range .Text}}
<p>{{.}}</p>
{{- end}}
{{- with .Charts}}
<div class="charts">
{{- range .}}
{{template "figure" .}}
{{- end}}
</div>
{{- end}}
{{- range .Tables}}
{{- if .Folded}}
<details><summary>{{.Folded}}</summary>
{{- end}}
<div class="table" tabindex="0"><table>
{{- with .Title}}
<caption>{{.}}</caption>
{{- end}}
{{- with .Header}}
<thead><tr>{{range .}}<th scope="col"{{with .Class}} class="{{.}}"{{end}}>{{.Text}}</th>{{end}}</tr></thead>
{{- end}}
<tbody>
{{- range .Rows}}
<tr>{{range .}}<td{{with .Class}} class="{{.}}"{{end}}>{{.Text}}{{with .Interval}} <small>{{.}}</small>{{end}}</td>{{end}}</tr>
{{- end}}
</tbody>
</table></div>
{{- range .Note}}
<p class="note">{{.}}</p>
{{- end}}
{{- if .Folded}}
</details>
{{- end}}
{{- end}}
</section>
{{- end}}
</main>
<script>{{.Script}}</script>
</body>
</html>
{{define "figure"}}<figure data-chart="{{.Data}}"><div class="plot" tabindex="0">{{.SVG}}</div>
<figcaption><a download="{{.File}}" href="{{.CSV}}">Data as CSV</a></figcaption></figure>{{end}}`))

var (
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string

	policy = policyFor(pageScript)
)

// policyFor allows one inline script, by its hash (Content Security Policy Level 3, 2.3.1).
func policyFor(script string) template.HTMLAttr {
	sum := sha256.Sum256([]byte(script))
	return template.HTMLAttr(
		fmt.Sprintf(
			`content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'"`,
			base64.StdEncoding.EncodeToString(sum[:])))
}

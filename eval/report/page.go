package report

import (
	"fmt"
	"html/template"
	"io"
	"strings"
)

// Page is a whole report. Empty lines in its texts separate paragraphs.
type Page struct {
	Title, Intro string
	Sections     []Section
}

// Section is a part of a page: text, then tables, then charts.
type Section struct {
	Title, Text string
	Tables      []Table
	Charts      []Chart
}

// Lead is the first chart of a page: what it is about. Empty if there is none.
func (p Page) Lead() Chart {
	for _, s := range p.Sections {
		if len(s.Charts) > 0 {
			return s.Charts[0]
		}
	}
	return Chart{}
}

// HTML writes the page as one file that needs no other. It fails before it writes
// anything if a chart is not well made.
func (p Page) HTML(w io.Writer) error {
	view := pageView{
		Title: clean(p.Title),
		Intro: paragraphs(p.Intro),
		Style: template.CSS(pageStyle + chartStyle),
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
			section.Charts = append(section.Charts, template.HTML(c.draw("")))
		}
		view.Sections = append(view.Sections, section)
	}
	view.Contents = len(view.Sections) > 2
	return pageTemplate.Execute(w, view)
}

type pageView struct {
	Title    string
	Intro    []string
	Style    template.CSS
	Contents bool // a list of the sections at the top
	Sections []sectionView
}

type sectionView struct {
	ID, Title string
	Text      []string
	Tables    []tableView
	Charts    []template.HTML
}

type tableView struct {
	Title  string
	Header []cellView
	Rows   [][]cellView
	Note   []string
}

type cellView struct {
	Text     string
	Interval string // after a number, which it may leave for the next line
	Class    string // num, long or none
}

// shortCell is how many characters of a text stay on one line; columns with longer texts wrap.
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
	return v
}

// The policy forbids the page every address: what is not inline cannot be loaded.
var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<header>
<h1>{{.Title}}</h1>
{{- range .Intro}}
<p>{{.}}</p>
{{- end}}
{{- if .Contents}}
<nav>{{range .Sections}}<a href="#{{.ID}}">{{.Title}}</a>{{end}}</nav>
{{- end}}
</header>
<main>
{{- range .Sections}}
<section id="{{.ID}}">
<h2>{{.Title}}</h2>
{{- range .Text}}
<p>{{.}}</p>
{{- end}}
{{- range .Tables}}
<div class="table"><table>
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
{{- end}}
{{- with .Charts}}
<div class="charts">
{{- range .}}
<figure>{{.}}</figure>
{{- end}}
</div>
{{- end}}
</section>
{{- end}}
</main>
</body>
</html>
`))

const pageStyle = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#e3e7ec;--ground:#fff;--back:#f4f6f8;--accent:#0072b2}
@media(prefers-color-scheme:dark){:root{--ink:#e8ecf1;--soft:#a3aebb;--line:#2d3541;--ground:#161b22;--back:#0d1117;--accent:#56b4e9}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem clamp(.8rem,3vw,2.5rem) 4rem;max-width:1440px;background:var(--back);color:var(--ink);
font:16px/1.55 system-ui,-apple-system,"Segoe UI","Noto Sans",sans-serif}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .6rem}
h2{font-size:1.25rem;margin:0 0 .6rem}
p{max-width:75ch;margin:.5rem 0;white-space:pre-line}
header p,.note{color:var(--soft)}
.note{font-size:.875rem}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;margin-top:1rem}
a{color:var(--accent)}
section{background:var(--ground);border:1px solid var(--line);border-radius:10px;padding:1.2rem clamp(.8rem,2.5vw,1.8rem) 1.4rem;margin-top:1.4rem}
.table{overflow-x:auto;margin:1rem 0 .6rem}
table{border-collapse:collapse;font-size:.9375rem}
caption{text-align:left;font-weight:600;padding:.2rem .75rem .5rem}
th,td{padding:.35rem .6rem;text-align:left;vertical-align:top;white-space:nowrap;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600;vertical-align:bottom;white-space:normal;border-bottom:2px solid var(--line)}
td.long{white-space:normal;min-width:14rem;overflow-wrap:anywhere}
td.num:has(small){white-space:normal}
td small{display:inline-block;color:var(--soft);font-size:.8em;white-space:nowrap}
tbody tr:hover{background:var(--back)}
.num{text-align:right;font-variant-numeric:tabular-nums}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,620px),1fr));gap:1.2rem;margin-top:1rem}
figure{margin:0;overflow-x:auto;max-width:860px}
figure svg{display:block;width:100%;min-width:560px;height:auto}
@media print{body{background:#fff;padding:0}section{border:0;padding:0;break-inside:avoid}}
`

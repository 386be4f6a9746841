package main

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/eval/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
)

// budgetResult says how far the budgets of a round went and what did not fit.
type budgetResult struct {
	Fetches int  `json:"fetches"` // of the round, made or planned
	Granted *int `json:"granted"` // of the round; null: no bound
	// Limits are those beside the fetches a day of all servers.
	Limits []limitResult `json:"limits"`
	// Price is what the last page that fitted is worth, in expected changes times weight; 0: all
	// that was wanted fitted.
	Price float64 `json:"price"`
	// Unfit is what the limits of servers, or bytes, left out; Beyond is what was left when the
	// fetches of the round were used up, in plans only.
	Unfit  []unfitResult `json:"unfit"`
	Beyond []unfitResult `json:"beyond"`
}

type limitResult struct {
	Limit   string `json:"limit"`
	Used    int64  `json:"used"`    // in its hour or day
	Granted int64  `json:"granted"` // of it up to the end of the round
}

// unfitResult is what of a server did not fit.
type unfitResult struct {
	Server string        `json:"server"` // "": pages of any, for which the bytes of all did not suffice
	Pages  int           `json:"pages"`
	Value  float64       `json:"value"`  // expected changes times weight, new pages apart
	Price  float64       `json:"price"`  // what a page of the server must be worth beyond the price of all
	Limits []limitResult `json:"limits"` // of the server
}

// budgets reports on the round that was planned or made last.
func (o *opened) budgets(r planner.Round) budgetResult {
	b := budgetResult{Fetches: o.plan.Made(), Limits: limitsOf(o.plan.Uses()), Price: o.plan.Price(), Unfit: unfitOf(o.plan.Unfit()), Beyond: []unfitResult{}}
	if r.Budget != planner.Unlimited {
		granted := r.Budget
		b.Granted = &granted
	}
	return b
}

// noBudgets is the report before any round.
func noBudgets() budgetResult {
	return budgetResult{Limits: []limitResult{}, Unfit: []unfitResult{}, Beyond: []unfitResult{}}
}

func limitsOf(uses []budget.Use) []limitResult {
	list := []limitResult{}
	for _, u := range uses {
		list = append(list, limitResult{u.Limit.String(), u.Used, u.Granted})
	}
	return list
}

func unfitOf(unfit []planner.Unfit) []unfitResult {
	list := []unfitResult{}
	for _, u := range unfit {
		list = append(list, unfitResult{u.Server, u.Pages, u.Value, u.Price, limitsOf(u.Uses)})
	}
	return list
}

// shownServers is how many servers the text lists; --json has all.
const shownServers = 10

// tables are the budgets for people.
func (b *budgetResult) tables(perDay float64) []report.Table {
	used := report.Table{Title: "Budgets of this round", Header: []string{"limit", "used", "granted"}}
	if b.Granted != nil {
		used.Rows = append(used.Rows, []string{(budget.Limit{Amount: perDay, Unit: budget.InFetches, Per: planner.Day}).String() + ", this round", report.Count(b.Fetches), report.Count(*b.Granted)})
	}
	for _, l := range b.Limits {
		used.Rows = append(used.Rows, []string{l.Limit, report.Count(int(l.Used)), report.Count(int(l.Granted))})
	}
	if b.Price > 0 {
		used.Note = fmt.Sprintf("The last page that fits is worth %.3g expected changes, by weight.", b.Price)
	}
	tables := []report.Table{used}
	if len(used.Rows) == 0 {
		tables = nil
	}
	if len(b.Unfit) > 0 {
		tables = append(tables, unfitTable("Did not fit under the limits of a server, or in bytes", b.Unfit))
	}
	if len(b.Beyond) > 0 {
		tables = append(tables, unfitTable("Beyond the budget of this round", b.Beyond))
	}
	return tables
}

func unfitTable(title string, list []unfitResult) report.Table {
	t := report.Table{Title: title, Header: []string{"server", "pages", "worth", "limits of the server: used of granted"}}
	pages, value, named := 0, 0.0, false
	for i, u := range list {
		pages += u.Pages
		value += u.Value
		if i >= shownServers {
			continue
		}
		var limits []string
		for _, l := range u.Limits {
			limits = append(limits, fmt.Sprintf("%s: %s of %s", l.Limit, report.Count(int(l.Used)), report.Count(int(l.Granted))))
		}
		named = named || len(limits) > 0
		name := u.Server
		if name == "" {
			name = "(any)"
		}
		t.Rows = append(t.Rows, []string{name, report.Count(u.Pages), fmt.Sprintf("%.3g", u.Value), strings.Join(limits, ", ")})
	}
	if !named { // of none is told why
		t.Header = t.Header[:3]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:3]
		}
	}
	t.Note = fmt.Sprintf("In all %s, worth %.3g expected changes, by weight; new pages are not counted in that.", report.Plural(pages, "page"), value)
	return t
}

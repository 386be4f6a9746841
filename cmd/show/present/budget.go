package present

import (
	"fmt"
	"strings"

	"github.com/recrawl/recrawl/cmd/show/report"
	"github.com/recrawl/recrawl/planner"
	"github.com/recrawl/recrawl/planner/budget"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// budgets says how far the budgets of a round went, and what did not fit.
type budgets struct {
	Fetches int  `json:"fetches"` // of the round, made or planned
	Granted *int `json:"granted"` // of the round; null: no bound
	// Limits are the limits beside the fetches a day of all servers.
	Limits []limitUse `json:"limits"`
	// Price is the worth of the last page that fitted, in expected changes times weight; 0:
	// everything fitted.
	Price float64 `json:"price"`
	// LeastValue is the least worth of a visit, 0 for none. Unused counts the fetches of the round
	// that no visit was worth.
	LeastValue float64 `json:"least_value"`
	Unused     int     `json:"unused"`
	// Unfit has what the limits of servers, or the bytes, left out. Beyond has what the fetches of
	// the round left out, in plans only.
	Unfit  []unfit `json:"unfit"`
	Beyond []unfit `json:"beyond"`
	// Promise says what --max-age takes; null: no greatest age is promised.
	Promise *planner.Promise `json:"promise"`

	perDay float64 // fetches a day for all servers
}

// limitUse says how much of a limit is used.
type limitUse struct {
	Limit   string `json:"limit"`
	Used    int64  `json:"used"`    // in its hour or day
	Granted int64  `json:"granted"` // of it up to the end of the round
}

// unfit counts the pages of a server that did not fit.
type unfit struct {
	// Server is "" for pages of any server that the bytes of all did not allow.
	Server string  `json:"server"`
	Pages  int     `json:"pages"`
	Value  float64 `json:"value"` // expected changes times weight, without new pages
	// Price is what a page of the server must be worth beyond the price of all.
	Price  float64    `json:"price"`
	Limits []limitUse `json:"limits"` // of the server
}

// budgetsOf reports on the round that was planned or made last.
func budgetsOf(p *planner.Planner, r planner.Round, perDay float64) budgets {
	b := budgets{
		Fetches: p.Made(),
		Limits:  limitsOf(p.Uses()),
		Price:   p.Price(),

		LeastValue: p.LeastValue(),
		Unused:     p.Unused(),
		Unfit:      unfitOf(p.Unfit()),
		Beyond:     []unfit{},
		Promise:    p.Promise(),
		perDay:     perDay,
	}
	if r.Budget != planner.Unlimited {
		granted := r.Budget
		b.Granted = &granted
	}
	return b
}

// noBudgets returns the report before any round.
func noBudgets() budgets {
	return budgets{Limits: []limitUse{}, Unfit: []unfit{}, Beyond: []unfit{}}
}

func limitsOf(uses []budget.Use) []limitUse {
	list := []limitUse{}
	for _, u := range uses {
		list = append(list, limitUse{u.Limit.String(), u.Used, u.Granted})
	}
	return list
}

func unfitOf(all []planner.Unfit) []unfit {
	list := []unfit{}
	for _, u := range all {
		list = append(list, unfit{u.Server, u.Pages, u.Value, u.Price, limitsOf(u.Uses)})
	}
	return list
}

// shownServers bounds the servers of the text; --json has all.
const shownServers = 10

func (b *budgets) tables() []report.Table {
	var tables []report.Table
	if b.Promise != nil {
		tables = append(tables, report.Table{Note: b.Promise.Says(b.perDay)})
	}
	if used := b.usedTable(); len(used.Rows) > 0 {
		tables = append(tables, used)
	}
	if len(b.Unfit) > 0 {
		tables = append(tables, unfitTable("Did not fit under the limits of a server, or in bytes",
			b.Unfit))
	}
	if len(b.Beyond) > 0 {
		tables = append(tables, unfitTable("Beyond the budget of this round", b.Beyond))
	}
	return tables
}

func (b *budgets) usedTable() report.Table {
	t := report.Table{Title: "Budgets of this round", Header: []string{"limit", "used", "granted"}}
	if b.Granted != nil {
		ofDay := budget.Limit{Amount: b.perDay, Unit: budget.InFetches, Per: planner.Day}
		t.Rows = append(t.Rows, []string{
			ofDay.String() + ", this round",
			words.Count(b.Fetches),
			words.Count(*b.Granted),
		})
	}
	for _, l := range b.Limits {
		t.Rows = append(t.Rows,
			[]string{l.Limit, words.Count(int(l.Used)), words.Count(int(l.Granted))})
	}
	if b.Unused > 0 {
		t.Note = fmt.Sprintf("The round leaves %s unused, because no other visit is worth %.3g.",
			words.Plural(b.Unused, "visit"), b.LeastValue)
		return t
	}
	if b.Price > 0 {
		t.Note = fmt.Sprintf("The last page that fits is worth %.3g weighted expected changes.",
			b.Price)
	}
	return t
}

func unfitTable(title string, list []unfit) report.Table {
	t := report.Table{
		Title:  title,
		Header: []string{"server", "pages", "worth", "limits of the server: used of granted"},
	}
	pages, value, named := 0, 0.0, false
	for i, u := range list {
		pages += u.Pages
		value += u.Value
		if i >= shownServers {
			continue
		}
		var limits []string
		for _, l := range u.Limits {
			used, granted := words.Count(int(l.Used)), words.Count(int(l.Granted))
			limits = append(limits, fmt.Sprintf("%s: %s of %s", l.Limit, used, granted))
		}
		named = named || len(limits) > 0
		name := u.Server
		if name == "" {
			name = "(any)"
		}
		t.Rows = append(t.Rows, []string{
			name,
			words.Count(u.Pages),
			fmt.Sprintf("%.3g", u.Value),
			strings.Join(limits, ", "),
		})
	}
	if !named { // no reason is given for a server without a name
		t.Header = t.Header[:3]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:3]
		}
	}
	t.Note = fmt.Sprintf(
		"In all %s, worth %.3g weighted expected changes; new pages are not included.",
		words.Plural(pages, "page"),
		value,
	)
	return t
}

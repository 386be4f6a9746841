package table

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Kind is what the rows of a table are. R is a struct, as the package comment describes.
type Kind[R any] struct{ Description }

// Description is a kind without the type of its rows.
type Description struct {
	Name    string // of the table, and of its file before the ending
	Row     string // what one row is
	Columns []Column
}

// Describe returns the description.
func (d *Description) Describe() *Description { return d }

// Described is a Kind of any rows.
type Described interface{ Describe() *Description }

// Column is one column of a table.
type Column struct {
	Name string
	Type string // text, bool, integer, number or time
	Unit string // "" for none
	Doc  string
	Null bool // a value may be unknown
}

// New returns the kind of the table with this name; row says what one row is. It panics where a
// field is not described, or cannot be written: tests make each kind.
func New[R any](name, row string) *Kind[R] {
	k := &Kind[R]{Description{Name: name, Row: row}}
	of := reflect.TypeFor[R]()
	for i := range of.NumField() {
		f := of.Field(i)
		c := Column{Unit: f.Tag.Get("unit"), Doc: f.Tag.Get("doc")}
		c.Name, _, _ = strings.Cut(f.Tag.Get("parquet"), ",")
		t := f.Type
		if c.Null = t.Kind() == reflect.Pointer; c.Null {
			t = t.Elem()
		}
		c.Type = typeOf(t)
		if c.Name == "" || c.Doc == "" || c.Type == "" {
			panic(fmt.Sprintf("table %s: field %s wants a name, a doc and a known type", name, f.Name))
		}
		k.Columns = append(k.Columns, c)
	}
	return k
}

func typeOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "bool"
	case t.Kind() == reflect.Int32 || t.Kind() == reflect.Int64:
		return "integer"
	case t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64:
		return "number"
	}
	return ""
}

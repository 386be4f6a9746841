package tidy

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Kind describes the rows of a table. R is a struct.
//
// It writes tables of results as Parquet or CSV: one observation a row, columns with units.
//
// # Terms
//
//	kind   rows of one type: a name, the meaning of a row, and its columns
//	table  the rows of a kind that one command writes, as a file of that name
//	set    the tables of one command, in a directory for each format
//
// The tags of R describe each column, so that header, schema and documentation agree:
//
//	parquet  its name and encoding: dict for repeated names, delta for ascending values
//	unit     its unit; none for text, true or false, and counts of things that doc names
//	doc      its meaning
//
// A pointer is a value that may be unknown: null in Parquet, nothing in CSV. Times are UTC.
//
// # Guarantees
//
//  1. Files are complete or missing, and no existing one is replaced. A set gets its names once all
//     of it is written.
//  2. Up to 2^18 rows of a table are in memory. So a table of any length takes tens of megabytes,
//     and one text for each different URL in these rows.
//  3. Rows of one Batch keep their order. Those of several batches mix, in runs of up to 1,024.
//
// A Parquet file is compressed by zstd, and has units and meanings of its columns as metadata, by
// the name of the column. A CSV file is RFC 4180 with LF, has a header, times as RFC 3339, and TRUE
// and FALSE.
type Kind[R any] struct{ Description }

// Description is a kind without the type of its rows.
type Description struct {
	Name    string // of the table, and of its file without the extension
	Row     string // meaning of a row
	Columns []Column
}

// Describe returns the description.
func (d *Description) Describe() *Description { return d }

// Described is a Kind with any type of rows.
type Described interface{ Describe() *Description }

// Column is one column of a table.
type Column struct {
	Name string
	Type string // text, bool, integer, number or time
	Unit string // "" for none
	Doc  string
	Null bool // a value may be unknown
}

// NewKind returns the kind of the table with this name; row describes a row. It panics if a field
// has no description or cannot be written: tests make each kind.
func NewKind[R any](name, row string) *Kind[R] {
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

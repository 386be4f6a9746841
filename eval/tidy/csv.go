package tidy

import (
	"io"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// csvOutput writes rows as CSV. encoding/csv would need a text for each value.
type csvOutput[R any] struct {
	w    io.Writer
	line []byte
}

func newCSV[R any](w io.Writer, columns []Column) *csvOutput[R] {
	c := &csvOutput[R]{w: w}
	for i, column := range columns {
		if i > 0 {
			c.line = append(c.line, ',')
		}
		c.line = append(c.line, column.Name...)
	}
	c.line = append(c.line, '\n')
	return c
}

// Write adds lines.
func (c *csvOutput[R]) Write(rows []R) (int, error) {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for k := range row.NumField() {
			if k > 0 {
				c.line = append(c.line, ',')
			}
			c.line = appendCSV(c.line, row.Field(k))
		}
		c.line = append(c.line, '\n')
	}
	return len(rows), c.flush()
}

// flush writes the buffer, and first the header.
func (c *csvOutput[R]) flush() error {
	_, err := c.w.Write(c.line)
	c.line = c.line[:0]
	return err
}

// Close writes the header if there was no row.
func (c *csvOutput[R]) Close() error { return c.flush() }

// appendCSV appends a value of a type that typeOf knows.
func appendCSV(line []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return line
		}
		return appendCSV(line, v.Elem())
	case reflect.Bool: // R does not know lower case here, pandas and DuckDB know both
		if v.Bool() {
			return append(line, "TRUE"...)
		}
		return append(line, "FALSE"...)
	case reflect.Int32, reflect.Int64:
		return strconv.AppendInt(line, v.Int(), 10)
	case reflect.Float32:
		return strconv.AppendFloat(line, v.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.AppendFloat(line, v.Float(), 'g', -1, 64)
	case reflect.String:
		return appendText(line, v.String())
	}
	return v.Addr().Interface().(*time.Time).UTC().AppendFormat(line, time.RFC3339Nano)
}

// appendText appends a text, in quotes if needed: RFC 4180 2.
func appendText(line []byte, s string) []byte {
	if s != "" && !strings.ContainsAny(s, ",\"\r\n") {
		return append(line, s...)
	}
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(s, `"`, `""`)...)
	return append(line, '"')
}

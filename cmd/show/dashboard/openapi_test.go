package dashboard

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/cmd/show/present"
	"github.com/recrawl/recrawl/cmd/show/view"
	"github.com/recrawl/recrawl/eval"
	"github.com/recrawl/recrawl/fetch/archive"
	"github.com/recrawl/recrawl/fetch/corpus/query"
	"github.com/recrawl/recrawl/satstore/journal"
)

var update = flag.Bool("update", false, "write the schemas of openapi.yaml anew")

// schemas are the types of answers.
var schemas = map[string]any{
	"Error": apiError{}, "Now": view.Now{}, "Activity": view.Activity{}, "Recent": recent{},
	"Changes": view.Changes{}, "Freshness": view.Freshness{}, "DueTimes": view.DueTimes{},
	"ServerList": view.ServerList{}, "Server": view.Server{}, "PageList": view.PageList{},
	"Signals": signals{}, "Sites": eval.DivisionSummary{}, "Page": view.Page{},
	"Found": journal.Found{}, "Difference": archive.Difference{}, "Plan": view.Plan{},
	"PlanReport": present.Plan{},
	"Inspection": view.Inspection{}, "Results": query.Results{}, "AllSettings": allSettings{},
	"Settings": view.Settings{}, "Hinted": hinted{},
}

const marker = "\n  schemas:\n"

// TestSchemas: the schemas of openapi.yaml agree with the types, field by field. So a change of a
// type changes the description, which shows what users of the API will see.
func TestSchemas(t *testing.T) {
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := bytes.Cut(text, []byte(marker))
	if !ok {
		t.Fatal("openapi.yaml has no schemas")
	}
	var want bytes.Buffer
	want.Write(head)
	want.WriteString(marker)
	names := []string{}
	for name := range schemas {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&want, "    %s:\n", name)
		writeSchema(&want, reflect.TypeOf(schemas[name]), "      ")
	}
	if bytes.Equal(want.Bytes(), text) {
		return
	}
	if !*update {
		t.Fatal("the schemas of openapi.yaml are not those of the types: go test " +
			"./cmd/show/dashboard -run TestSchemas -update")
	}
	if err := os.WriteFile("openapi.yaml", want.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writeSchema writes the schema of a type.
func writeSchema(w *bytes.Buffer, of reflect.Type, indent string) {
	line := func(format string, args ...any) { fmt.Fprintf(w, indent+format+"\n", args...) }
	switch of {
	case reflect.TypeFor[time.Time]():
		line("type: string")
		line("format: date-time")
		return
	case reflect.TypeFor[eval.Number]():
		line("type: [number, \"null\"]")
		return
	case reflect.TypeFor[json.RawMessage]():
		line("{}")
		return
	}
	if of.Kind() != reflect.Pointer && (of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) ||
		of.Implements(reflect.TypeFor[json.Marshaler]())) {
		line("type: string")
		return
	}
	switch of.Kind() {
	case reflect.Pointer:
		if simple := simpleType(of.Elem()); simple != "" {
			line("type: [%s, \"null\"]", simple)
			return
		}
		if of.Elem() == reflect.TypeFor[time.Time]() {
			line("type: [string, \"null\"]")
			line("format: date-time")
			return
		}
		line("anyOf:")
		line("  - type: \"null\"")
		line("  -")
		writeSchema(w, of.Elem(), indent+"    ")
	case reflect.Slice, reflect.Array:
		line("type: [array, \"null\"]") // of nil slices
		line("items:")
		writeSchema(w, of.Elem(), indent+"  ")
	case reflect.Map:
		line("type: object")
		line("additionalProperties:")
		writeSchema(w, of.Elem(), indent+"  ")
	case reflect.Struct:
		line("type: object")
		line("additionalProperties: false")
		fields := fieldsOf(of)
		var required []string
		for _, f := range fields {
			if !f.optional {
				required = append(required, key(f.name))
			}
		}
		if len(required) > 0 {
			line("required: [%s]", strings.Join(required, ", "))
		}
		if len(fields) > 0 {
			line("properties:")
		}
		for _, f := range fields {
			line("  %s:", key(f.name))
			writeSchema(w, f.of, indent+"    ")
		}
	default:
		line("type: %s", simpleType(of))
	}
}

// key returns a name in the form that YAML reads as text.
func key(name string) string {
	if name == "true" || name == "false" {
		return strconv.Quote(name)
	}
	return name
}

func simpleType(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.String:
		return "string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	}
	return ""
}

type jsonField struct {
	name     string
	of       reflect.Type
	optional bool
}

// fieldsOf returns the fields that encoding/json writes.
func fieldsOf(of reflect.Type) (list []jsonField) {
	for i := range of.NumField() {
		f := of.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			in := f.Type
			if in.Kind() == reflect.Pointer {
				in = in.Elem()
			}
			list = append(list, fieldsOf(in)...)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		list = append(list, jsonField{name, f.Type, strings.Contains(rest, "omitempty")})
	}
	return list
}

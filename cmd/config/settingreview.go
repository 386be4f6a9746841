package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph/words"
)

// Review has the problems of settings that were read.
type Review struct {
	Problems []error
	Hint     string // what to do about unreadable settings; "": all were readable
	Unused   error  // why settings of an earlier process are not used; nil: they are
	// Programs are the keys of settings that named a program in an earlier process. They have their
	// defaults: no data directory can start a program.
	Programs []string

	set *Set
}

func (r *Review) unread(problem error, hint string) {
	r.Problems, r.Hint = append(r.Problems, problem), hint
}

// Refuse reports that the value of a key, or a part of it, is not allowed.
func (r *Review) Refuse(key string, value any, want string) {
	name := key + ":"
	if x := r.set.find(key); x.origin == FromFlag {
		name = "--" + x.flag()
	}
	if x, ok := value.(reflect.Value); ok {
		value = x.Interface()
	}
	if span, ok := value.(time.Duration); ok {
		value = words.Duration(span)
	}
	r.Problems = append(r.Problems, fmt.Errorf("%s %v: want %s", name, value, want))
}

// From returns the origin of a key's value.
func (r *Review) From(key string) Origin { return r.set.find(key).origin }

// find panics for a key that the program has not declared.
func (s *Set) find(key string) *setting {
	if x := s.lookUp(key); x != nil {
		return x
	}
	panic("setting: there is no " + key)
}

// lookUp returns the setting with a key, or nil.
func (s *Set) lookUp(key string) *setting {
	i := slices.IndexFunc(s.settings, func(x *setting) bool { return x.key == key })
	if i < 0 {
		return nil
	}
	return s.settings[i]
}

// check compares each setting, or each value of a list, with its range or names.
func (r *Review) check() {
	for _, x := range r.set.settings {
		if x.field.Kind() != reflect.Slice {
			r.hold(x, x.field)
			continue
		}
		for i := range x.field.Len() {
			r.hold(x, x.field.Index(i))
		}
	}
}

func (r *Review) hold(x *setting, value reflect.Value) {
	if !x.allowed(value) {
		r.Refuse(x.key, value, x.want)
	}
}

// restriction reads the tags range and oneof: a check of values, and its description in messages.
func restriction(interval, names string) (allowed func(reflect.Value) bool, want string) {
	switch {
	case names != "":
		list := strings.Split(names, ", ")
		last := len(list) - 1
		return func(name reflect.Value) bool { return slices.Contains(list, name.String()) },
			strings.Join(list[:last], ", ") + " or " + list[last]
	case interval != "":
		return within(interval)
	}
	return func(reflect.Value) bool { return true }, ""
}

// within reads an interval. A square bracket includes the end, a round one excludes it.
func within(interval string) (allowed func(reflect.Value) bool, want string) {
	low, high, _ := strings.Cut(strings.Trim(interval, "[]()"), ",")
	want = low + " to " + high
	if high == "" {
		want, high = low+" or more", "Inf"
	}
	least, lowErr := end(low)
	most, highErr := end(high)
	if err := cmp.Or(lowErr, highErr); err != nil {
		panic(fmt.Sprintf("setting: range %s: %v", interval, err))
	}
	withLeast, withMost := strings.HasPrefix(interval, "["), strings.HasSuffix(interval, "]")
	return func(value reflect.Value) bool {
		n := number(value)
		return (n > least || withLeast && n == least) && (n < most || withMost && n == most)
	}, want
}

// end returns an end of an interval: a number, or a time span in nanoseconds.
func end(text string) (float64, error) {
	if span, err := time.ParseDuration(text); err == nil {
		return float64(span), nil
	}
	return strconv.ParseFloat(text, 64)
}

// number returns a value as a number; for a time span, nanoseconds.
func number(value reflect.Value) float64 {
	return value.Convert(reflect.TypeFor[float64]()).Float()
}

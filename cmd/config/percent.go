package config

import (
	"reflect"
	"strings"

	"github.com/spf13/pflag"
)

// Numbers may be given in per cent: 2% and 2 % are 0.02.

// inHundreds returns a number in per cent, or several separated by commas, without the sign.
func inHundreds(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		if number, ok := strings.CutSuffix(strings.TrimSpace(part), "%"); ok {
			parts[i] = strings.TrimSpace(number) + "e-2" // exact, unlike a division
		}
	}
	return strings.Join(parts, ",")
}

// percentHook converts values of files and the environment.
func percentHook(from, to reflect.Type, value any) (any, error) {
	if text, ok := value.(string); ok && to.Kind() == reflect.Float64 {
		return inHundreds(text), nil
	}
	return value, nil
}

// share is the value of a flag for a number.
type share struct{ pflag.Value }

func (s share) Set(text string) error { return s.Value.Set(inHundreds(text)) }

// shares is the value of a flag for several numbers.
type shares struct {
	share
	pflag.SliceValue
}

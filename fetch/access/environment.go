package access

import (
	"os"
	"strings"
)

// passed are the variables that every program gets.
var passed = []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR"}

// EnvironmentWithoutSecrets returns the variables of a program of the user: PATH, HOME, LANG, TZ
// and TMPDIR as this process has them, and more. One of more is NAME=VALUE, or NAME for what this
// process has. It is never nil, which exec takes for all variables.
func EnvironmentWithoutSecrets(more ...string) []string {
	all := make([]string, 0, len(passed)+len(more))
	for _, names := range [][]string{passed, more} {
		for _, name := range names {
			if strings.Contains(name, "=") {
				all = append(all, name)
			} else if value, ok := os.LookupEnv(name); ok {
				all = append(all, name+"="+value)
			}
		}
	}
	return all
}

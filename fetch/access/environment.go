package access

import (
	"os"
	"strings"
)

// passed are variables that every program gets.
var passed = []string{"PATH", "HOME", "LANG", "TZ", "TMPDIR"}

// EnvironmentWithoutSecrets returns the environment of a user's program: PATH, HOME, LANG, TZ and
// TMPDIR of this process, and more. An element of more is NAME=VALUE, or NAME for the value of this
// process. The result is never nil, because for exec nil means all variables.
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

package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/recrawl/recrawl/cmd/config"
)

// unknownCommand returns the error for a word that is not a subcommand of above. Its hint names the
// subcommand that was probably meant.
func unknownCommand(above *cobra.Command, word string) error {
	hint := nearest(above, word)
	if hint == "" {
		hint = above.CommandPath() + " --help lists the commands"
	}
	return UsageError(fmt.Errorf("unknown command %q", word), hint)
}

// nearest returns a question with the command that a word probably means, or "".
func nearest(above *cobra.Command, word string) string {
	best, least := "", (len(word)+1)/2+1 // two exchanged letters count as two
	for _, cmd := range above.Commands() {
		distance := config.Distance(strings.ToLower(word), cmd.Name())
		if len(word) > 1 && strings.HasPrefix(cmd.Name(), word) {
			distance = 1
		}
		if distance < least && !cmd.Hidden {
			best, least = cmd.CommandPath(), distance
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// nearestFlag returns what to do about an unknown flag: leave out one of run, or write the one that
// is probably meant; "" if none is near.
func nearestFlag(cmd *cobra.Command, err error) string {
	unknown := (*pflag.NotExistError)(nil)
	if !errors.As(err, &unknown) {
		return ""
	}
	name := unknown.GetSpecifiedName()
	run, _, err := cmd.Root().Find([]string{"run"})
	if err == nil && cmd.HasParent() && run.Flags().Lookup(name) != nil {
		return cmd.CommandPath() + " does not use --" + name + ", a flag of recrawl run"
	}
	var known []string
	for _, f := range flagsOf(cmd.Flags()) { // with the flags of all commands
		known = append(known, f.Name)
	}
	if near := config.Nearest(name, known); near != "" {
		return "did you mean --" + near + "?"
	}
	return ""
}

// misspelt returns the word on the command line that should name a subcommand.
func (p *Program) misspelt(above *cobra.Command) (word string, ok bool) {
	if !above.HasSubCommands() {
		return "", false
	}
	depth := strings.Count(above.CommandPath(), " ")
	for _, arg := range p.args {
		if strings.HasPrefix(arg, "-") {
			if depth == 0 {
				return "", false // the flag belongs to the command itself
			}
			continue
		}
		if depth == 0 {
			return arg, !slices.ContainsFunc(above.Commands(), func(c *cobra.Command) bool {
				return c.Name() == arg || c.HasAlias(arg)
			})
		}
		depth--
	}
	return "", false
}

// plainly returns an error about a wrong number of arguments, which the library counts, that says
// what the command takes.
func plainly(cmd *cobra.Command, given int, err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "accepts ") &&
		!strings.HasPrefix(err.Error(), "requires ") {
		return err
	}
	words := strings.Fields(cmd.Use)[1:]
	var takes []string
	for i := 0; i < len(words); i++ {
		if strings.HasPrefix(strings.TrimLeft(words[i], "[("), "--") {
			i++ // its value
			continue
		}
		takes = append(takes, words[i])
	}
	is := "none is"
	if given > 0 {
		is = fmt.Sprintf("%d are", given)
	}
	return UsageError(fmt.Errorf("%s takes %s, and %s given", cmd.CommandPath(),
		strings.Join(takes, " "), is), cmd.CommandPath()+" --help shows what it takes")
}

// plainFlag returns an error that repeats the value of a flag and says what is wanted, instead of
// the words of the library that parses numbers. It returns all other errors unchanged.
func plainFlag(err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), "strconv.") {
		return err
	}
	want := "another value"
	switch kind := strings.TrimSuffix(invalid.GetFlag().Value.Type(), "Slice"); {
	case strings.HasPrefix(kind, "uint"):
		want = "a whole number, 0 or more"
	case strings.HasPrefix(kind, "int"):
		want = "a whole number"
	case strings.HasPrefix(kind, "float"):
		want = "a number"
	case kind == "bool":
		want = "true or false"
	}
	return fmt.Errorf("--%s %s: want %s", invalid.GetFlag().Name, invalid.GetValue(), want)
}

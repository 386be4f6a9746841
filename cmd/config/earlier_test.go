package config_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
)

// What a command was given holds for another that is given nothing, unless it is given something
// else; settings that it does not have are left out.
func TestEarlier(t *testing.T) {
	_, walked := read(t, "", "walk", "--steps", "4", "--friends", "eve,ann")
	text, err := walked.Given("walk", []string{"rest"}, "steps")
	if err != nil || strings.TrimSpace(string(text)) != "friends:\n    - eve\n    - ann" {
		t.Fatalf("%q, error %v", text, err)
	}
	for _, c := range []struct {
		file    string
		args    []string
		friends string
		origin  config.Origin
		fails   bool
	}{
		{string(text), []string{"rest"}, "eve ann", config.FromRun, false},
		{string(text), []string{"rest", "--friends", "bob"}, "bob", config.FromFlag, false},
		{"friends: {", []string{"rest"}, "ann bob", config.FromDefault, true},
		{"friends: [nobody]", []string{"rest"}, "nobody", config.FromRun, false},
	} {
		file := writeFile(t, "run.yaml", c.file)
		var of testConfig
		s := config.NewSet(&of, "WALK_", strings.NewReplacer("{name}", "joe"))
		s.Earlier = func(*cobra.Command) string { return file }
		var review *config.Review
		cmd := &cobra.Command{Use: "rest", Run: func(cmd *cobra.Command, _ []string) {
			review = s.Read(cmd, "")
		}}
		s.AddFlags(cmd)
		cmd.SetArgs(c.args[1:])
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(of.Friends, " "); got != c.friends ||
			review.From("friends") != c.origin || (review.Unused != nil) != c.fails {
			t.Errorf("%q, %v: %s from %v, unused %v", c.file, c.args, got, review.From("friends"),
				review.Unused)
		}
		if c.friends == "nobody" && len(review.Problems) == 0 {
			t.Error("a value that is not allowed is taken")
		}
	}
}

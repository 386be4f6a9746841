package config_test

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
)

// TestEarlier checks that values of one command hold for another without values. Settings that it
// lacks are left out.
func TestEarlier(t *testing.T) {
	_, walked := read(t, "", "walk", "--steps", "4", "--friends", "eve,ann")
	text, err := walked.Given("walk", []string{"rest"})
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
		// values before an unreadable one are reset
		{"friends: [eve]\nrates: [1]\nrest:\n  steps: many", []string{"rest"}, "ann bob",
			config.FromDefault, true},
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

// settingsOf reads the settings of a command of recrawl, with a file of the last run; "": none.
func settingsOf(t *testing.T, earlier string, args ...string) (*config.Config, *config.Review) {
	t.Helper()
	var c config.Config
	s := c.Settings()
	s.NotEarlier = []string{"log-format"}
	if earlier != "" {
		earlier = writeFile(t, "run.yaml", earlier)
	}
	s.Earlier = func(*cobra.Command) string { return earlier }
	var review *config.Review
	cmd := &cobra.Command{Use: args[0], Run: func(cmd *cobra.Command, _ []string) {
		review = s.Read(cmd, "")
	}}
	s.AddFlags(cmd)
	cmd.SetArgs(args[1:])
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	return &c, review
}

// TestEarlierProgram checks that no program is written into the file of the last run, and that none
// is read from one. Review.Programs names such settings, unless the user gives another value.
func TestEarlierProgram(t *testing.T) {
	_, ran := settingsOf(t, "", "run", "--policy", "exec:./mine.py", "--seed", "3",
		"--log-format", "json")
	text, err := ran.Given("run", []string{"plan", "serve"})
	if err != nil || strings.Contains(string(text), "mine.py") ||
		strings.Contains(string(text), "log-format") {
		t.Fatalf("%q, error %v", text, err)
	}
	usual, _ := settingsOf(t, "", "plan")
	for _, c := range []struct {
		file, flag, policy string
		programs           int
	}{
		{string(text), "", usual.Policy, 1},
		{"seed: 3\npolicy: exec:./mine.py\nlog-format: json\n", "", usual.Policy, 1},
		{"seed: 3\nPOLICY: exec:./mine.py\n", "", usual.Policy, 1},
		{"seed: 3\npolicy: uniform\n", "", "uniform", 0},
		{string(text), "exec:./other.py", "exec:./other.py", 0},
	} {
		args := []string{"plan"}
		if c.flag != "" {
			args = append(args, "--policy", c.flag)
		}
		got, review := settingsOf(t, c.file, args...)
		if got.Policy != c.policy || got.Seed != 3 || got.LogFormat != "text" ||
			len(review.Programs) != c.programs {
			t.Errorf("%q, %v: policy %s, seed %d, log %s, programs %v", c.file, args, got.Policy,
				got.Seed, got.LogFormat, review.Programs)
		}
	}
}

// TestEarlierBudget checks that if a budget overrides a file or variable without limits, the file
// of the run has only the budget, for other commands.
func TestEarlierBudget(t *testing.T) {
	t.Setenv("RECRAWL_UNLIMITED", "true")
	c, ran := settingsOf(t, "", "run", "--budget", "10/day")
	c.Complete(ran)
	if c.Unlimited || len(c.Budget) != 1 {
		t.Fatalf("unlimited %v, budget %v", c.Unlimited, c.Budget)
	}
	text, err := ran.Given("run", []string{"plan"})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("RECRAWL_UNLIMITED", "")
	c, review := settingsOf(t, string(text), "plan")
	c.Validate(review)
	if c.Complete(review); len(review.Problems) > 0 || c.Unlimited || c.PerDay() != 10 {
		t.Errorf("%q: problems %v, unlimited %v, %v a day", text, review.Problems, c.Unlimited,
			c.PerDay())
	}
}

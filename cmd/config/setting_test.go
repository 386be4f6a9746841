package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
)

// testConfig has a setting of each kind, one group, and a field that is no setting.
type testConfig struct {
	Name    string        `default:"{name}" for:"walk" help:"as {name}"`
	Loud    bool          `for:"walk"`
	Steps   int           `default:"3" range:"[1,10]" for:"walk"`
	Bytes   int64         `default:"2_000" range:"[0,)" want:"0 bytes or more" for:"walk"`
	Seed    uint64        `default:"1" for:"walk"`
	Share   float64       `default:"0.5" range:"(0,1)" for:"walk"`
	Pause   time.Duration `default:"1m" range:"(0,)" want:"more than 0" for:"walk"`
	Friends []string      `default:"ann,bob" oneof:"ann, bob, eve" for:"walk rest"`
	Ports   []int         `range:"[1,9]" for:"walk"`
	Rates   []float64     `key:"all-rates" default:"0.5,1" range:"[0,1]" for:"walk"`

	Rest restConfig `for:"rest"`

	Note string
}

type restConfig struct {
	Steps int    `default:"7" range:"[1,10]"`
	Where string `default:"bed" oneof:"bed, chair"`
}

func defaults() testConfig {
	return testConfig{Name: "joe", Steps: 3, Bytes: 2000, Seed: 1, Share: 0.5, Pause: time.Minute,
		Friends: []string{"ann", "bob"}, Rates: []float64{0.5, 1},
		Rest: restConfig{Steps: 7, Where: "bed"}}
}

// read runs a command with these arguments, for example "walk --steps 4", and reads the settings.
func read(t *testing.T, file string, args ...string) (testConfig, *config.Review) {
	t.Helper()
	var c testConfig
	s := config.NewSet(&c, "WALK_", strings.NewReplacer("{name}", "joe"))
	s.Others = []string{"WALK_ALONE"}
	s.Gone = map[string]string{"rest.floor": "take a bed"}
	var review *config.Review
	root := &cobra.Command{Use: "program"}
	for _, name := range []string{"walk", "rest"} {
		cmd := &cobra.Command{Use: name, Run: func(cmd *cobra.Command, _ []string) {
			review = s.Read(cmd, file)
		}}
		s.AddFlags(cmd)
		root.AddCommand(cmd)
	}
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return c, review
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOrigins checks that a flag overrides the environment, that the file, and that the default.
func TestOrigins(t *testing.T) {
	file := writeFile(t, "walk.yaml",
		"steps: 4\nfriends: [eve]\nall-rates: [0.25]\nrest:\n  steps: 9\n")
	for _, c := range []struct {
		name        string
		file        string
		environment map[string]string
		args        []string
		change      func(*testConfig)
		origin      config.Origin // of steps
	}{
		{"default", "", nil, []string{"walk"}, func(*testConfig) {}, config.FromDefault},
		{"file", file, nil, []string{"walk"}, func(c *testConfig) {
			c.Steps, c.Friends, c.Rates, c.Rest.Steps = 4, []string{"eve"}, []float64{0.25}, 9
		}, config.FromFile},
		{"environment", file, map[string]string{"WALK_STEPS": "5", "WALK_REST_STEPS": "8",
			"WALK_ALL_RATES": "1,0", "WALK_PAUSE": "2s", "WALK_ALONE": "1"},
			[]string{"walk"}, func(c *testConfig) {
				c.Steps, c.Friends, c.Rates, c.Rest.Steps, c.Pause = 5, []string{"eve"},
					[]float64{1, 0}, 8, 2*time.Second
			}, config.FromEnvironment},
		{"empty variable", file, map[string]string{"WALK_STEPS": ""}, []string{"rest"},
			func(c *testConfig) {
				c.Steps, c.Friends, c.Rates, c.Rest.Steps = 4, []string{"eve"}, []float64{0.25}, 9
			}, config.FromFile},
		{"flag with the default's value", file, map[string]string{"WALK_STEPS": "5"},
			[]string{"walk", "--steps", "3", "--ports", "1", "--ports", "2,3"},
			func(c *testConfig) {
				c.Friends, c.Rates, c.Ports, c.Rest.Steps = []string{"eve"}, []float64{0.25},
					[]int{1, 2, 3}, 9
			}, config.FromFlag},
		{"per cent", writeFile(t, "percent.yaml", "share: 2 %\nall-rates: [25%, 7 %]\nsteps: 4\n"),
			nil, []string{"walk"}, func(c *testConfig) {
				c.Steps, c.Share, c.Rates = 4, 0.02, []float64{0.25, 0.07}
			}, config.FromFile},
		{"per cent of variables and flags", "", map[string]string{"WALK_SHARE": "2.5%",
			"WALK_STEPS": "4"}, []string{"walk", "--all-rates", "25 %, 0.1%", "--all-rates", "1"},
			func(c *testConfig) {
				c.Steps, c.Share, c.Rates = 4, 0.025, []float64{0.25, 0.001, 1}
			}, config.FromEnvironment},
		{"flag of a group", "", nil, []string{"rest", "--steps", "2"}, func(c *testConfig) {
			c.Rest.Steps = 2
		}, config.FromDefault},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range c.environment {
				t.Setenv(name, value)
			}
			want := defaults()
			c.change(&want)
			got, review := read(t, c.file, c.args...)
			if !reflect.DeepEqual(got, want) || len(review.Problems) > 0 || review.Hint != "" {
				t.Errorf("%+v, want %+v; %v %s", got, want, review.Problems, review.Hint)
			}
			if from := review.From("steps"); from != c.origin {
				t.Errorf("steps come from %v, want %v", from, c.origin)
			}
		})
	}
}

// TestRefused checks that all problems are reported together.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, file, variable string
		args                 []string
		problems             string
		hint                 string
	}{
		{"flags", "", "", []string{"walk", "--steps", "0", "--share", "1", "--pause", "0",
			"--bytes=-1", "--friends", "ann,joe,tim", "--ports", "0,9", "--share", "NaN"},
			"--steps 0: want 1 to 10|--bytes -1: want 0 bytes or more|--share NaN: want 0 to " +
				"1|--pause 0s: want more than 0|" +
				"--friends joe: want ann, bob or eve|--friends tim: want ann, bob or eve|--ports " +
				"0: want 1 to 9", ""},
		{"file, of another command", "rest: {steps: 11, where: roof}\nshare: 0", "",
			[]string{"walk"},
			"share: 0: want 0 to 1|rest.steps: 11: want 1 to 10|rest.where: roof: want bed or chair", ""},
		{"keys for a list", "friends: {a: b}", "", []string{"walk"},
			`config file FILE: line 1: friends: want a text, or a list of texts`,
			"program walk --help shows what each setting is"},
		{"kinds before ranges", "loud: maybe\nseed: many\npause: soon\nports: [x]\nall-rates: " +
			"[y]\nsteps: 99\nshare: z", "", []string{"walk"},
			"config file FILE: line 1: loud: want true or false|" +
				"config file FILE: line 2: seed: want a whole number, not below 0|" +
				"config file FILE: line 3: pause: \"soon\" is not a time span, for example 90s or 1h30m|" +
				"config file FILE: line 4: ports[1]: want a whole number|" +
				"config file FILE: line 5: all-rates[1]: want a number|" +
				"config file FILE: line 7: share: want a number",
			"program walk --help shows what each setting is"},
		{"key", "stepz: 1", "", []string{"walk"}, `config file FILE: unknown key "stepz"`,
			`did you mean "steps"?`},
		{"key of no setting", "note: a", "", []string{"walk"},
			`config file FILE: unknown key "note"`, `did you mean "name"?`},
		{"variable", "", "WALK_STEP", []string{"walk"},
			"environment variable WALK_STEP sets nothing", `did you mean "WALK_STEPS"?`},
		{"key of an older version", "rest:\n  floor: hard", "", []string{"walk"},
			`config file FILE: unknown key "rest.floor"`, "take a bed"},
		{"variable of an older version", "", "WALK_REST_FLOOR", []string{"walk"},
			"environment variable WALK_REST_FLOOR sets nothing", "take a bed"},
		{"no YAML", "steps: [1", "", []string{"walk"}, "read config file FILE: ",
			"it must be YAML, TOML or JSON, named by its ending"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := ""
			if c.file != "" {
				file = writeFile(t, "walk.yaml", c.file)
			}
			if c.variable != "" {
				t.Setenv(c.variable, "1")
			}
			_, review := read(t, file, c.args...)
			var told []string
			for _, problem := range review.Problems {
				told = append(told, problem.Error())
			}
			got := strings.Join(told, "|")
			want := strings.ReplaceAll(c.problems, "FILE", file)
			if got != want && (!strings.HasSuffix(want, ": ") || !strings.HasPrefix(got, want)) ||
				review.Hint != c.hint {
				t.Errorf("problems\n%s\nwant\n%s\nhint %q, want %q", got, want, review.Hint, c.hint)
			}
		})
	}
	_, review := read(t, "missing.yaml", "walk")
	if err := errors.Join(review.Problems...); err == nil ||
		err.Error() != "config file missing.yaml does not exist" || review.Hint == "" {
		t.Errorf("missing file: %v, hint %q", err, review.Hint)
	}
}

// TestRefuse checks that a refused value is reported under the name by which it was given.
func TestRefuse(t *testing.T) {
	_, review := read(t, "", "rest", "--steps", "2")
	review.Refuse("rest.steps", 2, "more than steps")
	review.Refuse("steps", 3, "fewer")
	if got, want := errors.Join(review.Problems...).Error(),
		"--steps 2: want more than steps\nsteps: 3: want fewer"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWrongTags checks that wrong tags are mistakes of the program.
func TestWrongTags(t *testing.T) {
	for name, declared := range map[string]any{
		"default": &struct {
			A int `default:"many"`
		}{},
		"range": &struct {
			A int `range:"[few,many]"`
		}{},
		"range of a text": &struct {
			A string `range:"[1,2]"`
		}{},
		"kind": &struct {
			A int8 `for:"walk"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			s := config.NewSet(declared, "WALK_", strings.NewReplacer())
			cmd := &cobra.Command{Use: "walk"}
			s.AddFlags(cmd)
			s.Read(cmd, "")
		}()
	}
}

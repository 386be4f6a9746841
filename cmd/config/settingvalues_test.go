package config_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
)

var walk = &cobra.Command{Use: "walk"}

// TestTemplate checks that a template without its marks sets each default, and an unchanged one the
// values that somebody gave.
func TestTemplate(t *testing.T) {
	_, review := read(t, "", "walk", "--steps", "7", "--friends", "eve")
	required := map[string]string{"name": "jim", "pause": "2s"}
	text := review.Template(walk, "The beginning.\n\nAnd more.", required)
	if !strings.HasPrefix(text, "# The beginning.\n#\n# And more.\n\n# as joe\nname: jim\n") {
		t.Errorf("it does not begin with what must be given:\n%s", text)
	}
	got, _ := read(t, writeFile(t, "walk.yaml", text), "walk")
	want := defaults()
	want.Name, want.Steps, want.Friends, want.Pause = "jim", 7, []string{"eve"}, 2e9
	if !reflect.DeepEqual(got, want) {
		t.Errorf("as it is: %+v, want %+v", got, want)
	}
	bare := regexp.MustCompile(`(?m)^#(\S)`).ReplaceAllString(text, "$1")
	got, review = read(t, writeFile(t, "walk.yaml", bare), "walk")
	// an empty list means none
	if fmt.Sprint(got) != fmt.Sprint(want) || len(review.Problems) > 0 {
		t.Errorf("without marks: %+v, want %+v; %v", got, want, review.Problems)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# ") && len(line) > 79 {
			t.Errorf("a comment of %d columns: %s", len(line), line)
		}
	}
}

// TestTemplateOfGroup checks that a group in a template is one in the file.
func TestTemplateOfGroup(t *testing.T) {
	_, review := read(t, "", "rest")
	text := review.Template(&cobra.Command{Use: "rest"}, "", nil)
	bare := regexp.MustCompile(`(?m)^#(\S)|^#( )  ?(steps|where)`).ReplaceAllString(
		strings.ReplaceAll(text, "#  ", "  "), "$1$2$3")
	got, review := read(t, writeFile(t, "rest.yaml", bare), "rest")
	if !reflect.DeepEqual(got, defaults()) || len(review.Problems) > 0 {
		t.Errorf("%+v; %v; file\n%s", got, review.Problems, bare)
	}
}

func TestValues(t *testing.T) {
	t.Setenv("WALK_SHARE", "0.25")
	_, review := read(t, writeFile(t, "walk.yaml", "loud: true\nname: \"two words: and more\""),
		"walk", "--ports", "1,2")
	values := review.Values("walk")
	got := map[string]string{}
	for _, v := range values {
		got[v.Key] = v.Value + " " + v.Source
	}
	for key, want := range map[string]string{
		"name": "'two words: and more' file", "loud": "true file", "share": "0.25 environment",
		"ports": "[1, 2] flag",
		"pause": "1m default", "friends": "[ann, bob] default",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
	if _, ok := got["rest.where"]; ok {
		t.Error("a setting of another command is among them")
	}
	if all := review.Values(""); len(all) != len(values)+2 {
		t.Errorf("%d settings in all, %d of walk", len(all), len(values))
	}
	l := config.Listing(values)
	if got, want := l.Finding(),
		"Of 10 settings, 1 from flags, 1 from the environment, 2 from the file; the others have "+
			"their defaults."; got != want {
		t.Errorf("finding %q, want %q", got, want)
	}
	if rows := l.Tables()[0].Rows; rows[0][0] != "name" || rows[3][0] != "ports" ||
		rows[4][2] != "default" {
		t.Errorf("those given are not first: %v", rows)
	}
	t.Setenv("WALK_SHARE", "")
	_, review = read(t, "", "walk")
	if got := config.Listing(review.Values("walk")).Finding(); !strings.HasPrefix(got,
		"All 10 settings have") {
		t.Errorf("finding %q where nothing is given", got)
	}
}

// TestValuesRoundTrip checks that a file and the environment accept each setting as it is shown,
// with the same meaning.
func TestValuesRoundTrip(t *testing.T) {
	given := map[string]string{"round": "90m", "delay": "1h0m0.5s", "search-lag": "168h",
		"timeout": "100ms", "max-age": "[30d, https://a.example/=90m]", "user-agent": "\"a: # b\"",
		"budget": "[2%, 1000/day]", "alpha": "0.125", "node.lease": "5m", "eval.step": "24h"}
	text := func(values map[string]string) (all string) {
		groups := map[string]string{}
		for key, value := range values {
			if group, name, ok := strings.Cut(key, "."); ok {
				groups[group] += "  " + name + ": " + value + "\n"
			} else {
				all += key + ": " + value + "\n"
			}
		}
		for group, lines := range groups {
			all += group + ":\n" + lines
		}
		return all
	}
	shown := func(file string) (map[string]string, []config.Value) {
		t.Helper()
		var c config.Config
		cmd := &cobra.Command{Use: "run"}
		s := c.Settings()
		s.AddFlags(cmd)
		r := s.Read(cmd, file)
		if len(r.Problems) > 0 {
			t.Fatal(r.Problems)
		}
		values := map[string]string{}
		for _, v := range r.Values("") {
			if v.Key != "hosts" && strings.Count(v.Key, ".") < 2 { // objects; groups in groups
				values[v.Key] = v.Value
			}
		}
		return values, r.Values("")
	}
	first, all := shown(writeFile(t, "run.yaml", text(given)))
	if first["round"] != "1h30m" || first["robots-max-age"] != "24h" || len(first) < 200 {
		t.Errorf("round %s, robots-max-age %s, %d values", first["round"],
			first["robots-max-age"], len(first))
	}
	second, _ := shown(writeFile(t, "run.yaml", text(first)))
	if !reflect.DeepEqual(first, second) {
		t.Errorf("a file of what is shown is shown as\n%v, want\n%v", second, first)
	}
	for _, v := range all {
		if span, err := time.ParseDuration(v.Value); err == nil && span != 0 {
			t.Setenv(v.Variable, v.Value)
		}
	}
	if second, _ := shown(""); second["round"] != "1h30m" || second["timeout"] != "100ms" ||
		second["delay"] != "1h0m0.5s" || second["search-lag"] != "168h" {
		t.Errorf("variables of what is shown are shown as %v", second)
	}
}

// TestSecret checks that a secret is not shown, only that it is given.
func TestSecret(t *testing.T) {
	var c struct {
		Token string `secret:"true" for:"walk"`
	}
	s := config.NewSet(&c, "WALK_", strings.NewReplacer())
	cmd := &cobra.Command{Use: "walk"}
	s.AddFlags(cmd)
	if v := s.Read(cmd, writeFile(t, "walk.yaml", "token: hush")).Values(
		"walk")[0]; v.Value != "(set)" || c.Token != "hush" {
		t.Errorf("%+v, token %q", v, c.Token)
	}
}

// TestOffer checks completion in a shell: names, the rest of a list, folders, and files by
// extension.
func TestOffer(t *testing.T) {
	var c struct {
		Friends []string `oneof:"ann, bob, eve" for:"walk"`
		Way     string   `names:"path, road" for:"walk"`
		Home    string   `path:"directory" for:"walk"`
		Map     string   `path:"svg png" for:"walk"`
		Any     string   `path:"any" for:"walk"`
		Steps   int      `for:"walk"`
	}
	for args, want := range map[string]string{
		"--friends ":        "ann bob eve :6",
		"--friends ann,":    "ann,bob ann,eve :6",
		"--friends ann,bob": "ann,bob :6",
		"--way r":           "road :4",
		"--home ":           ":16",
		"--map ":            "svg png :8",
		"--any ":            ":0",
		"--steps ":          ":4",
	} {
		root := &cobra.Command{Use: "program"}
		cmd := &cobra.Command{Use: "walk", Run: func(*cobra.Command, []string) {}}
		s := config.NewSet(&c, "WALK_", strings.NewReplacer())
		s.AddFlags(cmd)
		root.AddCommand(cmd)
		flag, value, _ := strings.Cut(args, " ")
		root.SetArgs([]string{cobra.ShellCompNoDescRequestCmd, "walk", flag, value})
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetErr(new(bytes.Buffer))
		if err := root.ExecuteContext(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(out.String()), " "); got != want {
			t.Errorf("%s: offered %q, want %q", args, got, want)
		}
	}
}

// FuzzTemplate checks that a template with any text can be read, and gives the text back.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"", "a", " a: b # c", "[x]", "\"", "'", "two\nlines", "yes",
		"1e3", "é\u2028"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if slices.ContainsFunc([]rune(text), func(r rune) bool {
			return r == '\uFFFD' || r == 0
		}) || os.Getenv("WALK_NAME") != "" {
			t.Skip("no text that a flag can carry")
		}
		_, review := read(t, "", "walk", "--name", text)
		got, review := read(t, writeFile(t, "walk.yaml", review.Template(walk, "", nil)), "walk")
		if len(review.Problems) > 0 || got.Name != text {
			t.Errorf("%q came back as %q: %v", text, got.Name, review.Problems)
		}
	})
}

package core_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/recrawl/recrawl/cmd/core"
)

const packaging = "../../.ci/package/"

// TestPackaging checks that the program accepts the calls of service, container and compose file,
// and that the files they copy exist. It needs no container engine.
func TestPackaging(t *testing.T) {
	config := writeFile(t, filepath.Join(t.TempDir(), "recrawl.yaml"),
		"data: crawl\nuser-agent: "+contact+"\n")
	unit := readFile(t, packaging+"recrawl.service")
	calls := regexp.MustCompile(
		`(?m)^ExecStart(?:Pre)?=/usr/bin/recrawl (.*)$`).FindAllStringSubmatch(unit, -1)
	if len(calls) != 2 {
		t.Fatalf("%d calls in the unit", len(calls))
	}
	for _, call := range calls {
		args := strings.Fields(strings.NewReplacer("/etc/recrawl/recrawl.yaml", config,
			"$RECRAWL_START", "https://example.org/").Replace(call[1]))
		if err := core.Settings(args); err != nil {
			t.Errorf("unit, %q: %v", args, err)
		}
	}
	for _, line := range []string{"User=recrawl", "NoNewPrivileges=yes", "ProtectSystem=strict",
		"CapabilityBoundingSet=", "StateDirectory=recrawl", "KillSignal=SIGINT"} {
		if !strings.Contains(unit, "\n"+line+"\n") {
			t.Errorf("the unit has no %s", line)
		}
	}

	image := readFile(t, packaging+"Dockerfile")
	for _, m := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(image,
		-1) {
		for _, name := range strings.Fields(m[1]) {
			if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
				t.Errorf("Dockerfile: %v", err)
			}
		}
	}
	var entry, command []string
	for word, into := range map[string]*[]string{"ENTRYPOINT": &entry, "CMD": &command} {
		m := regexp.MustCompile(`(?m)^` + word + ` (\[.*\])$`).FindStringSubmatch(image)
		if m == nil || json.Unmarshal([]byte(m[1]), into) != nil {
			t.Fatalf("Dockerfile has no list behind %s", word)
		}
	}
	if len(entry) != 1 || entry[0] != "/usr/bin/recrawl" ||
		!strings.Contains(image, " /out/bin/ /usr/bin/\n") {
		t.Errorf("the image begins with %q, which it does not have", entry)
	}

	var compose struct {
		Services map[string]struct {
			Build       struct{ Context, Dockerfile string }
			Command     []string
			Environment map[string]string
			ReadOnly    bool     `yaml:"read_only"`
			CapDrop     []string `yaml:"cap_drop"`
			StopSignal  string   `yaml:"stop_signal"`
			Volumes     []string
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(readFile(t, packaging+"compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	service, ok := compose.Services["recrawl"]
	if !ok || !service.ReadOnly || len(service.CapDrop) != 1 || service.StopSignal != "SIGINT" {
		t.Fatalf("compose.yaml: %+v", compose)
	}
	if _, err := os.Stat(filepath.Join(packaging, service.Build.Context,
		service.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	if name, _, _ := strings.Cut(service.Volumes[0], ":"); compose.Volumes[name] == nil {
		t.Errorf("compose.yaml declares no volume %s", name)
	}
	t.Setenv("RECRAWL_USER_AGENT", contact)
	for name, value := range service.Environment {
		if _, preset, ok := strings.Cut(strings.TrimSuffix(value, "}"), ":-"); ok {
			t.Setenv(name, preset)
		}
	}
	if err := core.Settings(service.Command); err != nil {
		t.Errorf("compose.yaml, %q: %v", service.Command, err)
	}
}

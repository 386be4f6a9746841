package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			version, revision := version()
			if p.json {
				return json.NewEncoder(p.stdout).Encode(map[string]string{"version": version, "revision": revision, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(p.stdout, "recrawl %s %s (%s %s/%s)\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// version is that of the program, and of its source.
func version() (version, revision string) {
	version = "devel"
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return version, revision
}

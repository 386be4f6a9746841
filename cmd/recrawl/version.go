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
		Use:  "version",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			version, revision := versionName(), ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			if p.json {
				return json.NewEncoder(p.stdout).Encode(map[string]string{"version": version, "revision": revision, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(p.stdout, "recrawl %s %s (%s %s/%s)\n", version, revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

func versionName() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

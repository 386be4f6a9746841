package core

import (
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func (p *Program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			version, revision := moduleVersion()
			if p.json {
				return json.NewEncoder(p.stdout).Encode(map[string]string{
					"version": version, "revision": revision, "go": runtime.Version()})
			}
			_, err := fmt.Fprintln(p.stdout, versionLine())
			return err
		},
	}
}

func versionLine() string {
	version, revision := moduleVersion()
	return fmt.Sprintf("recrawl %s %s (%s %s/%s)", version, revision, runtime.Version(),
		runtime.GOOS, runtime.GOARCH)
}

// VersionName returns the version of the program.
func VersionName() string {
	name, _ := moduleVersion()
	return name
}

package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/satstore/directory"
)

// lastRunFile has the settings of the last run, in its data directory.
const lastRunFile = "run.yaml"

// afterRun are commands that show the store of a run. By default they use the settings of the run,
// to show the same as the run. Names are those of config.NameOf.
var afterRun = []string{"serve", "plan", "explain", "tune"}

// notKept are settings of a run that do not concern its store.
var notKept = []string{"data", "listen", "listen-name", "listen-certificate",
	"listen-certificate-key", "pprof", "log-format"}

// lastRun returns the file of settings of the last run on a command's data directory, or "" if
// there is none, or the command does not need it.
func (p *Program) lastRun(cmd *cobra.Command) string {
	data := p.config.Data
	if journal := p.config.Tune.Journal; data == "" && journal != "" {
		data = filepath.Dir(journal)
	}
	if !slices.Contains(afterRun, config.NameOf(cmd)) || data == "" {
		return ""
	}
	file := filepath.Join(data, lastRunFile)
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// keepSettings writes the settings of a run into its data directory, for afterRun.
func (p *Program) keepSettings() error {
	text, err := p.review.Given("run", afterRun)
	if err != nil {
		return err
	}
	err = directory.WritePrivately(filepath.Join(p.config.Data, lastRunFile), text)
	if err != nil {
		return fmt.Errorf("keep the settings of the run: %w", err)
	}
	return nil
}

// copySettings copies the settings of the last run, if there are any, to a copy of its store.
func copySettings(data, to string) error {
	text, err := os.ReadFile(filepath.Join(data, lastRunFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = directory.WritePrivately(filepath.Join(to, lastRunFile), text)
	}
	if err != nil {
		return fmt.Errorf("copy the settings of the last run to %s: %w", to, err)
	}
	return nil
}

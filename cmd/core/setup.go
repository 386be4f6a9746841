package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/fetch"
)

// asRun gives a command the flags of run.
var asRun = map[string]string{config.NameAs: "run"}

func (p *Program) initCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "init [FILE]", Args: cobra.MaximumNArgs(1), Annotations: asRun}
	purpose := ""
	cmd.Flags().StringVar(&purpose, "for", "", "what the settings are for: archive")
	return p.command(cmd, func(_ context.Context, args []string) error {
		file := append(args, "recrawl.yaml")[0]
		first := map[string]string{"data": "crawl", "user-agent": `""`}
		seeds := ""
		switch purpose {
		case "":
		case "archive":
			seeds = cmp.Or(p.config.Seeds, filepath.Join(filepath.Dir(file), "seeds.txt"))
			first = map[string]string{"data": "keep", "user-agent": `""`, "archive": "warc",
				"seeds": seeds, "documents": "[pdf, office]"}
		default:
			return UsageError(fmt.Errorf("--for %q is nothing that settings are for", purpose),
				"there is archive; without --for they are those of any run")
		}
		text := p.review.Template(cmd, initText, first)
		if file == standardOutput {
			_, err := io.WriteString(p.stdout, text)
			return err
		}
		if err := writeNew(file, text); err != nil {
			return err
		}
		if seeds != "" {
			_, err := os.Lstat(seeds)
			if err != nil {
				err = writeNew(seeds, seedsText)
			}
			if err != nil {
				return err
			}
			next := "enter the user agent there and "
			if p.config.UserAgent != "" {
				next = "enter "
			}
			return p.Print(map[string]string{"file": file, "seeds": seeds}, fmt.Sprintf(
				"%s is written: %sthe pages in %s, then recrawl doctor --config %s and recrawl run "+
					"--config %s.", file, next, seeds, file, file), nil)
		}
		next := "enter the user agent"
		if p.config.UserAgent != "" {
			next = "look it through"
		}
		return p.Print(map[string]string{"file": file},
			fmt.Sprintf("%s is written: %s, then recrawl doctor --config %s and recrawl run "+
				"--config %s URL.", file, next, file, file), nil)
	})
}

// writeNew writes a new file.
func writeNew(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return UsageError(fmt.Errorf("%s is there already", file),
			"nothing is replaced: name another file, or remove this one")
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (p *Program) configCommand() *cobra.Command {
	return p.command(&cobra.Command{Use: "config [COMMAND]", Args: cobra.MaximumNArgs(1),
		Annotations: asRun}, func(_ context.Context, args []string) error {
		values := config.Listing(p.review.Values(append(args, "")[0]))
		if len(values) == 0 {
			return UsageError(fmt.Errorf("no command %q has settings", args[0]),
				"recrawl config lists the settings of all commands; those below another are "+
					"named as schedule-plan")
		}
		for _, v := range p.review.Values("") {
			if v.Source == config.FromFlag.String() && !slices.Contains(values, v) {
				return UsageError(fmt.Errorf("%s has no setting %s", args[0], v.Key),
					"leave --"+v.Key+" out, or name no command")
			}
		}
		return p.Print(values, values.Finding(), values.Tables())
	})
}

func (p *Program) doctorCommand() *cobra.Command {
	return p.command(&cobra.Command{Use: "doctor [--config FILE] [URL...]"}, p.doctor)
}

func (p *Program) doctor(ctx context.Context, args []string) error {
	c := &p.config
	o := doctorOptions{Data: c.Data, Archive: c.Archive, UserAgent: c.UserAgent,
		Nameserver: c.Resolver, Workers: c.Workers, Seeds: c.Seeds,
		MaxBody: c.MaxBody, MinFree: c.MinFree, Hosts: len(c.Hosts), Pause: 50 * time.Millisecond}
	table, _ := fetch.NewHostTable(c.Hosts) // they are checked
	o.Credentials = table.ReadCredentials()
	var err error
	if o.Servers, err = Addresses(args); err != nil {
		return err
	}
	if len(args) > 0 {
		client, err := p.client(fetch.Read, nil)
		if err != nil {
			return err
		}
		o.Client = client
	}
	r, err := examineAll(ctx, o)
	if err != nil {
		return err
	}
	if err := p.Print(r, r.Finding(), r.Tables()); err != nil || r.Count(doctorFail) == 0 {
		return err
	}
	return WorkError(errors.New("the crawl is not ready"),
		"the last column above says what to do", ExitFailed)
}

func (p *Program) completionCommand() *cobra.Command {
	return &cobra.Command{Use: "completion bash|zsh|fish",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			return map[string]func() error{
				"bash": func() error { return root.GenBashCompletionV2(p.stdout, true) },
				"zsh":  func() error { return root.GenZshCompletion(p.stdout) },
				"fish": func() error { return root.GenFishCompletion(p.stdout, true) },
			}[args[0]]()
		}}
}

func (p *Program) manCommand() *cobra.Command {
	to := ""
	cmd := &cobra.Command{Use: "man --to DIRECTORY", Args: noArguments, Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if to == "" {
				return UsageError(errors.New("no directory given"),
					"say where the pages go: --to man1")
			}
			pages, err := writeMan(cmd.Root(), VersionName(), to)
			if err != nil {
				return err
			}
			return p.Print(map[string]int{"pages": pages}, fmt.Sprintf("%d pages are in %s.",
				pages, to), nil)
		}}
	cmd.Flags().StringVar(&to, "to", "", "directory for the pages; it is made if need be")
	return cmd
}

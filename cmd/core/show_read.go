package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/recrawl/recrawl/cmd/config"
	"github.com/recrawl/recrawl/cmd/show/inside"
	"github.com/recrawl/recrawl/fetch"
	"github.com/recrawl/recrawl/fetch/feeds"
	"github.com/recrawl/recrawl/fetch/robots"
)

func (p *Program) showRobotsCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:         "robots FILE|URL",
		Annotations: map[string]string{config.NameAs: "show-robots"},
		Args:        cobra.ExactArgs(1),
	}, p.showRobots)
}

func (p *Program) showFeedCommand() *cobra.Command {
	return p.command(&cobra.Command{
		Use:         "feed FILE|URL",
		Aliases:     []string{"sitemap"},
		Annotations: map[string]string{config.NameAs: "show-feed"},
		Args:        cobra.ExactArgs(1),
	}, p.showFeed)
}

func (p *Program) showRobots(ctx context.Context, args []string) error {
	o := p.config.ShowRobots
	agent := o.Agent
	if agent != "*" {
		agent = cmp.Or(fetch.ProductOf(agent), robots.Product(agent), p.config.RobotsAgent,
			fetch.ProductOf(p.config.UserAgent))
	}
	if agent == "" {
		return UsageError(errors.New("no name of a crawler is given that robots.txt could be "+
			"read for"), "as --agent mybot, or --agent '*' for those that the file does not name")
	}
	address, target := "", ""
	if strings.Contains(args[0], "://") {
		canonical, err := webAddress(args[0])
		if err != nil {
			return err
		}
		u, err := url.Parse(canonical)
		if err != nil {
			return err
		}
		address, target = canonical, u.RequestURI()
	} else if o.File == "" {
		o.File = args[0]
	} else {
		return UsageError(fmt.Errorf("%.120q is not a whole web address", args[0]),
			"with --file give the address to judge, with http:// or https://")
	}
	body, err := p.robotsOf(ctx, o.File, address)
	if err != nil {
		return err
	}
	shown := inside.ReadRobots(body, agent, address, target)
	return p.Print(shown, shown.Finding(), shown.Tables())
}

// robotsOf reads robots.txt from a file, or requests it from the server of a URL.
func (p *Program) robotsOf(ctx context.Context, file, address string) ([]byte, error) {
	if file != "" {
		return os.ReadFile(file)
	}
	client, err := p.client(nil, nil)
	if err != nil {
		return nil, err
	}
	at, _ := url.Parse(address) // it was parsed before
	body, err := client.Get(ctx, at.Scheme+"://"+at.Host+"/robots.txt", robots.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s://%s/robots.txt: %w", at.Scheme, at.Host, err)
	}
	return body, nil
}

func (p *Program) showFeed(ctx context.Context, args []string) error {
	address := p.config.Show.URL
	online := strings.Contains(args[0], "://")
	if online {
		address = args[0]
	}
	address, err := webAddress(address)
	if err != nil {
		return err
	}
	var body []byte
	if online {
		client, err := p.client(nil, nil)
		if err != nil {
			return err
		}
		body, err = client.Get(ctx, address, feeds.MaxBytes)
		if err != nil {
			return fmt.Errorf("%s: %w", address, err)
		}
	} else if body, err = os.ReadFile(args[0]); err != nil {
		return err
	}
	shown, err := inside.ReadListing(body, "", address)
	if err != nil {
		return WorkError(err, "recrawl show page reads pages, recrawl show robots a robots.txt",
			ExitFailed)
	}
	return p.Print(shown, shown.Finding(), shown.Tables())
}

func (p *Program) showURL(_ context.Context, args []string) error {
	canonical, err := webAddress(args[0])
	if err != nil {
		return err
	}
	shown, err := inside.ReadAddress(args[0], canonical, time.Now())
	if err != nil {
		return err
	}
	return p.Print(shown, shown.Finding(), shown.Tables())
}

package deliver

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"

	"github.com/recrawl/recrawl/fetch/watch"
)

// service sends text to a service or mailbox.
type service struct {
	address string
	most    int // octets of a text
	hidden  secrets
	under   chan error // of a delivery that did not end in time; nil: there is none
	send    func(address, subject, text string) error
}

const (
	// mostChat is what all services take but those that cut by themselves: Discord takes 2,000
	// characters.
	mostChat = 1900
	mostMail = 64 << 10
)

func newService(address string, hidden secrets) (watch.Sender, error) {
	hidden.hideAddress(address)
	scheme, _, ok := strings.Cut(address, "://")
	known := new(router.ServiceRouter).ListServices()
	kind, _, _ := strings.Cut(scheme, "+") // as generic+https
	if !ok || !slices.Contains(known, kind) {
		slices.Sort(known)
		return nil, fmt.Errorf("%.20q is no kind of service: there are %s",
			scheme, strings.Join(known, ", "))
	}
	if _, err := url.Parse(address); err != nil {
		return nil, errors.New("its address cannot be read: characters as @, : and / in names " +
			"and passwords are written %40, %3A and %2F")
	}
	s := &service{address: address, most: mostChat, hidden: hidden, send: shout}
	if kind == "smtp" || kind == "generic" || kind == "logger" {
		s.most = mostMail
	}
	return s, nil
}

// shout sends a text by Shoutrrr. Some services log in where they are made, so that they are made
// when they are used.
func shout(address, subject, text string) error {
	r, err := router.New(nil, address)
	if err != nil {
		return err
	}
	params := types.Params{}
	params.SetTitle(subject)
	return errors.Join(r.Send(text, &params)...)
}

// surviving makes a panic of a service an error.
func surviving(send func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the service failed: %v", fault)
		}
	}()
	return send()
}

// Send sends the text of a message. Shoutrrr knows no contexts: what does not end in time goes on,
// and as long as it does nothing else is sent.
func (s *service) Send(ctx context.Context, m *watch.Message) error {
	if s.under == nil {
		done := make(chan error, 1)
		s.under = done
		go func() {
			done <- surviving(func() error { return s.send(s.address, m.Subject, m.Text(s.most)) })
		}()
	} else {
		select {
		case <-s.under: // of a message that counts as not delivered
			s.under = nil
			return s.Send(ctx, m)
		default:
			return errors.New("a delivery before this one has not ended")
		}
	}
	select {
	case err := <-s.under:
		s.under = nil
		return s.hidden.clean(err)
	case <-ctx.Done():
		return errors.New("the service did not answer in time")
	}
}

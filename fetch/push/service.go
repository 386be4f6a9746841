package push

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
	"github.com/recrawl/recrawl/sitegraph/words"
)

// Options of a Service.
type Options struct {
	Address  string   // to listen at, for example 127.0.0.1:8090
	Callback string   // public URL below which hubs reach it; "": no subscriptions
	Names    []string // further names of this machine in requests
	Get      Get
	Post     func(ctx context.Context, hub string, form url.Values) (HubAnswer, error)
	Note     func(format string, args ...any) // receives messages for the user, from any goroutine
	Now      func() time.Time                 // nil: time.Now
	// Setting reads the kept subscriptions.
	Setting func(name string) (value []byte, ok bool, err error)
}

// Service listens for all kinds of reports until Close. A nil Service accepts none. One goroutine
// calls its methods, except Woken.
type Service struct {
	inbox  *Inbox
	feeds  *Subscriber // nil: no subscriptions
	server *Server
	stop   func()
}

// Open starts to listen. Its error wraps ErrListen.
func Open(o Options) (*Service, error) {
	ctx, stop := context.WithCancel(context.Background())
	s := &Service{inbox: New(ctx, o.Get), stop: stop}
	if o.Now != nil {
		s.inbox.now = o.Now
	}
	if o.Callback != "" {
		s.feeds = NewSubscriber(SubscriberOptions{
			Callback: strings.TrimRight(o.Callback, "/"), Post: o.Post, Note: o.Note,
			Woken: s.inbox.wake, Now: o.Now,
		})
		s.inbox.feeds = s.feeds
		if err := s.feeds.Restore(o.Setting); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	public, err := url.Parse(o.Callback)
	if err == nil {
		s.server, err = Listen(o.Address, s.inbox, o.Names, public.Host)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	o.Note("hints and IndexNow are taken at http://%s", s.server.Address())
	if s.feeds != nil {
		o.Note("WebSub: hubs reach it under %s; %d subscriptions are known",
			o.Callback, s.feeds.Counts().Known)
	}
	return s, nil
}

// CheckCallback returns what is wrong with a public URL for callbacks, or "".
func CheckCallback(address string) (want string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		u.RawQuery != "" ||
		u.Fragment != "" || len(address) > sitegraph.MaxURLBytes/2 {
		return "the URL of a web server without query, for example https://example.org/websub"
	}
	return ""
}

// Woken receives a value when there is something to Take.
func (s *Service) Woken() <-chan struct{} {
	if s == nil {
		return nil
	}
	return s.inbox.woken
}

// See handles a visit to a feed: it subscribes if the feed names hubs, and unsubscribes if the feed
// is gone.
func (s *Service) See(url string, state sitegraph.State, o *sitegraph.Observation) {
	switch {
	case s == nil || s.feeds == nil:
	case o.Source != sitegraph.SourceUnknown:
		s.feeds.Saw(url, o.Topic, o.Hubs)
	case state != sitegraph.StateSource || o.Outcome == sitegraph.OutcomeGone:
		s.feeds.Left(url)
	}
}

// Take returns and forgets the reported URLs: hints of the operator, and those of owners and hubs.
// It first keeps changed subscriptions. Otherwise it is Inbox.Take.
func (s *Service) Take(k SubscriptionKeeper, known func(server string) bool) (
	hints, owned []string, err error) {
	if s == nil {
		return nil, nil, nil
	}
	hints, owned = s.inbox.Take(known)
	if s.feeds != nil {
		owned = append(owned, s.feeds.Take()...)
		err = s.feeds.Keep(k)
	}
	return hints, owned, err
}

// Close ends the service.
func (s *Service) Close() (err error) {
	if s == nil {
		return nil
	}
	if s.server != nil {
		err = s.server.Close()
	}
	s.stop()
	if s.feeds != nil {
		s.feeds.Close()
	}
	s.inbox.Close()
	return err
}

// ErrListen is returned if the process cannot listen at an address.
var ErrListen = words.Hint(errors.New("listen for hints"),
	"--push wants an address of this machine with a free port, for example 127.0.0.1:8090",
	words.ExitFailed)

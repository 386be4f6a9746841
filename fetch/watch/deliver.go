package watch

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/recrawl/recrawl/fetch/access"
)

// DeliveryError is a fault of a target.
type DeliveryError struct {
	Target string
	Err    error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("target %s: %v", Shown(e.Target),
		e.Err)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// Hint returns what to do.
func (e *DeliveryError) Hint() string {
	if unsafe := (*access.UnsafeError)(nil); errors.As(e.Err, &unsafe) {
		return unsafe.Hint()
	}
	return "docs/reference/watching.md has the forms of targets; recrawl watch test tries them"
}

// OpenSenders makes the senders of all targets in a file. getenv looks up variables, like
// os.LookupEnv. It returns all errors, each a DeliveryError.
//
// Senders deliver messages to webhooks and programs. Programs reach chats, push services and mail.
//
// # Guarantees
//
//  1. No secret is in an error or a name. Secrets are the values of variables and files, and user,
//     password, path and query of a URL.
//  2. A file with a URL is refused if anybody but its owner may use it.
//  3. A delivery ends with its context. Then a program is killed with its child processes. Its
//     output is bounded, and an error shows the end of it.
//  4. A program is never run by a shell. It gets the message on standard input, and only the
//     variables PATH, HOME, LANG, TZ and TMPDIR.
//  5. A webhook with a secret is signed by Standard Webhooks: HMAC-SHA256 of ID, time and body.
//     Redirects are not followed.
//
// Sources: the Standard Webhooks specification; RFC 2104 (HMAC).
func OpenSenders(f *File, getenv func(string) (string, bool)) (map[string]Sender, error) {
	senders := map[string]Sender{}
	var wrong []error
	for _, name := range f.Names() {
		sender, err := open(f.Targets[name], getenv)
		if err != nil {
			wrong = append(wrong, &DeliveryError{name, err})
			continue
		}
		senders[name] = sender
	}
	return senders, errors.Join(wrong...)
}

func open(t Target, getenv func(string) (string, bool)) (Sender, error) {
	var hidden secrets
	expand := func(text string) (string, error) { return hidden.expand(text, getenv) }
	if t.File != "" {
		line, err := readSecret(t.File)
		if err != nil {
			return nil, err
		}
		t.Webhook = line
	}
	if len(t.Command) > 0 {
		return newCommand(t.Command, t.Text)
	}
	address, err := expand(t.Webhook)
	if err != nil {
		return nil, err
	}
	secret, err := expand(t.Secret)
	if err != nil {
		return nil, err
	}
	return newWebhook(address, secret, hidden)
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// secrets are texts that must not be printed.
type secrets []string

// expand replaces variables of the environment in a text, and remembers their values.
func (s *secrets) expand(text string, getenv func(string) (string, bool)) (string, error) {
	var missing []string
	text = variable.ReplaceAllStringFunc(text, func(of string) string {
		name := of[2 : len(of)-1]
		value, ok := getenv(name)
		if !ok || value == "" {
			missing = append(missing, name)
		}
		s.hide(value)
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the environment has no %s", strings.Join(missing, ", "))
	}
	return text, nil
}

// leastSecret is the least length of a hidden part of a URL: shorter parts are words.
const leastSecret = 6

func (s *secrets) hide(text string) {
	if len(text) < leastSecret {
		return
	}
	*s = append(*s, text, url.QueryEscape(text), url.PathEscape(text))
	if plain, err := url.PathUnescape(text); err == nil {
		*s = append(*s, plain)
	}
}

var between = regexp.MustCompile(`[-:/,;&=@.]`)

// hideAddress hides the possible secrets in a URL.
func (s *secrets) hideAddress(address string) {
	s.hide(address)
	u, err := url.Parse(address)
	if err != nil {
		for _, part := range between.Split(address, -1) {
			s.hide(part)
		}
		return
	}
	parts := []string{u.Path, u.User.Username()}
	if password, ok := u.User.Password(); ok {
		parts = append(parts, password)
	}
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	for _, part := range parts {
		s.hide(part)
		for _, piece := range between.Split(part, -1) {
			if len(piece) >= 2*leastSecret || piece == part {
				s.hide(piece)
			}
		}
	}
}

// clean returns an error without secrets.
func (s secrets) clean(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	longest := slices.Clone(s)
	slices.SortFunc(longest, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range longest {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return errors.New(shown(text))
}

const mostErrorShown = 500 // octets of an error

// shown turns foreign text into one line.
func shown(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }),
		" ")
	if len(text) > mostErrorShown {
		text = strings.ToValidUTF8(text[:mostErrorShown], "") + "..."
	}
	return text
}

const mostSecretFile = 64 << 10

// readSecret reads a file with one line that nobody else may use.
func readSecret(name string) (string, error) {
	text, err := access.ReadSecret(name, mostSecretFile)
	line := strings.TrimSpace(string(text))
	if err == nil && (line == "" || strings.ContainsAny(line, "\r\n")) {
		err = fmt.Errorf("%s: want one line with an address", name)
	}
	return line, err
}

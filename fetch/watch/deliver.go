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

// DeliveryError is what is wrong with a target.
type DeliveryError struct {
	Target string
	Err    error
}

func (e *DeliveryError) Error() string {
	return fmt.Sprintf("target %s: %v", Shown(e.Target),
		e.Err)
}

func (e *DeliveryError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *DeliveryError) Hint() string {
	if unsafe := (*access.UnsafeError)(nil); errors.As(e.Err, &unsafe) {
		return unsafe.Hint()
	}
	return "docs/reference/watching.md has the forms of targets; recrawl watch test tries them"
}

// OpenSenders makes the senders of all targets of a file. getenv looks variables up, as
// os.LookupEnv. The errors are all there are, each a DeliveryError.
//
// Senders bring messages to those who want them: to webhooks and to programs. Chats, push services
// and mail are reached by a program that knows them.
//
// # Guarantees
//
//  1. No secret is in an error or a name: neither what variables and files hold, nor what an
//     address has as user, password, path or value.
//  2. A file with an address is refused if anybody but its owner may use it.
//  3. A delivery ends with its context. A program that has not ended then is killed, with all that
//     it began. What it prints is bounded; the end of it is told where it fails.
//  4. A program is never run by a shell, gets the message on standard input, and no variables but
//     PATH, HOME, LANG, TZ and TMPDIR.
//  5. A webhook with a secret is signed as Standard Webhooks has it: HMAC-SHA256 of ID, moment and
//     body. Redirects are not followed.
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

// secrets are texts that must not be shown.
type secrets []string

// expand puts variables of the environment into a text, and remembers their values.
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

// leastSecret is the length from which a part of an address is hidden: shorter ones are words.
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

// hideAddress hides what an address may have of secrets.
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

// clean is an error without secrets.
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

// shown makes one line of what others wrote.
func shown(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }),
		" ")
	if len(text) > mostErrorShown {
		text = strings.ToValidUTF8(text[:mostErrorShown], "") + "..."
	}
	return text
}

const mostSecretFile = 64 << 10

// readSecret reads the one line of a file that nobody else may use.
func readSecret(name string) (string, error) {
	text, err := access.ReadSecret(name, mostSecretFile)
	line := strings.TrimSpace(string(text))
	if err == nil && (line == "" || strings.ContainsAny(line, "\r\n")) {
		err = fmt.Errorf("%s: want one line with an address", name)
	}
	return line, err
}

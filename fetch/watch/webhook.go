package watch

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// webhook posts messages as JSON.
type webhook struct {
	address string
	key     []byte // nil: messages are unsigned
	hidden  secrets
	client  *http.Client
	now     func() time.Time
}

const (
	mostAnswer = 64 << 10 // octets that are read
	secretMark = "whsec_" // prefix of a key in base64
)

func newWebhook(address, secret string, hidden secrets) (Sender, error) {
	hidden.hideAddress(address)
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("a webhook wants an address that begins with https:// or http://; " +
			"chats, push services and mail want a command")
	}
	h := &webhook{address: address, hidden: hidden, now: time.Now, client: &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
	if secret == "" {
		return h, nil
	}
	h.hidden.hide(secret)
	h.key = []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, secretMark); ok {
		if h.key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, fmt.Errorf("a secret that begins with %s wants base64 behind it",
				secretMark)
		}
	}
	return h, nil
}

// Sign returns the signature of a message for the field Webhook-Signature.
func Sign(key []byte, id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Send posts a message. Every status other than 2xx is a failure.
func (h *webhook) Send(ctx context.Context, m *Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address, bytes.NewReader(body))
	if err != nil {
		return h.hidden.clean(err)
	}
	at := h.now()
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "recrawl-watch")
	r.Header.Set("Webhook-Id", m.ID)
	r.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	if h.key != nil {
		r.Header.Set("Webhook-Signature", Sign(h.key, m.ID, at, body))
	}
	answer, err := h.client.Do(r)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err // without the URL
		}
		return h.hidden.clean(err)
	}
	defer answer.Body.Close()
	io.Copy(io.Discard, io.LimitReader(answer.Body, mostAnswer)) // its content does not matter
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the webhook answers %s", answer.Status)
	}
	return nil
}

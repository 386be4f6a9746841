package fetch

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
)

// talk is one request of HTTP/1.1 and its answer over a connection of their own. It is an
// http.RoundTripper without connection reuse: the goroutines and channels of http.Transport cost as
// much time as the request itself, and twice the memory of a visit. net/http reads and writes the
// headers (see framing).
type talk struct {
	conn   net.Conn
	stop   func() bool // ends the wait for the context
	reader *answerReader
	left   int64 // octets left to read
}

// answerReader is the buffer of net/http over a framing reader.
type answerReader struct {
	framing
	raw, header *bufio.Reader
}

func (r *answerReader) reset(from io.Reader, mostHeader int64) {
	r.raw.Reset(from)
	r.framing.reset(r.raw, mostHeader)
	r.header.Reset(&r.framing)
}

const (
	talkRead  = 4 << 10 // room for most headers; bodies bypass the buffer
	talkLine  = 512     // most lines of a header
	talkWrite = 1 << 10 // a request is a few lines
)

var (
	talkReaders = sync.Pool{New: func() any {
		return &answerReader{raw: bufio.NewReaderSize(nil, talkRead),
			header: bufio.NewReaderSize(nil, talkLine)}
	}}
	talkWriters = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, talkWrite) }}
)

// talks reports whether a talk is enough for a request. A server that may offer HTTP/2 needs the
// transport.
func (c *Client) talks(u *url.URL) bool { return u.Scheme == "http" || c.o.Capture }

// talk sends a request and reads the header of its answer. The caller must close the body, which
// closes the connection. The end of the request's context closes it also.
func (c *Client) talk(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	conn, err := c.connectFor(ctx, r.URL)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	t := &talk{conn: conn, left: c.o.MaxHeader, stop: context.AfterFunc(ctx, func() {
		conn.Close()
	})}
	response, err := t.ask(r, c.o.HeaderTimeout)
	if err != nil {
		t.Close()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return response, nil
}

// connectFor connects to the server of a URL, encrypted if its scheme says so.
func (c *Client) connectFor(ctx context.Context, u *url.URL) (conn net.Conn, err error) {
	if u.Scheme == "http" {
		conn, err = c.dial(ctx, "tcp", "")
	} else {
		conn, err = c.dialTLS(ctx, u.Hostname())
	}
	if err != nil {
		return nil, err
	}
	return tapped(ctx, conn), nil
}

// ask sends the request and reads the header of the answer.
func (t *talk) ask(r *http.Request, patience time.Duration) (*http.Response, error) {
	sent := t.send(r)
	t.reader = talkReaders.Get().(*answerReader)
	t.reader.reset(t, t.left)
	if err := t.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	for {
		response, err := http.ReadResponse(t.reader.header, r)
		switch {
		case err != nil && sent != nil:
			return nil, sent
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, fmt.Errorf("the header of the answer: %w", context.DeadlineExceeded)
		case err != nil:
			return nil, err
		case response.StatusCode/100 == 1 && response.StatusCode != http.StatusSwitchingProtocols:
			continue // interim (RFC 9110 15.2): all of them share the room and time of one
		}
		t.left = math.MaxInt64 // the body has its own limit
		response.Body = &talkBody{of: response.Body, talk: t}
		return response, t.conn.SetReadDeadline(time.Time{})
	}
}

// send writes the request. An answer may follow even after an error, because servers may answer
// before they have read everything.
func (t *talk) send(r *http.Request) error {
	r.Close = true
	write := r.Write
	if proxy, _ := proxyOf(r); proxy != nil {
		write = r.WriteProxy
		if user := proxy.User; user != nil {
			r.Header.Set("Proxy-Authorization", basicAuthorization(user))
		}
	}
	w := talkWriters.Get().(*bufio.Writer)
	defer talkWriters.Put(w)
	w.Reset(t.conn)
	defer w.Reset(nil)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// basicAuthorization returns the value of a field with user and password (RFC 7617).
func basicAuthorization(user *url.Userinfo) string {
	password, _ := user.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password))
}

var errLongHeader = errors.New("the header of the answer is too long")

func (t *talk) Read(p []byte) (int, error) {
	if t.left <= 0 {
		return 0, errLongHeader
	}
	n, err := t.conn.Read(p[:min(int64(len(p)), t.left)])
	t.left -= int64(n)
	return n, err
}

// Close ends the connection.
func (t *talk) Close() error {
	t.stop()
	if t.reader != nil {
		t.reader.reset(nil, 0)
		talkReaders.Put(t.reader)
		t.reader = nil
	}
	return t.conn.Close()
}

// talkBody is the body of an answer. Close does not read the rest.
type talkBody struct {
	of    io.Reader
	talk  *talk
	ended error // why reading ended
}

func (b *talkBody) Read(p []byte) (n int, err error) {
	if b.ended == nil {
		n, b.ended = b.of.Read(p)
	}
	return n, b.ended
}

func (b *talkBody) Close() error {
	b.ended = net.ErrClosed
	return b.talk.Close()
}

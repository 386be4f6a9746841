package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/recrawl/recrawl/sitegraph"
)

// TestBadTLS (T09) checks that a wrong name or date of a certificate, an old protocol and a broken
// or endless handshake make the visit fail within the time of a handshake.
func TestBadTLS(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	certificate := func(change func(*x509.Certificate)) tls.Certificate {
		c := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"h.example"},
			NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
			IsCA: true, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
		change(c)
		der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	}
	good := certificate(func(*x509.Certificate) {})
	long := good
	for range 200 {
		long.Certificate = append(long.Certificate, good.Certificate[0])
	}
	secure := func(c tls.Certificate, change func(*tls.Config)) func(net.Conn) {
		config := &tls.Config{Certificates: []tls.Certificate{c}}
		change(config)
		return func(conn net.Conn) {
			s := tls.Server(conn, config)
			buffer := make([]byte, 4096)
			if n, err := s.Read(buffer); err == nil && n > 0 {
				io.WriteString(s, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: "+
					"1\r\nConnection: close\r\n\r\nx")
			}
			s.Close()
		}
	}
	none := func(*tls.Config) {}
	for _, c := range []struct {
		name    string
		serve   func(net.Conn)
		trusted tls.Certificate
		want    string // part of the detail; "": the page is fetched
	}{
		{"good", secure(good, none), good, ""},
		{"a long chain", secure(long, none), good, ""},
		{"not trusted", secure(good, none), certificate(func(*x509.Certificate) {}), "certificate"},
		{"expired", secure(certificate(func(c *x509.Certificate) {
			c.NotAfter = now.Add(-time.Minute)
		}), none), tls.Certificate{}, "certificate has expired"},
		{"of another name", secure(certificate(func(c *x509.Certificate) {
			c.DNSNames = []string{"other.example"}
		}), none), tls.Certificate{}, "certificate"},
		{"TLS 1.1", secure(good, func(c *tls.Config) {
			c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		}), good, "protocol version"},
		{"no TLS", func(conn net.Conn) {
			io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		}, good, "tls: first record"},
		{"cut", func(conn net.Conn) {
			conn.Read(make([]byte, 16384))
		}, good, "ended in the middle"},
		{"silent", func(conn net.Conn) { io.Copy(io.Discard, conn) }, good, "handshake timeout"},
		{"a record without end", func(conn net.Conn) {
			for _, err := io.WriteString(conn, "\x16\x03\x03\x40\x00"); err == nil; _,
				err = io.WriteString(conn, strings.Repeat("x", 1<<14)) {
			}
		}, good, "tls: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() { c.serve(conn); conn.Close() }()
				}
			}()
			w := newWeb(t, "h.example", "127.0.0.1")
			client := w.client(func(o *Options) {
				o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
					var d net.Dialer
					return d.DialContext(ctx, network, l.Addr().String())
				}
				o.RootCAs, o.DialTimeout, o.Interval = x509.NewCertPool(), time.Second, NoInterval
				trusted := c.trusted
				if trusted.Certificate == nil {
					trusted = good
				}
				root, err := x509.ParseCertificate(trusted.Certificate[0])
				if err != nil {
					t.Fatal(err)
				}
				o.RootCAs.AddCert(root)
			})
			a, err := client.Visit(t.Context(), sitegraph.Record{URL: "https://h.example/"})
			if err != nil {
				t.Fatal(err)
			}
			if failed := a.Outcome == sitegraph.OutcomeFailed; failed != (c.want != "") ||
				!strings.Contains(a.Detail, c.want) {
				t.Errorf("%v %q, want %q", a.Outcome, a.Detail, c.want)
			}
		})
	}
}

package access_test

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/recrawl/recrawl/fetch/access"
	"github.com/recrawl/recrawl/fetch/fetchtest"
)

// TestRenewed checks that the next connection uses a renewed certificate, and none without its key.
func TestRenewed(t *testing.T) {
	dir := t.TempDir()
	cert, key, _ := fetchtest.WriteCertificate(t, dir)
	c, err := access.TLSConfig(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	now := func() []byte {
		served, err := c.GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return served.Certificate[0]
	}
	before := now()
	oldKey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	fetchtest.WriteCertificate(t, dir)
	newKey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	moment := time.Now()
	write := func(text []byte) {
		moment = moment.Add(time.Hour)
		if err := os.WriteFile(key, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(key, moment, moment); err != nil {
			t.Fatal(err)
		}
	}
	write(oldKey)
	if !bytes.Equal(now(), before) {
		t.Error("another certificate, though the key does not fit it")
	}
	write(newKey)
	if bytes.Equal(now(), before) {
		t.Error("the old certificate")
	}
}

// TestPinned checks that a client trusts the server of a file, and no other.
func TestPinned(t *testing.T) {
	t.Parallel()
	cert, key, _ := fetchtest.WriteCertificate(t, t.TempDir())
	other, _, _ := fetchtest.WriteCertificate(t, t.TempDir())
	config, err := access.TLSConfig(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := http.Server{TLSConfig: config}
	defer server.Close()
	go server.ServeTLS(l, "", "")
	for file, trusted := range map[string]bool{cert: true, other: false,
		filepath.Join(t.TempDir(), "none"): false} {
		c, err := tls.Dial("tcp", l.Addr().String(), access.PinnedTLS(file))
		if err == nil {
			c.Close()
		}
		if (err == nil) != trusted {
			t.Errorf("%s: error %v, trusted: %v", file, err, trusted)
		}
	}
}

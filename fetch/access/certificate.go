package access

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

const mostKey = 1 << 20 // bytes of a key's file

// TLSConfig returns the configuration of a server with the certificate, its chain and its key from
// PEM files, or nil without files. The next connection uses a renewed pair, once both files match;
// no restart is needed.
func TLSConfig(certificate, key string) (*tls.Config, error) {
	switch {
	case certificate == "" && key == "":
		return nil, nil
	case certificate == "" || key == "":
		return nil, &CertificateError{errors.New("a certificate and its key belong together")}
	}
	p := &pair{certificate: certificate, key: key}
	if err := p.read(); err != nil {
		return nil, &CertificateError{fmt.Errorf("read certificate: %w", err)}
	}
	return &tls.Config{GetCertificate: p.get, MinVersion: tls.VersionTLS12}, nil
}

// CertificateError is the error of an unusable certificate.
type CertificateError struct{ error }

func (e *CertificateError) Unwrap() error { return e.error }

// Hint returns what is wanted.
func (e *CertificateError) Hint() string {
	if unsafe := (*UnsafeError)(nil); errors.As(e.error, &unsafe) {
		return unsafe.Hint()
	}
	return "name two PEM files that this user can read: the certificate with those that vouch " +
		"for it behind it, and its key"
}

// pair is a certificate and its key.
type pair struct {
	certificate, key string

	mu  sync.Mutex
	now *tls.Certificate
	of  [2]time.Time // times of the files
}

func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.read() // otherwise keep the current one until the files are right
	return p.now, nil
}

// read loads a pair that has changed. The check takes a few microseconds, and a handshake a
// millisecond.
func (p *pair) read() error {
	var of [2]time.Time
	for i, name := range []string{p.certificate, p.key} {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		of[i] = info.ModTime()
	}
	if of == p.of {
		return nil
	}
	public, err := os.ReadFile(p.certificate)
	if err != nil {
		return err
	}
	private, err := ReadSecret(p.key, mostKey)
	if err != nil {
		return err
	}
	c, err := tls.X509KeyPair(public, private)
	if err != nil {
		return err
	}
	p.now, p.of = &c, of
	return nil
}

// PinnedTLS configures a client on the same machine. It trusts only the server with the certificate
// in this file, at any address.
func PinnedTLS(certificate string) *tls.Config {
	// it is compared as a whole
	return &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			text, err := os.ReadFile(certificate)
			if err != nil {
				return err
			}
			block, _ := pem.Decode(text)
			if block == nil || !bytes.Equal(block.Bytes, s.PeerCertificates[0].Raw) {
				return fmt.Errorf("the server has another certificate than that of %s", certificate)
			}
			return nil
		}}
}

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

const mostKey = 1 << 20 // bytes of a file with a key

// TLSConfig is that of a server with the certificate of a file, the ones that vouch for it behind
// it, and its key. It is nil where no files are named. A renewed pair is taken by the next
// connection, once both files fit together.
//
// Certificates come from PEM files as those who issue them leave them; it takes a renewed one
// without a restart.
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

// CertificateError says why a certificate cannot be used.
type CertificateError struct{ error }

func (e *CertificateError) Unwrap() error { return e.error }

// Hint says what is wanted.
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
	of  [2]time.Time // when the files were written
}

func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.read() // else the one that we have, until it is put right
	return p.now, nil
}

// read takes the pair unless it has it. That the files were not written since costs a few
// microseconds to see, of a millisecond that a handshake takes.
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

// PinnedTLS configures a client on the same machine. It trusts the server that has the certificate
// of this file, at whatever address, and no other.
func PinnedTLS(certificate string) *tls.Config {
	// it is compared whole
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

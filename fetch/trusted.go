package fetch

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

// Trusted returns the certificates of the system and those of a file, or nil without a file.
func Trusted(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(content) {
		return nil, errors.New("certificates: " + file + " holds none")
	}
	return pool, nil
}

// Package access keeps strangers out. It reads secrets from files that are their owner's alone, and
// gives programs an environment without secrets (secret.go, environment.go). It gives servers their
// certificates (certificate.go), tells whether a request is meant for this listener (ownname.go),
// and which addresses can be those of public servers (public.go).
package access

// Package access keeps strangers out. It reads secrets from files that only their owner may use,
// and gives programs an environment without secrets (secret.go, environment.go). It gives servers
// their certificates (certificate.go), checks that a request is for this listener (ownname.go), and
// knows which addresses are public (public.go).
package access

package urlfrontier_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/recrawl/recrawl/cmd/cluster/urlfrontier"
	pb "github.com/recrawl/recrawl/cmd/cluster/urlfrontier/urlfrontierpb"
	"github.com/recrawl/recrawl/fetch/fetchtest"
)

// A server with TLS and a token refuses calls without them, except the health check. Reflection
// lists the services.
func TestTokenAndTLS(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.stop()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	h.must(os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600))
	o := urlfrontier.Options{}
	o.TokenFile = token
	var trust *x509.CertPool
	o.Certificate, o.CertificateKey, trust = fetchtest.WriteCertificate(t, dir)
	h.start(o, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: trust})))

	answer, err := healthpb.NewHealthClient(h.conn).Check(t.Context(),
		&healthpb.HealthCheckRequest{Service: "urlfrontier.URLFrontier"})
	if err != nil || answer.Status != healthpb.HealthCheckResponse_SERVING {
		t.Fatalf("%v, %v", answer, err)
	}
	with := func(token string) context.Context {
		return metadata.AppendToOutgoingContext(t.Context(), "authorization", token)
	}
	for _, ctx := range []context.Context{t.Context(), with("Bearer wrong"),
		with("0123456789abcdef")} {
		if _, err := h.client.ListNodes(ctx,
			&pb.Empty{}); status.Code(err) != codes.Unauthenticated {
			t.Errorf("%v", err)
		}
		stream, err := h.client.GetURLs(ctx, &pb.GetParams{})
		if err == nil {
			_, err = stream.Recv()
		}
		if status.Code(err) != codes.Unauthenticated {
			t.Errorf("%v", err)
		}
	}
	ctx := with("Bearer 0123456789abcdef")
	h.must2(h.client.ListNodes(ctx, &pb.Empty{}))
	reflection, err := reflectionpb.NewServerReflectionClient(h.conn).ServerReflectionInfo(ctx)
	h.must(err)
	h.must(reflection.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}))
	services, err := reflection.Recv()
	h.must(err)
	if !strings.Contains(services.String(), "urlfrontier.URLFrontier") {
		t.Errorf("%v", services)
	}
	if code, _ := h.post("/v1/next", "{}"); code != 400 { // plain HTTP on a port of TLS
		t.Errorf("plain HTTP: %d", code)
	}
}

// Check refuses settings that let any machine call the server, or contradict each other.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, s := range map[string]urlfrontier.Settings{
		"listens only to this machine": {Listen: "0.0.0.0:7071"},
		"0.0.0.0:80":                   {Listen: "127.0.0.1:0", Web: "0.0.0.0:80"},
		"missing port":                 {Listen: "localhost"},
		"no token":                     {Listen: "127.0.0.1:0", TokenFile: short},
		"read token": {Listen: "127.0.0.1:0",
			TokenFile: filepath.Join(dir, "none")},
		"belong together":  {Listen: "127.0.0.1:0", Certificate: short},
		"read certificate": {Listen: "127.0.0.1:0", Certificate: short, CertificateKey: short},
	} {
		o := urlfrontier.Options{Settings: s}
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, want %q", s, err, says)
		}
	}
	o := urlfrontier.Options{Settings: urlfrontier.Settings{Listen: ":7071"}}
	if err := o.Check(); !errors.Is(err, urlfrontier.ErrOpen) {
		t.Errorf("%v", err)
	}
}

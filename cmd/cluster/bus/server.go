package bus

import (
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// mostMemory bounds the memory of a node's server: addresses are small.
const mostMemory = 512 << 20

// startServer runs a server within this process.
func startServer(s Settings, node, dir, token string) (*server.Server, error) {
	host, port := hostPort(s.Listen)
	o := &server.Options{
		ServerName: node, Host: host, Port: port,
		JetStream: true, StoreDir: dir, SyncAlways: true, JetStreamMaxMemory: mostMemory,
		JetStreamMaxStore: s.Space,
		NoSigs:            true, NoLog: true, Authorization: token, PingInterval: 5 * time.Second,
		MaxPingsOut: 2,
	}
	if s.RouteAt != "" {
		host, port := hostPort(s.RouteAt)
		o.Cluster = server.ClusterOpts{Name: s.Cluster, Host: host, Port: port,
			ConnectRetries: 1 << 30}
		if token != "" {
			o.Cluster.Username, o.Cluster.Password = "recrawl", token
		}
		for _, at := range s.Routes {
			route := &url.URL{Scheme: "nats", Host: at}
			if token != "" {
				route.User = url.UserPassword("recrawl", token)
			}
			o.Routes = append(o.Routes, route)
		}
	}
	srv, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("make NATS server: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(10 * time.Second) {
		srv.Shutdown()
		return nil, fmt.Errorf("the NATS server does not listen at %s: is another program there?",
			s.Listen)
	}
	return srv, nil
}

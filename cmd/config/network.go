package config

import "net/netip"

// Allowed returns the addresses and ports that are permitted in addition.
func (c *Config) Allowed() (networks []netip.Prefix, ports []uint16) {
	for _, text := range c.AllowNetwork {
		networks = append(networks, netip.MustParsePrefix(text).Masked())
	}
	for _, port := range c.AllowPort {
		ports = append(ports, uint16(port))
	}
	return networks, ports
}

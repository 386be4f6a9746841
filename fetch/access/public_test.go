package access

import (
	"net/netip"
	"strings"
	"testing"
)

func TestIs(t *testing.T) {
	for _, text := range strings.Fields("1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 100.128.0.1 " +
		"192.0.1.1 198.20.0.1 223.255.255.255 2606:4700::1 64:ff9b::8.8.8.8 2002:808:808::1 " +
		"::ffff:8.8.8.8") {
		if !IsPublic(netip.MustParseAddr(text)) {
			t.Errorf("%s is public", text)
		}
	}
	if IsPublic(netip.Addr{}) {
		t.Error("no address is public")
	}
}

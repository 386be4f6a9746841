package nodes

import (
	"fmt"
	"testing"
)

// TestShardOf has numbers that are on disk and shared by versions: they must never change.
func TestShardOf(t *testing.T) {
	for url, want := range map[string]int{
		// one host, one shard
		"http://www.example.org/": ShardOf("https://www.example.org:8443/a", 16),
		"www.example.org:80":      ShardOf("http://www.example.org/x?y", 16),
		"http://[::1]:80/":        ShardOf("http://[::1]:81/", 16),
	} {
		if got := ShardOf(url, 16); got != want {
			t.Errorf("%s is of shard %d, want %d", url, got, want)
		}
	}
	if a, b := ShardOf("http://www.example.org/", 16),
		ShardOf("http://example.com/", 4096); a != 10 || b != 3162 {
		t.Errorf("shards %d and %d: the hash has changed", a, b)
	}
}

// TestPlace checks that no node has more than its part, and that when one goes few other shards
// move.
func TestPlace(t *testing.T) {
	for _, shards := range []int{1, 16, 100} {
		names := []string{"a", "b", "c", "d"}
		before := Place(shards, names)
		has := map[string]int{}
		for _, n := range before {
			has[n]++
		}
		for n, k := range has {
			if k > (shards+3)/4 {
				t.Errorf("%d of %d shards are at %s", k, shards, n)
			}
		}
		after := Place(shards, names[:3])
		moved := 0
		for i := range before {
			if before[i] != "d" && after[i] != before[i] {
				moved++
			}
		}
		if moved > shards/5 {
			t.Errorf("of %d shards %d of other nodes moved", shards, moved)
		}
	}
	if p := Place(2, nil); fmt.Sprint(p) != "[ ]" {
		t.Errorf("without nodes: %q", p)
	}
}

func TestAdopts(t *testing.T) {
	for _, c := range []struct {
		pattern, server string
		want            bool
	}{
		{"*", "h.example:8080", true},
		{"*.example.org", "www.example.org:80", true},
		{"*.example.org", "example.org", false},
		{"*.example.org", "badexample.org", false},
		{"www.example.org", "www.example.org:8080", true},
		{"www.example.org", "a.www.example.org", false},
	} {
		if got := Adopts([]string{"other.example", c.pattern}, c.server); got != c.want {
			t.Errorf("%s for %s: %v", c.pattern, c.server, got)
		}
	}
}

//go:build !linux

package engine

import "github.com/cockroachdb/pebble/v2/vfs"

// copySparse copies nothing, since this system reports no holes.
func copySparse(vfs.FS, string, string) (bool, error) { return false, nil }

//go:build !unix

package directory

import "io"

const canShare = false

// lockFile does nothing on this system.
func lockFile(string) (io.Closer, error) { return unlocked{}, nil }

//go:build !unix

package filter

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup kills only the process.
func killGroup(c *exec.Cmd) { c.Process.Kill() }

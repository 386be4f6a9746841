//go:build !unix

package watch

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup kills a program, without its children.
func killGroup(c *exec.Cmd) error { return c.Process.Kill() }

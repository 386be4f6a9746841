//go:build unix

package watch

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program into its own process group, so that Ctrl-C does not reach it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and its children.
func killGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

//go:build unix

package watch

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a program into a group of its own: Ctrl-C is meant for this one.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a program and what it began.
func killGroup(c *exec.Cmd) error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

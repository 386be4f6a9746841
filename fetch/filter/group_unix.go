//go:build unix

package filter

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into its own process group, so that Ctrl-C does not reach it: visits in
// flight still need it.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process with its children.
func killGroup(c *exec.Cmd) { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

//go:build unix

package filter

import (
	"os/exec"
	"syscall"
)

// ownGroup puts a process into a group of its own: Ctrl-C is meant for this program, which still
// needs it for the visits under way.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a process and what it began.
func killGroup(c *exec.Cmd) { syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }

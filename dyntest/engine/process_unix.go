//go:build unix

package engine

import (
	"os/exec"
	"strconv"
	"syscall"
)

// mayLaunch reports whether launch works on this system.
const mayLaunch = true

// detach shields a child from the signals of the terminal, so that a program that handles an interrupt keeps its engine
// while it does.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watch starts a shell that kills the process with that id when this process ends. The shell reads from a pipe whose other
// end only this process has. The read returns when the kernel closes that end, which it does however this process ends.
func watch(pid int) (release func(), err error) {
	shell := exec.Command("/bin/sh", "-c", `read -r _; kill -9 "$1"`, "sh", strconv.Itoa(pid))
	detach(shell)
	if _, err := shell.StdinPipe(); err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = shell.Process.Kill()
		_ = shell.Wait()
	}, nil
}

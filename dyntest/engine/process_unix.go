//go:build unix

package engine

import (
	"os/exec"
	"strconv"
	"syscall"
)

// mayLaunch tells whether launch works here.
const mayLaunch = true

// detach keeps the signals of the terminal away from a child, so that a program that handles an interrupt still has
// its engine meanwhile.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watch has a shell kill the process of that id when this process is gone. The shell reads from a pipe whose other end
// nobody but this process has: the read returns when the kernel closes that end, which it does in every case.
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

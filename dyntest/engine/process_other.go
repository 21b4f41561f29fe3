//go:build !unix

package engine

import (
	"errors"
	"os/exec"
	"runtime"
)

// mayLaunch reports whether launch works on this system.
const mayLaunch = false

func detach(*exec.Cmd) {}

// watch returns an error, because every killed process would leave an engine running.
func watch(int) (release func(), err error) {
	return nil, errors.New("not supported on " + runtime.GOOS)
}

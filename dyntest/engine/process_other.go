//go:build !unix

package engine

import (
	"errors"
	"os/exec"
	"runtime"
)

// mayLaunch tells whether launch works here.
const mayLaunch = false

func detach(*exec.Cmd) {}

// watch refuses: every process that is killed would leave an engine behind.
func watch(int) (release func(), err error) {
	return nil, errors.New("not supported on " + runtime.GOOS)
}

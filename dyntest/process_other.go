//go:build !unix

package dyntest

import (
	"errors"
	"os/exec"
	"runtime"
)

// mayLaunch tells whether launch works here.
const mayLaunch = false

func detach(*exec.Cmd) {}

// watch refuses: without it every test binary that was killed would leave an engine behind.
func watch(int) (release func(), err error) {
	return nil, errors.New("on " + runtime.GOOS + " there is no way to end it with the tests; use Docker")
}

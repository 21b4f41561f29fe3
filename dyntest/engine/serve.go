package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// serve starts a program on a free port and waits until it answers, at most for patience. The program cannot choose the port
// itself, because it would not report which. Before the program uses the port, another process may take it, and may even be
// the one that answers. The program then exits, and the next port is tried.
func serve(ctx context.Context, patience time.Duration, command func(port int) *exec.Cmd) (*process, string, error) {
	var failed error
	for range 5 {
		port, err := freePort()
		if err != nil {
			return nil, "", err
		}
		p, err := launch(command(port))
		if err != nil {
			return nil, "", err
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		failed = p.untilAnswer(ctx, patience, "http://"+address)
		if failed == nil {
			return p, address, nil
		}
		if err := p.stop(ctx); err != nil {
			return nil, "", errors.Join(failed, err)
		}
		ended := errors.Is(failed, errEnded)
		failed = fmt.Errorf("%w; output: %s", failed, strings.TrimSpace(p.output.String()))
		if !ended {
			break // it would be just as slow on another port
		}
	}
	return nil, "", failed
}

func (p *process) untilAnswer(ctx context.Context, patience time.Duration, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := untilAnswer(ctx, endpoint, p.ended); err != nil {
		return err
	}
	// If the port was taken, the program may not have noticed yet.
	select {
	case <-p.ended:
		return errEnded
	case <-time.After(50 * time.Millisecond):
		return nil
	}
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

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

// serve runs a program on a free port until it answers, for no longer than patience. The program cannot be asked to
// choose the port itself: it would not tell which. Between the look for a port and its use somebody else may take it,
// and may even be the one that answers; then the program ends, and the next port is tried.
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
			break // it would be as slow on another port
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
	// A program whose port was taken may still be on its way to finding out.
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

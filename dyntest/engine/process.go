package engine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
)

// process is a child of this process that does not outlive it.
type process struct {
	cmd    *exec.Cmd
	ended  chan struct{}
	output bytes.Buffer // what it printed; read it only after the end
}

// launch starts a program that ends when this process ends, however that happens: a test binary may be killed, and a
// panic in one of its goroutines leaves no time for a cleanup either.
func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	// Never this process's own output: `go test` waits until the last child has closed it.
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	detach(p.cmd)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	release, err := watch(p.cmd.Process.Pid)
	if err != nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		return nil, fmt.Errorf("make sure that %s ends when this process ends: %w", cmd.Path, err)
	}
	go func() {
		_ = p.cmd.Wait() // the exit code adds nothing to output
		release()        // before the process id can be reused
		close(p.ended)
	}()
	return p, nil
}

// stop kills the process, which keeps nothing on disk, and waits for its end.
func (p *process) stop(ctx context.Context) error {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	select {
	case <-p.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

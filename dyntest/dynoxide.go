package dyntest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const dynoxideVersion = "1.2.1"

func startDynoxide(ctx context.Context) (*Engine, error) {
	path, err := findDynoxide(ctx)
	if err != nil {
		return nil, err
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s does not run: %w", path, err)
	}
	process, address, err := serve(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	name := fmt.Sprintf("%s on %s", bytes.TrimSpace(version), address)
	return newEngine(name, "http://"+address, process.stop), nil
}

// findDynoxide is the path of a binary: the one on PATH, the one fetched before, or one fetched now.
func findDynoxide(ctx context.Context) (string, error) {
	path, err := exec.LookPath("dynoxide")
	if err == nil {
		return path, nil
	}
	notThere := err
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; and no folder to fetch it into: %w", notThere, err)
	}
	path = filepath.Join(cache, "dynastay", "dynoxide-"+dynoxideVersion, "dynoxide")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := fetch(ctx, path, platform(), integrities[platform()]); err != nil {
		return "", fmt.Errorf("%w, nor is it in %s; and it could not be fetched: %w", notThere, filepath.Dir(path), err)
	}
	return path, nil
}

// serve runs the binary on a free port until it answers. It cannot be asked to choose the port itself: it would not
// tell which. Between the look for a port and its use somebody else may take it; then the process ends, and the next
// port is tried.
func serve(ctx context.Context, path string) (*process, string, error) {
	var failed error
	for range 5 {
		port, err := freePort()
		if err != nil {
			return nil, "", err
		}
		p, err := launch(path, "serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port))
		if err != nil {
			return nil, "", err
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		failed = p.untilAnswer(ctx, "http://"+address)
		if failed == nil {
			return p, address, nil
		}
		if err := p.stop(ctx); err != nil {
			return nil, "", errors.Join(failed, err)
		}
		failed = fmt.Errorf("%w; it printed: %s", failed, strings.TrimSpace(p.output.String()))
	}
	return nil, "", failed
}

func (p *process) untilAnswer(ctx context.Context, endpoint string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return untilAnswer(ctx, endpoint, p.ended)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

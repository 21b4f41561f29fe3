package dyntest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	defaultImage  = "amazon/dynamodb-local:3.1.0"
	containerPort = "8000/tcp"
	// containerLabel finds the containers that stay where there is no reaper.
	containerLabel = "dynastay.dyntest"
	// telemetryVar keeps DynamoDB Local from reporting to its maker that it was started, which it does by default.
	telemetryVar = "DDB_LOCAL_TELEMETRY"
)

func startDocker(ctx context.Context, image string) (*Engine, error) {
	if err := findDocker(ctx); err != nil {
		return nil, fmt.Errorf("no Docker engine answers: %w", err)
	}
	// Enough for a slow pull, and short enough to leave the next engine some of the caller's time.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var container *testcontainers.DockerContainer
	err := containerLog.quietly(func() (err error) {
		container, err = runContainer(ctx, image, testcontainers.SessionID())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("no container of %s, although Docker runs: %w", image, err)
	}
	address, err := container.PortEndpoint(ctx, containerPort, "")
	if err != nil {
		return nil, fmt.Errorf("the port of container %s: %w", short(container), err)
	}
	name := fmt.Sprintf("DynamoDB Local '%s' in container %s on %s", image, short(container), address)
	return newEngine(name, "http://"+address, func(context.Context) error { return nil }), nil
}

// findDocker looks for a Docker engine, for no longer than one that is there needs to answer. The look-up itself takes
// no context, so it is left behind when the time is over.
func findDocker(ctx context.Context) error {
	const patience = 3 * time.Second
	found := make(chan error, 1)
	go func() {
		found <- containerLog.quietly(func() error {
			provider, err := testcontainers.NewDockerProvider()
			if err != nil {
				return err
			}
			return provider.Close()
		})
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-found:
		return err
	case <-timer.C:
		return fmt.Errorf("nothing within %v", patience)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runContainer starts a container of the image, or finds the one that another process of the same session started.
// A session is all that one `go test` runs; the container's name is what its processes share.
func runContainer(ctx context.Context, image, session string) (_ *testcontainers.DockerContainer, err error) {
	// One process at a time: Docker already lists a container under its name while another process is creating it, and
	// knows nothing of it when asked for its state.
	unlock, err := lock(ctx, filepath.Join(os.TempDir(), fmt.Sprintf("dynastay-dyntest-%d.lock", os.Getuid())))
	if err != nil {
		return nil, fmt.Errorf("wait for other processes: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()

	// The image is in the name, or a session that goes on, such as a shell's, would keep the first one it used.
	name := fmt.Sprintf("dynastay-dyntest-%.12x", sha256.Sum256([]byte(session+" "+image)))
	answers := wait.ForHTTP("/").WithPort(containerPort).WithMethod(http.MethodGet).WithPollInterval(50 * time.Millisecond).
		WithStatusCodeMatcher(func(int) bool { return true })
	run := func(named testcontainers.ContainerCustomizer) (*testcontainers.DockerContainer, error) {
		return testcontainers.Run(ctx, image, named,
			testcontainers.WithExposedPorts(containerPort),
			testcontainers.WithEnv(map[string]string{telemetryVar: "0"}),
			testcontainers.WithLabels(map[string]string{containerLabel: "engine"}),
			testcontainers.WithWaitStrategyAndDeadline(2*time.Minute, answers),
		)
	}
	// Not by WithReuseByName alone, which also creates: a container that it creates and then cannot start, for want of
	// the reaper's image say, it neither removes nor returns.
	container, err := run(testcontainers.WithName(name))
	if err == nil {
		return container, nil
	}
	if container != nil {
		return nil, errors.Join(err, container.Terminate(context.WithoutCancel(ctx)))
	}
	return run(testcontainers.WithReuseByName(name))
}

func short(container *testcontainers.DockerContainer) string { return container.GetContainerID()[:12] }

// Package docker lets package engine run DynamoDB Local in Docker:
//
//	e, err := engine.Start(ctx, docker.Allow())
//
// It is a separate package because it imports testcontainers and therefore the Docker client.
//
// All processes of one session share one container for each image. A session is everything that one `go test` runs, or
// a single program. The image is the one given to [Image], otherwise the one in DYNTEST_IMAGE, otherwise
// amazon/dynamodb-local:3.1.0.
//
// [engine.Engine.Stop] does not end the container, because others may use it. The reaper of testcontainers removes it a few
// seconds after the last process of the session has ended. With TESTCONTAINERS_RYUK_DISABLED=true there is no reaper, and
// the container stays until you remove it:
//
//	docker ps -aq --filter label=dynastay.dyntest | xargs -r docker rm -f
package docker

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

	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

const (
	containerPort = "8000/tcp"
	// containerLabel marks the containers, to find those that stay without a reaper.
	containerLabel = "dynastay.dyntest"
	// telemetryVar keeps DynamoDB Local from reporting to its maker that it was started, which it does by default.
	telemetryVar = "DDB_LOCAL_TELEMETRY"
)

// Allow lets [engine.Start] try Docker, after an endpoint and Java, and before dynoxide. With
// engine.Start(ctx, docker.Allow(), engine.On(engine.Docker)), no other engine is tried.
func Allow() engine.Option {
	return func(c *choice.Choice) { c.Docker = start }
}

// Image makes [engine.Start] try only Docker, with this image, such as "amazon/dynamodb-local:3.1.0".
func Image(name string) engine.Option {
	return func(c *choice.Choice) {
		engine.On(engine.Docker)(c)
		c.Docker, c.Image = start, name
	}
}

// start runs a container of the image, or finds that of the session. The reaper removes it.
func start(ctx context.Context, image string) (name, endpoint string, err error) {
	if err := findDocker(ctx); err != nil {
		return "", "", fmt.Errorf("connect to Docker: %w", err)
	}
	// Long enough for a slow pull, and short enough to leave time for the next engine.
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	var container *testcontainers.DockerContainer
	err = containerLog.quietly(func() (err error) {
		container, err = runContainer(ctx, image, testcontainers.SessionID())
		return err
	})
	if err != nil {
		return "", "", fmt.Errorf("start a container of %s: %w", image, err)
	}
	address, err := container.PortEndpoint(ctx, containerPort, "")
	if err != nil {
		return "", "", fmt.Errorf("get the port of container %s: %w", short(container), err)
	}
	name = fmt.Sprintf("%s in container %s on %s", image, short(container), address)
	return name, "http://" + address, nil
}

// findDocker looks for a Docker engine, for no longer than a running one takes to answer. The lookup itself takes no
// context, so it is abandoned when the time is over.
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
		return fmt.Errorf("no response from Docker within %v", patience)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runContainer starts a container of the image, or finds the one that another process of the same session started.
// A session is everything that one `go test` runs; its processes share the container's name.
func runContainer(ctx context.Context, image, session string) (_ *testcontainers.DockerContainer, err error) {
	// One process at a time: while another process is creating a container, Docker already lists it under its name, but
	// cannot return its state.
	unlock, err := lock(ctx, filepath.Join(os.TempDir(), fmt.Sprintf("dynastay-dyntest-%d.lock", os.Getuid())))
	if err != nil {
		return nil, fmt.Errorf("wait for another process to start the container: %w", err)
	}
	defer func() { err = errors.Join(err, unlock()) }()

	// The name depends on the image, or a long session, such as a shell's, would keep the first image that it used.
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
	// Not by WithReuseByName alone, which also creates containers: one that it cannot start, for example without the
	// reaper's image, is neither removed nor returned.
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

package docker

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
)

// childVar makes the test binary a child of a test.
const childVar = "DYNTEST_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		startForParent()
	}
	os.Exit(m.Run())
}

// startForParent starts an engine, prints its endpoint, and waits until the parent closes standard input.
func startForParent() {
	e, err := engine.Start(context.Background(), Allow())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(e.Endpoint())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// These images cannot exist in any registry, so these engines fail whether or not Docker runs.
func TestWhichImage(t *testing.T) {
	const ofTheEnvironment, ofTheCode = "dyntest.invalid/environment:0", "dyntest.invalid/code:0"
	t.Setenv("DYNTEST_ENGINE", "")
	t.Setenv("DYNTEST_IMAGE", ofTheEnvironment)
	for name, test := range map[string]struct {
		opts  []engine.Option
		image string
	}{
		"allowed":       {[]engine.Option{Allow(), engine.On(engine.Docker)}, ofTheEnvironment},
		"allowed later": {[]engine.Option{engine.On(engine.Docker), Allow()}, ofTheEnvironment},
		"image":         {[]engine.Option{Image(ofTheCode)}, ofTheCode},
		"both":          {[]engine.Option{Image(ofTheCode), Allow()}, ofTheCode},
	} {
		_, err := engine.Start(t.Context(), test.opts...)
		require.Error(t, err, name)
		assert.Regexp(t, `docker    (connect to Docker|start a container of `+test.image+`): `, err.Error(), name)
		assert.ErrorContains(t, err, "dynoxide  not tried because the code asks for docker", name)
		assert.ErrorContains(t, err, "that it can get the image with `docker pull "+test.image+"`.", name)
	}
}

func TestProcessesShareOneContainer(t *testing.T) {
	running, err := engine.Start(t.Context(), Allow())
	require.NoError(t, err)
	require.NoError(t, running.Stop(t.Context()))
	if !strings.Contains(running.Name(), " in container ") {
		t.Skipf("requires Docker, but this run's engine is %s", running.Name())
	}
	session := rand.Text()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		container, err := runContainer(ctx, cmp.Or(os.Getenv("DYNTEST_IMAGE"), "amazon/dynamodb-local:3.1.0"), session)
		require.NoError(t, err)
		require.NoError(t, container.Terminate(ctx))
	})
	executable, err := os.Executable()
	require.NoError(t, err)
	// They start at the same time, and none of them finds an existing container.
	var printed []*bufio.Reader
	for range 3 {
		process := exec.Command(executable)
		process.Env = append(os.Environ(), childVar+"=1", "DYNTEST_ENGINE=docker", "TESTCONTAINERS_SESSION_ID="+session)
		stdin, err := process.StdinPipe()
		require.NoError(t, err)
		stdout, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		printed = append(printed, bufio.NewReader(stdout))
		defer func() {
			assert.NoError(t, stdin.Close())
			assert.NoError(t, process.Wait())
		}()
	}
	var endpoints []string
	for _, from := range printed {
		line, err := from.ReadString('\n')
		require.NoError(t, err, "the child ended early, after %q", line)
		endpoints = append(endpoints, strings.TrimSpace(line))
	}
	assert.Equal(t, []string{endpoints[0], endpoints[0], endpoints[0]}, endpoints)
	resp, err := http.Get(endpoints[0])
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.NotEqual(t, running.Endpoint(), endpoints[0])
}

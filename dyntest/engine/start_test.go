package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

// noImage is an image that cannot exist in any registry.
const noImage = "dyntest.invalid/none:0"

func stopped(t *testing.T, engine *Engine) {
	t.Helper()
	require.NoError(t, engine.Stop(context.WithoutCancel(t.Context())))
}

// working simulates a Docker that answers, and failing one that does not.
func working(_ context.Context, image string) (name, endpoint string, err error) {
	return "a container of " + image, "http://127.0.0.1:1", nil
}

func failing(context.Context, string) (name, endpoint string, err error) {
	return "", "", errors.New("cannot connect to Docker:\nis it running?")
}

func allow(docker func(context.Context, string) (string, string, error)) Option {
	return func(c *choice.Choice) { c.Docker = docker }
}

func TestEndpointComesFirst(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide", "java"))
	running, err := Start(t.Context(), On(Dynoxide))
	require.NoError(t, err)
	defer stopped(t, running)
	t.Setenv(localVar, unpacked(t))
	t.Setenv(endpointVar, running.Endpoint())
	engine, err := Start(t.Context(), allow(working))
	require.NoError(t, err)
	assert.Equal(t, "endpoint "+running.Endpoint(), engine.Name())
	assert.Equal(t, running.Endpoint(), engine.Endpoint())
	require.NoError(t, engine.Stop(t.Context()))
	assert.True(t, listens(t, running.Endpoint()), "an endpoint keeps running")
}

func TestEndpointThatIsWrongIsAnError(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide")) // there to be taken
	port, err := freePort()
	require.NoError(t, err)
	nobody := fmt.Sprintf("127.0.0.1:%d", port)
	for endpoint, reason := range map[string]string{
		"http://" + nobody: "no answer from http://" + nobody,
		"127.0.0.1:8000":   `DYNTEST_ENDPOINT must be a URL such as http://127.0.0.1:8000, got "127.0.0.1:8000"`,
	} {
		t.Setenv(endpointVar, endpoint)
		_, err := Start(t.Context())
		require.ErrorContains(t, err, reason)
		assert.ErrorContains(t, err, "dynoxide  not tried because DYNTEST_ENDPOINT="+endpoint)
		assert.ErrorContains(t, err, "Unset DYNTEST_ENDPOINT to try")
		assert.ErrorContains(t, err, "Start the engine at "+endpoint+", or set DYNTEST_ENDPOINT to another one.")
	}
	t.Setenv(engineVar, "endpoint")
	_, err = Start(t.Context())
	assert.ErrorContains(t, err, "Unset DYNTEST_ENGINE and DYNTEST_ENDPOINT to try", "each alone prevents the others from being tried")
}

func TestEngineIsForced(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	t.Setenv(endpointVar, "http://127.0.0.1:8000")
	t.Setenv(engineVar, "dynoxide")
	engine, err := Start(t.Context())
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.Equal(t, "dynoxide of this test on "+strings.TrimPrefix(engine.Endpoint(), "http://"), engine.Name())
	assert.Equal(t, "the engine is "+engine.Name()+`
  endpoint  not tried because DYNTEST_ENGINE=dynoxide
  java      not tried because DYNTEST_ENGINE=dynoxide
  docker    not tried because DYNTEST_ENGINE=dynoxide`, engine.Account())

	t.Setenv(engineVar, "docker")
	t.Setenv(imageVar, noImage)
	_, err = Start(t.Context(), allow(failing))
	require.ErrorContains(t, err, "dynoxide  not tried because DYNTEST_ENGINE=docker")
	assert.ErrorContains(t, err, "Unset DYNTEST_ENGINE and DYNTEST_ENDPOINT to try")

	t.Setenv(engineVar, "dynamite")
	_, err = Start(t.Context())
	assert.EqualError(t, err, `dyntest/engine: DYNTEST_ENGINE must be one of endpoint, java, docker, dynoxide, extenddb; got "dynamite"`)
}

// Docker is tried in its place in the order, wherever the option is in the list.
func TestDockerComesBeforeDynoxide(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide", "java"))
	start := func(opts ...Option) string {
		engine, err := Start(t.Context(), opts...)
		require.NoError(t, err)
		defer stopped(t, engine)
		return engine.Name()
	}
	assert.Equal(t, "a container of amazon/dynamodb-local:3.1.0", start(allow(working)))
	assert.Contains(t, start(), "dynoxide of this test")
	assert.Contains(t, start(On(Dynoxide), allow(working)), "dynoxide of this test")
	assert.Contains(t, start(allow(working), On(Dynoxide)), "dynoxide of this test")
	assert.Equal(t, "a container of amazon/dynamodb-local:3.1.0", start(On(Docker), allow(working)))
	t.Setenv(imageVar, "of the environment")
	assert.Equal(t, "a container of of the environment", start(allow(working)))
	image := func(c *choice.Choice) { c.Image = "of the option" }
	assert.Equal(t, "a container of of the option", start(image, allow(working)))

	t.Setenv(localVar, unpacked(t))
	assert.Contains(t, start(allow(working)), "DynamoDB Local from ")
}

func TestDynoxideIsTakenWithoutDocker(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	for docker, opts := range map[string][]Option{
		"cannot connect to Docker:\n            is it running?": {allow(failing)},
		`not tried because the program does not pass docker.Allow() of ` +
			`"github.com/dynastay/dynastay/dyntest/engine/docker" to engine.Start`: nil,
	} {
		engine, err := Start(t.Context(), opts...)
		require.NoError(t, err)
		defer stopped(t, engine)
		assert.Equal(t, "the engine is "+engine.Name()+`
  endpoint  DYNTEST_ENDPOINT is not set
  java      DYNTEST_DYNAMODB_LOCAL is not set
  docker    `+docker, engine.Account())
	}
}

// A program that asks for Docker, in code or by its environment, must be built with it.
func TestDockerThatIsNotAllowed(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv("PATH", fakes(t, "dynoxide")) // there to be taken
	_, err := Start(t.Context(), On(Docker))
	assert.EqualError(t, err, `dyntest/engine: no DynamoDB engine is available:

  endpoint  not tried because the code asks for docker
  java      not tried because the code asks for docker
  docker    not tried because the program does not pass docker.Allow() of "github.com/dynastay/dynastay/dyntest/engine/docker" to engine.Start
  dynoxide  not tried because the code asks for docker
  extenddb  not tried because the code asks for docker

To fix this, do one of the following:
  - Remove the option On or Image to try the other engines.
  - Pass docker.Allow() of "github.com/dynastay/dynastay/dyntest/engine/docker" to engine.Start to try Docker.`)

	t.Setenv(engineVar, "docker")
	_, err = Start(t.Context())
	require.ErrorContains(t, err, "dynoxide  not tried because DYNTEST_ENGINE=docker")
	assert.ErrorContains(t, err, "Unset DYNTEST_ENGINE to try the other engines.\n  - Pass docker.Allow() of ")
	assert.NotContains(t, err.Error(), "Start Docker")
}

func TestDynoxideTriesAnotherPort(t *testing.T) {
	onlyUnix(t)
	refused := filepath.Join(t.TempDir(), "refused")
	t.Setenv(refuseOnceVar, refused)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	t.Setenv(engineVar, "dynoxide")
	engine, err := Start(t.Context())
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.FileExists(t, refused)
}

// Another process has taken the port and answers, before the engine has noticed.
func TestAnAnswerOfAnotherProcess(t *testing.T) {
	onlyUnix(t)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector makes a child's end a second long
	dynoxide := filepath.Join(fakes(t, "dynoxide"), "dynoxide")
	ended, inherited, err := os.Pipe()
	require.NoError(t, err)
	defer ended.Close()
	var ports []int
	stranger := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = inherited.Close()
		_, _ = ended.Read(make([]byte, 1)) // it waits until the child does not have it either
		w.WriteHeader(http.StatusOK)
	})}
	defer stranger.Close()
	p, address, err := serve(t.Context(), 10*time.Second, func(port int) *exec.Cmd {
		ports = append(ports, port)
		host := "127.0.0.1"
		cmd := exec.Command(dynoxide, "serve", "--host", host, "--port", fmt.Sprint(port))
		if len(ports) == 1 {
			l, err := net.Listen("tcp", net.JoinHostPort(host, fmt.Sprint(port)))
			require.NoError(t, err)
			go func() { _ = stranger.Serve(l) }()
			cmd.ExtraFiles = []*os.File{inherited}
		}
		return cmd
	})
	require.NoError(t, err)
	defer func() { assert.NoError(t, p.stop(context.WithoutCancel(t.Context()))) }()
	require.Len(t, ports, 2)
	assert.Equal(t, fmt.Sprintf("127.0.0.1:%d", ports[1]), address)
}

func TestEngineThatHangsIsTriedOnce(t *testing.T) {
	onlyUnix(t)
	t.Parallel()
	tries := 0
	_, _, err := serve(t.Context(), 50*time.Millisecond, func(int) *exec.Cmd {
		tries++
		return exec.Command("/bin/sh", "-c", "echo still busy; exec sleep 60")
	})
	require.ErrorContains(t, err, "no answer from http://127.0.0.1:")
	assert.Equal(t, 1, tries)
}

func TestStopEndsDynoxide(t *testing.T) {
	onlyUnix(t)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	t.Setenv(engineVar, "dynoxide")
	engine, err := Start(t.Context())
	require.NoError(t, err)
	assert.True(t, listens(t, engine.Endpoint()))
	require.NoError(t, engine.Stop(t.Context()))
	assert.False(t, listens(t, engine.Endpoint()))
}

func TestEngineEndsWithItsParent(t *testing.T) {
	onlyUnix(t)
	engines := map[string][]string{
		"dynoxide": {engineVar + "=dynoxide", "PATH=" + fakes(t, "dynoxide")},
		"java":     {engineVar + "=java", "PATH=" + fakes(t, "java"), "JAVA_HOME=", localVar + "=" + unpacked(t)},
	}
	if os.Getenv(localVar) != "" {
		engines["the real java"] = []string{engineVar + "=java"}
	}
	for name, env := range engines {
		for _, end := range []string{"killed", "exited"} {
			t.Run(name+" "+end, func(t *testing.T) {
				t.Parallel()
				parent := child(t, "start", env...)
				stdin, err := parent.StdinPipe()
				require.NoError(t, err)
				endpoint := line(t, start(t, parent))
				require.True(t, listens(t, endpoint), "no engine at %q", endpoint)
				if end == "killed" {
					require.NoError(t, parent.Process.Kill())
					require.Error(t, parent.Wait())
				} else {
					require.NoError(t, stdin.Close())
					require.NoError(t, parent.Wait())
				}
				assert.Eventually(t, func() bool { return !listens(t, endpoint) }, 20*time.Second, 20*time.Millisecond,
					"the engine at %s outlived its parent", endpoint)
			})
		}
	}
}

// listens reports whether a server listens at the endpoint.
func listens(t *testing.T, endpoint string) bool {
	t.Helper()
	u, err := url.Parse(endpoint)
	require.NoError(t, err)
	conn, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err != nil {
		return false
	}
	return assert.NoError(t, conn.Close())
}

package dyntest

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
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
)

// noImage is an image that no registry can have.
const noImage = "dyntest.invalid/none:0"

func stopped(t *testing.T, engine *Engine) {
	t.Helper()
	require.NoError(t, engine.Stop(context.WithoutCancel(t.Context())))
}

func TestEndpointComesFirst(t *testing.T) {
	running, err := choice{}.shared()
	require.NoError(t, err)
	nothingChosen(t)
	t.Setenv(localVar, unpacked(t))
	t.Setenv(endpointVar, running.Endpoint())
	engine, err := Start(t.Context())
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.Equal(t, "endpoint "+running.Endpoint(), engine.Name())
	assert.Equal(t, running.Endpoint(), engine.Endpoint())
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
		"127.0.0.1:8000":   `DYNTEST_ENDPOINT is "127.0.0.1:8000", and must be an address`,
	} {
		t.Setenv(endpointVar, endpoint)
		_, err := Start(t.Context())
		require.ErrorContains(t, err, reason)
		assert.ErrorContains(t, err, "dynoxide  DYNTEST_ENDPOINT="+endpoint)
		assert.ErrorContains(t, err, "Unset DYNTEST_ENDPOINT, so that")
		assert.ErrorContains(t, err, "Start the engine at "+endpoint+", or name another in DYNTEST_ENDPOINT.")
	}
	t.Setenv(engineVar, "endpoint")
	_, err = Start(t.Context())
	assert.ErrorContains(t, err, "Unset DYNTEST_ENGINE and DYNTEST_ENDPOINT, so that", "each alone would keep the others out")
}

func TestEngineIsForced(t *testing.T) {
	onlyUnix(t)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	t.Setenv(endpointVar, "http://127.0.0.1:8000")
	t.Setenv(engineVar, "dynoxide")
	engine, err := Start(t.Context())
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.Equal(t, "dynoxide of this test on "+strings.TrimPrefix(engine.Endpoint(), "http://"), engine.Name())
	assert.Contains(t, engine.account(), "not endpoint: DYNTEST_ENGINE=dynoxide")

	t.Setenv(engineVar, "docker")
	t.Setenv(imageVar, noImage)
	_, err = Start(t.Context())
	require.ErrorContains(t, err, "dynoxide  DYNTEST_ENGINE=docker")
	assert.ErrorContains(t, err, "Unset DYNTEST_ENGINE")

	t.Setenv(engineVar, "dynamite")
	_, err = Start(t.Context())
	assert.EqualError(t, err, `dyntest: DYNTEST_ENGINE is "dynamite", and must be endpoint, java, docker or dynoxide, or unset`)
}

func TestDynoxideIsTakenWithoutAnImage(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv(imageVar, noImage)
	t.Setenv("PATH", fakes(t, "dynoxide"))
	engine, err := Start(t.Context())
	require.NoError(t, err)
	defer stopped(t, engine)
	assert.Contains(t, engine.Name(), "dynoxide of this test")
	assert.Contains(t, engine.account(), "not endpoint: DYNTEST_ENDPOINT is not set")
	assert.Contains(t, engine.account(), "not java: DYNTEST_DYNAMODB_LOCAL is not set")
	assert.Regexp(t, `not docker: no (Docker engine answers|container of dyntest.invalid/none:0)`, engine.account())
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

// Somebody else has taken the port and answers, before the engine has noticed.
func TestAnAnswerOfSomebodyElse(t *testing.T) {
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
				require.True(t, listens(t, endpoint), "there is no engine at %q", endpoint)
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

// listens tells whether anybody listens at the endpoint.
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

func TestMessageWithoutAnyEngine(t *testing.T) {
	if os.Getenv(childVar) != "" {
		New(t)
		return
	}
	t.Parallel()
	nowhere := t.TempDir()
	output, err := child(t, "without",
		engineVar+"=", endpointVar+"=", localVar+"=", imageVar+"="+noImage, "DOCKER_HOST=tcp://127.0.0.1:1",
		"PATH="+nowhere, "HOME="+nowhere, "XDG_CACHE_HOME="+nowhere, "LocalAppData="+nowhere,
	).Output()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed, "the child's test should have failed; it printed:\n%s", output)
	message := string(output)
	for _, part := range []string{
		"--- FAIL: TestMessageWithoutAnyEngine",
		"a DynamoDB engine is needed, and none was found",
		"endpoint  DYNTEST_ENDPOINT is not set",
		"java      DYNTEST_DYNAMODB_LOCAL is not set",
		"docker    no ",
		"dynoxide  exec: \"dynoxide\": executable file not found",
		"Start Docker.",
		"docker pull " + noImage,
		strings.ReplaceAll(dynoxideHelp(), "\n", "\n            "),
		"export DYNTEST_DYNAMODB_LOCAL=\"$HOME/dynamodb-local\"\n",
		"export DYNTEST_ENDPOINT=http://127.0.0.1:8000",
	} {
		assert.Contains(t, message, part)
	}
}

func TestProcessesShareOneContainer(t *testing.T) {
	engine, err := choice{}.shared()
	require.NoError(t, err)
	if !strings.Contains(engine.Name(), " in container ") {
		t.Skipf("needs Docker, and this run's engine is %s", engine.Name())
	}
	session := rand.Text()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		container, err := runContainer(ctx, cmp.Or(os.Getenv(imageVar), defaultImage), session)
		require.NoError(t, err)
		require.NoError(t, container.Terminate(ctx))
	})
	// They start at the same time, and none of them finds a container that is there already.
	var printed []*bufio.Reader
	for range 3 {
		process := child(t, "start", engineVar+"=docker", "TESTCONTAINERS_SESSION_ID="+session)
		stdin, err := process.StdinPipe()
		require.NoError(t, err)
		printed = append(printed, start(t, process))
		defer func() {
			assert.NoError(t, stdin.Close())
			assert.NoError(t, process.Wait())
		}()
	}
	first := line(t, printed[0])
	for _, other := range printed[1:] {
		assert.Equal(t, first, line(t, other))
	}
	resp, err := http.Get(first)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.NotEqual(t, engine.Endpoint(), first)
}

type lines []string

func (l *lines) Printf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func TestFailedLogIsShown(t *testing.T) {
	var shown lines
	log := &heldLog{next: &shown}
	require.NoError(t, log.quietly(func() error {
		log.Printf("held %d", 1)
		return nil
	}))
	assert.Empty(t, shown)
	log.Printf("passed on")
	require.EqualError(t, log.quietly(func() error {
		log.Printf("held %d", 2)
		panic("no Docker")
	}), "no Docker")
	assert.Equal(t, lines{"passed on", "held 2"}, shown)
}

package dyntest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOptionWinsOverTheEnvironment(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv(engineVar, "docker")
	t.Setenv(endpointVar, "http://127.0.0.1:1")
	t.Setenv(localVar, unpacked(t))
	t.Setenv(imageVar, "dyntest.invalid/of-the-environment:0")
	t.Setenv("PATH", fakes(t, "dynoxide", "java"))

	engine, err := Start(t.Context(), On(Dynoxide))
	require.NoError(t, err)
	assert.Contains(t, engine.Name(), "dynoxide of this test")
	for _, kind := range []EngineKind{Endpoint, Java, Docker} {
		assert.Contains(t, engine.account(), fmt.Sprintf("not %s: the code asks for dynoxide", kind))
	}
	stopped(t, engine)

	engine, err = Start(t.Context(), Image(noImage), On(Java))
	require.NoError(t, err)
	assert.Contains(t, engine.Name(), "DynamoDB Local of ")
	stopped(t, engine)

	t.Setenv(engineVar, "dynoxide")
	_, err = Start(t.Context(), Image(noImage))
	require.ErrorContains(t, err, "docker pull "+noImage)
	require.ErrorContains(t, err, "dynoxide  the code asks for docker")
	assert.ErrorContains(t, err, "Leave out On and Image, so that the other engines are tried as well.")
	assert.NotContains(t, err.Error(), "npm pack", "dynoxide was not tried")
	assert.NotContains(t, err.Error(), "of-the-environment")

	_, err = Start(t.Context(), On(Docker))
	assert.ErrorContains(t, err, "docker pull dyntest.invalid/of-the-environment:0")
	_, err = Start(t.Context(), On("dynamite"))
	assert.EqualError(t, err, `dyntest: there is no engine "dynamite"; On takes Endpoint, Java, Docker or Dynoxide`)
}

func TestTestFailsWithoutTheEngineItAsksFor(t *testing.T) {
	if os.Getenv(childVar) != "" {
		t.Run("endpoint", func(t *testing.T) { fmt.Println("endpoint is", New(t, On(Endpoint)).Engine.Name()) })
		t.Run("java", func(t *testing.T) { New(t, On(Java)) })
		return
	}
	t.Parallel()
	engine := New(t, OnlyTables()).Engine
	output, err := child(t, "choosing", engineVar+"=docker", imageVar+"="+noImage, localVar+"=",
		endpointVar+"="+engine.Endpoint()).Output()
	require.Error(t, err, "the child's test should have failed; it printed:\n%s", output)
	assert.Contains(t, string(output), "endpoint is endpoint "+engine.Endpoint())
	assert.Contains(t, string(output), "--- FAIL: TestTestFailsWithoutTheEngineItAsksFor/java")
	assert.Contains(t, string(output), "java      DYNTEST_DYNAMODB_LOCAL is not set")
	assert.NotContains(t, string(output), "SKIP")
}

// Whatever its tests ask for, a test binary starts an engine once.
func TestEngineIsStartedOnce(t *testing.T) {
	onlyUnix(t)
	if os.Getenv(childVar) != "" {
		var wg sync.WaitGroup
		for range 4 {
			for _, c := range []choice{{}, {kind: Dynoxide}} {
				wg.Go(func() {
					engine, err := c.shared()
					if assert.NoError(t, err) {
						fmt.Println("endpoint", engine.Endpoint())
					}
				})
			}
		}
		wg.Wait()
		one, err := choice{kind: Dynoxide}.shared()
		require.NoError(t, err)
		again, err := choice{kind: Dynoxide}.shared()
		require.NoError(t, err)
		assert.Same(t, one, again)
		assert.Contains(t, one.account(), "not docker: the code asks for dynoxide")
		other, err := choice{}.shared()
		require.NoError(t, err)
		assert.Contains(t, other.account(), "not docker: DYNTEST_ENGINE=dynoxide", "the same engine, for another reason")

		starts := func() int { return len(starts(t, os.Getenv(startsVar))) }
		before := starts()
		_, first := choice{kind: Java}.shared()
		tried := starts()
		_, second := choice{kind: Java}.shared()
		require.ErrorContains(t, first, "UnsupportedClassVersionError")
		assert.Equal(t, first, second)
		assert.Greater(t, tried, before)
		assert.Equal(t, tried, starts(), "a start that failed is not repeated")

		_, a := choice{Docker, "dyntest.invalid/a:0"}.shared()
		_, b := choice{Docker, "dyntest.invalid/b:0"}.shared()
		assert.ErrorContains(t, a, "docker pull dyntest.invalid/a:0")
		assert.ErrorContains(t, b, "docker pull dyntest.invalid/b:0")
		return
	}
	noted := filepath.Join(t.TempDir(), "starts")
	output, err := child(t, "sharing", engineVar+"=dynoxide", endpointVar+"=", startsVar+"="+noted, "DOCKER_HOST=tcp://127.0.0.1:1",
		oldJavaVar+"=1", localVar+"="+unpacked(t), "JAVA_HOME=", "PATH="+fakes(t, "dynoxide", "java")).Output()
	require.NoError(t, err, "the child printed:\n%s", output)
	endpoints := map[string]int{}
	for line := range strings.Lines(string(output)) {
		if endpoint, ok := strings.CutPrefix(line, "endpoint "); ok {
			endpoints[endpoint]++
		}
	}
	assert.Len(t, endpoints, 1)
	served := 0
	for _, line := range starts(t, noted) {
		if strings.Contains(line, " serve ") {
			served++
		}
	}
	assert.Equal(t, 1, served)
}

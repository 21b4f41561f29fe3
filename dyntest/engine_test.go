package dyntest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/engine"
)

// noImage is an image that cannot exist in any registry.
const noImage = "dyntest.invalid/none:0"

// A test always tries Docker, without an option.
func TestMessageWithoutAnyEngine(t *testing.T) {
	if os.Getenv(childVar) != "" {
		New(t)
		return
	}
	t.Parallel()
	nowhere := t.TempDir()
	output, err := child(t, "without",
		"DYNTEST_ENGINE=", "DYNTEST_ENDPOINT=", "DYNTEST_DYNAMODB_LOCAL=", "DYNTEST_IMAGE="+noImage, "DOCKER_HOST=tcp://127.0.0.1:1",
		"PATH="+nowhere, "HOME="+nowhere, "XDG_CACHE_HOME="+nowhere, "LocalAppData="+nowhere,
	).Output()
	var failed *exec.ExitError
	require.ErrorAs(t, err, &failed, "the child's test should have failed; it printed:\n%s", output)
	message := string(output)
	for _, part := range []string{
		"--- FAIL: TestMessageWithoutAnyEngine",
		"dyntest/engine: no DynamoDB engine is available:",
		"endpoint  DYNTEST_ENDPOINT is not set",
		"java      DYNTEST_DYNAMODB_LOCAL is not set",
		"dynoxide  exec: \"dynoxide\": executable file not found",
		"Start Docker.",
		"docker pull " + noImage,
		"Put the dynoxide binary on PATH:",
		"export DYNTEST_DYNAMODB_LOCAL=\"$HOME/dynamodb-local\"\n",
		"export DYNTEST_ENDPOINT=http://127.0.0.1:8000",
	} {
		assert.Contains(t, message, part)
	}
	assert.Regexp(t, `docker    (connect to Docker|start a container of `+noImage+`): `, message)
}

func TestTestFailsWithoutTheEngineItAsksFor(t *testing.T) {
	if os.Getenv(childVar) != "" {
		t.Run("endpoint", func(t *testing.T) { fmt.Println("endpoint is", New(t, On(engine.Endpoint)).Engine.Name()) })
		t.Run("java", func(t *testing.T) { New(t, On(engine.Java)) })
		t.Run("image", func(t *testing.T) { New(t, Image("dyntest.invalid/other:0")) })
		return
	}
	t.Parallel()
	running := New(t, OnlyTables()).Engine
	output, err := child(t, "choosing", "DYNTEST_ENGINE=docker", "DYNTEST_IMAGE="+noImage, "DYNTEST_DYNAMODB_LOCAL=",
		"DYNTEST_ENDPOINT="+running.Endpoint()).Output()
	require.Error(t, err, "the child's test should have failed; it printed:\n%s", output)
	assert.Contains(t, string(output), "endpoint is endpoint "+running.Endpoint())
	assert.Contains(t, string(output), "dyntest: the engine is endpoint "+running.Endpoint())
	assert.Contains(t, string(output), "--- FAIL: TestTestFailsWithoutTheEngineItAsksFor/java")
	assert.Contains(t, string(output), "java      DYNTEST_DYNAMODB_LOCAL is not set")
	assert.Contains(t, string(output), "--- FAIL: TestTestFailsWithoutTheEngineItAsksFor/image")
	assert.Contains(t, string(output), "docker pull dyntest.invalid/other:0")
	assert.NotContains(t, string(output), "SKIP")
}

func TestEngineIsLoggedOnceInATest(t *testing.T) {
	if os.Getenv(childVar) != "" {
		for _, name := range []string{"one", "other"} {
			t.Run(name, func(t *testing.T) {
				for range 3 {
					New(t, OnlyTables())
				}
			})
		}
		return
	}
	t.Parallel()
	output, err := child(t, "logging").Output()
	require.NoError(t, err, "%s", output)
	assert.Equal(t, 2, strings.Count(string(output), "dyntest: the engine is "), "%s", output)
}

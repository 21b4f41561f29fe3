package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

func TestOptionWinsOverTheEnvironment(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	t.Setenv(engineVar, "docker")
	t.Setenv(endpointVar, "http://127.0.0.1:1")
	t.Setenv(localVar, unpacked(t))
	t.Setenv("PATH", fakes(t, "dynoxide", "java"))

	engine, err := Start(t.Context(), On(Dynoxide))
	require.NoError(t, err)
	assert.Contains(t, engine.Name(), "dynoxide of this test")
	for _, kind := range []Kind{Endpoint, Java, Docker} {
		assert.Contains(t, engine.Account(), fmt.Sprintf("%-8s  not tried because the code asks for dynoxide", kind))
	}
	stopped(t, engine)

	engine, err = Start(t.Context(), On(Docker), On(Java))
	require.NoError(t, err)
	assert.Contains(t, engine.Name(), "DynamoDB Local from ", "the last one counts")
	stopped(t, engine)

	t.Setenv(engineVar, "dynoxide")
	t.Setenv(imageVar, noImage)
	_, err = Start(t.Context(), On(Docker), allow(failing))
	require.ErrorContains(t, err, "docker pull "+noImage)
	require.ErrorContains(t, err, "dynoxide  not tried because the code asks for docker")
	assert.ErrorContains(t, err, "Remove the option On or Image to try the other engines.")
	assert.NotContains(t, err.Error(), "npm pack", "dynoxide was not tried")

	_, err = Start(t.Context(), On("dynamite"))
	assert.EqualError(t, err, `dyntest/engine: On must be one of Endpoint, Java, Docker, Dynoxide, ExtendDB; got "dynamite"`)
}

// sharing starts an engine as package dyntest does.
func sharing(c choice.Choice) (*Engine, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // the engine is not for this caller only
	return Start(ctx, func(all *choice.Choice) {
		*all = c
		all.Shared = true
	})
}

// Whatever its tests ask for, a test binary starts an engine once.
func TestEngineIsStartedOnce(t *testing.T) {
	onlyUnix(t)
	if os.Getenv(childVar) != "" {
		var wg sync.WaitGroup
		for range 4 {
			for _, c := range []choice.Choice{{}, {Kind: "dynoxide"}} {
				wg.Go(func() {
					engine, err := sharing(c)
					if assert.NoError(t, err) {
						fmt.Println("endpoint", engine.Endpoint())
					}
				})
			}
		}
		wg.Wait()
		one, err := sharing(choice.Choice{Kind: "dynoxide"})
		require.NoError(t, err)
		again, err := sharing(choice.Choice{Kind: "dynoxide"})
		require.NoError(t, err)
		assert.Same(t, one, again)
		assert.Contains(t, one.Account(), "docker    not tried because the code asks for dynoxide")
		other, err := sharing(choice.Choice{})
		require.NoError(t, err)
		assert.Contains(t, other.Account(), "docker    not tried because DYNTEST_ENGINE=dynoxide", "the same engine, for another reason")

		starts := func() int { return len(starts(t, os.Getenv(startsVar))) }
		before := starts()
		_, first := sharing(choice.Choice{Kind: "java"})
		tried := starts()
		_, second := sharing(choice.Choice{Kind: "java"})
		require.ErrorContains(t, first, "UnsupportedClassVersionError")
		assert.Equal(t, first, second)
		assert.Greater(t, tried, before)
		assert.Equal(t, tried, starts(), "a start that failed is not repeated")

		_, a := sharing(choice.Choice{Kind: "docker", Image: "dyntest.invalid/a:0", Docker: failing})
		_, b := sharing(choice.Choice{Kind: "docker", Image: "dyntest.invalid/b:0", Docker: failing})
		assert.ErrorContains(t, a, "docker pull dyntest.invalid/a:0")
		assert.ErrorContains(t, b, "docker pull dyntest.invalid/b:0")
		return
	}
	noted := filepath.Join(t.TempDir(), "starts")
	output, err := child(t, "sharing", engineVar+"=dynoxide", endpointVar+"=", startsVar+"="+noted,
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

package dyntest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	engineVar   = "DYNTEST_ENGINE"
	endpointVar = "DYNTEST_ENDPOINT"
	imageVar    = "DYNTEST_IMAGE"
)

// source is one way to an engine.
type source struct {
	engine string
	start  func(context.Context) (*Engine, error)
}

// sources are in the order in which they are tried.
func sources() []source {
	return []source{{"endpoint", startEndpoint}, {"docker", startDocker}, {"dynoxide", startDynoxide}}
}

// attempt is an engine that could not be had.
type attempt struct {
	engine string
	err    error
}

// Start gives a program the engine that [New] would give its tests, in the order of the package comment. Call
// [Engine.Stop] when done with it.
func Start(ctx context.Context) (*Engine, error) {
	only, variable := asked()
	if only != "" && !slices.ContainsFunc(sources(), func(s source) bool { return s.engine == only }) {
		return nil, fmt.Errorf("dyntest: %s is %q, and must be endpoint, docker or dynoxide, or unset", variable, only)
	}
	var passed []attempt
	for _, s := range sources() {
		if only != "" && only != s.engine {
			passed = append(passed, attempt{s.engine, fmt.Errorf("%s=%s", variable, os.Getenv(variable))})
			continue
		}
		engine, err := s.start(ctx)
		if err == nil {
			engine.passed = passed
			return engine, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("dyntest: %w", ctx.Err()) // the next engine would fail for the same reason
		}
		passed = append(passed, attempt{s.engine, err})
	}
	return nil, noEngine(passed, variable)
}

// asked is the one engine that the environment asks for, and the variable that does; "" for none.
func asked() (engine, variable string) {
	if engine := os.Getenv(engineVar); engine != "" {
		return engine, engineVar
	}
	if os.Getenv(endpointVar) != "" {
		return "endpoint", endpointVar
	}
	return "", ""
}

// noEngine is written for a person who has just run somebody else's tests for the first time. Variable is the one that
// asked for a single engine, if any.
func noEngine(passed []attempt, variable string) error {
	var b strings.Builder
	b.WriteString("dyntest: a DynamoDB engine is needed, and none could be had.\n\nTried, in this order:\n")
	for _, a := range passed {
		reason := strings.ReplaceAll(a.err.Error(), "\n", "\n            ")
		fmt.Fprintf(&b, "  %-8s  %s\n", a.engine, reason)
	}
	b.WriteString("\nAny one of these helps:\n")
	if variable != "" {
		b.WriteString("  - Unset " + variable + ", so that the other engines are tried as well.\n")
	}
	b.WriteString("" +
		"  - Start Docker. `docker info` tells whether it runs; `docker pull " + image() + "`, whether it can get the image.\n" +
		"  - Put the dynoxide binary on PATH:\n" +
		"      npm pack @dynoxide/" + platform() + "@" + dynoxideVersion + "\n" +
		"      tar -xzf dynoxide-" + platform() + "-" + dynoxideVersion + ".tgz\n" +
		"      export PATH=\"$PWD/package:$PATH\"\n" +
		"  - Name an engine that already runs:\n" +
		"      export " + endpointVar + "=http://127.0.0.1:8000")
	return errors.New(b.String())
}

func startEndpoint(ctx context.Context) (*Engine, error) {
	endpoint := os.Getenv(endpointVar)
	if endpoint == "" {
		return nil, errors.New(endpointVar + " is not set")
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%s is %q, and must be an address such as http://127.0.0.1:8000", endpointVar, endpoint)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := untilAnswer(ctx, endpoint, nil); err != nil {
		return nil, err
	}
	return newEngine("endpoint "+endpoint, endpoint, func(context.Context) error { return nil }), nil
}

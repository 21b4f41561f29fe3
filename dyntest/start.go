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
	localVar    = "DYNTEST_DYNAMODB_LOCAL"
	imageVar    = "DYNTEST_IMAGE"
)

// attempt is an engine that could not be had.
type attempt struct {
	kind EngineKind
	err  error
}

// Start gives a program the engine that [New] would give its tests, in the order of the package comment or as the
// options choose. Call [Engine.Stop] when done with it.
func Start(ctx context.Context, opts ...EngineOption) (*Engine, error) {
	var c choice
	for _, opt := range opts {
		opt.choose(&c)
	}
	return c.search(ctx, func(ctx context.Context, s source) (*Engine, error) { return s.start(ctx) })
}

// search tries the sources that the choice and the environment allow, in their order.
func (c choice) search(ctx context.Context, start func(context.Context, source) (*Engine, error)) (*Engine, error) {
	only, err := c.demand()
	if err != nil {
		return nil, err
	}
	var passed, failed []attempt
	for _, s := range c.sources() {
		if only != nil && only.kind != s.kind {
			passed = append(passed, attempt{s.kind, errors.New(only.by)})
			continue
		}
		engine, err := start(ctx, s)
		if err == nil {
			taken := *engine // which others may share, who passed other engines
			taken.passed = passed
			return &taken, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("dyntest: %w", ctx.Err()) // the next engine would fail for the same reason
		}
		passed = append(passed, attempt{s.kind, err})
		failed = append(failed, attempt{s.kind, err})
	}
	return nil, noEngine(passed, c.help(failed, only))
}

// demand is for one kind of engine.
type demand struct {
	kind EngineKind
	by   string // why the others are not tried
	drop string // what to do to have them tried
}

// demand is the one kind that the code or the environment asks for, nil where neither does.
func (c choice) demand() (*demand, error) {
	kinds := []EngineKind{Endpoint, Java, Docker, Dynoxide}
	if c.kind != "" {
		if !slices.Contains(kinds, c.kind) {
			return nil, fmt.Errorf("dyntest: there is no engine %q; On takes Endpoint, Java, Docker or Dynoxide", c.kind)
		}
		return &demand{c.kind, "the code asks for " + string(c.kind), "Leave out On and Image"}, nil
	}
	variable := func(kind EngineKind, name string) *demand {
		var set []string // each of them keeps the others from being tried
		for _, other := range []string{engineVar, endpointVar, localVar} {
			if os.Getenv(other) != "" {
				set = append(set, other)
			}
		}
		return &demand{kind, name + "=" + os.Getenv(name), "Unset " + strings.Join(set, " and ")}
	}
	if kind := EngineKind(os.Getenv(engineVar)); kind != "" {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("dyntest: %s is %q, and must be endpoint, java, docker or dynoxide, or unset", engineVar, kind)
		}
		return variable(kind, engineVar), nil
	}
	if os.Getenv(endpointVar) != "" {
		return variable(Endpoint, endpointVar), nil
	}
	if os.Getenv(localVar) != "" {
		return variable(Java, localVar), nil
	}
	return nil, nil
}

// noEngine is written for a person who has just run somebody else's tests for the first time.
func noEngine(passed []attempt, help []string) error {
	var b strings.Builder
	b.WriteString("dyntest: a DynamoDB engine is needed, and none was found.\n\nTried, in this order:\n")
	for _, a := range passed {
		reason := strings.ReplaceAll(a.err.Error(), "\n", "\n            ")
		fmt.Fprintf(&b, "  %-8s  %s\n", a.kind, reason)
	}
	if len(help) == 1 {
		b.WriteString("\nThis helps:")
	} else {
		b.WriteString("\nAny one of these helps:")
	}
	for _, h := range help {
		b.WriteString("\n  - " + strings.ReplaceAll(h, "\n", "\n    "))
	}
	return errors.New(b.String())
}

// help says how to come by the engines that failed, the easiest first. Nothing in it repairs one that was not tried.
func (c choice) help(failed []attempt, only *demand) []string {
	var help []string
	if only != nil {
		help = append(help, only.drop+", so that the other engines are tried as well.")
	}
	tried := func(kind EngineKind) bool {
		return slices.ContainsFunc(failed, func(a attempt) bool { return a.kind == kind })
	}
	for _, s := range c.sources() {
		if tried(s.kind) && s.kind == Docker {
			help = append(help, "Start Docker. `docker info` tells whether it runs; `docker pull "+s.image+
				"`, whether it can get the image.")
		}
	}
	if tried(Dynoxide) && mayLaunch {
		help = append(help, dynoxideHelp())
	}
	if tried(Java) && mayLaunch {
		help = append(help, javaHelp)
	}
	switch named := os.Getenv(endpointVar); {
	case tried(Endpoint) && named != "":
		help = append(help, "Start the engine at "+named+", or name another in "+endpointVar+".")
	case tried(Endpoint):
		help = append(help, "Name an engine that already runs:\n  export "+endpointVar+"=http://127.0.0.1:8000")
	}
	return help
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

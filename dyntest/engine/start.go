package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

const (
	engineVar   = "DYNTEST_ENGINE"
	endpointVar = "DYNTEST_ENDPOINT"
	localVar    = "DYNTEST_DYNAMODB_LOCAL"
	imageVar    = "DYNTEST_IMAGE"
)

// Start starts an engine, or finds a running one, in the order of the package comment. Its error lists each engine with the
// reason why it is unavailable, and how to fix it. Call [Engine.Stop] when done.
//
//	e, err := engine.Start(ctx)                              // any, except Docker
//	e, err := engine.Start(ctx, docker.Allow())              // any
//	e, err := engine.Start(ctx, engine.On(engine.Dynoxide))  // this one only
func Start(ctx context.Context, opts ...Option) (*Engine, error) {
	var c choice.Choice
	for _, opt := range opts {
		opt(&c)
	}
	if c.Shared {
		return shared(context.WithoutCancel(ctx), &c)
	}
	return search(ctx, &c, func(ctx context.Context, s source) (*Engine, error) { return s.start(ctx) })
}

// attempt is an engine that is not used.
type attempt struct {
	kind Kind
	err  error
}

func writeAttempts(b *strings.Builder, attempts []attempt) {
	for _, a := range attempts {
		fmt.Fprintf(b, "\n  %-8s  %s", a.kind, strings.ReplaceAll(a.err.Error(), "\n", "\n            "))
	}
}

// search tries the engines that the choice and the environment allow, in their order.
func search(ctx context.Context, c *choice.Choice, start func(context.Context, source) (*Engine, error)) (*Engine, error) {
	only, err := demanded(c)
	if err != nil {
		return nil, err
	}
	var passed, failed []attempt
	for _, s := range sources(c) {
		if only != nil && only.kind != s.kind {
			passed = append(passed, attempt{s.kind, errors.New("not tried because " + only.by)})
			continue
		}
		if only == nil && s.asked {
			passed = append(passed, attempt{s.kind, errors.New("not tried because it is used only if " + engineVar + " or On asks for it")})
			continue
		}
		engine, err := start(ctx, s)
		if err == nil {
			taken := *engine // a copy: others may share the engine, but their searches skipped different ones
			taken.passed = passed
			return &taken, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("dyntest/engine: %w", ctx.Err()) // the next engine would fail for the same reason
		}
		passed = append(passed, attempt{s.kind, err})
		failed = append(failed, attempt{s.kind, err})
	}
	return nil, noEngine(passed, help(c, failed, only))
}

// demand is for one kind of engine.
type demand struct {
	kind Kind
	by   string // why the others are not tried
	drop string // what to do to try them
}

// demanded returns the one kind that the code or the environment asks for, or nil.
func demanded(c *choice.Choice) (*demand, error) {
	if kind := Kind(c.Kind); kind != "" {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("dyntest/engine: On must be one of Endpoint, Java, Docker, Dynoxide, ExtendDB; got %q", kind)
		}
		return &demand{kind, "the code asks for " + c.Kind, "Remove the option On or Image"}, nil
	}
	variable := func(kind Kind, name string) *demand {
		var set []string // each of them prevents the other engines from being tried
		for _, other := range []string{engineVar, endpointVar, localVar} {
			if os.Getenv(other) != "" {
				set = append(set, other)
			}
		}
		return &demand{kind, name + "=" + os.Getenv(name), "Unset " + strings.Join(set, " and ")}
	}
	if kind := Kind(os.Getenv(engineVar)); kind != "" {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("dyntest/engine: %s must be one of endpoint, java, docker, dynoxide, extenddb; got %q", engineVar, kind)
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

// noEngine is written for someone who runs another person's program or tests for the first time.
func noEngine(passed []attempt, help []string) error {
	var b strings.Builder
	b.WriteString("dyntest/engine: no DynamoDB engine is available:\n")
	writeAttempts(&b, passed)
	if len(help) == 1 {
		b.WriteString("\n\nTo fix this:")
	} else {
		b.WriteString("\n\nTo fix this, do one of the following:")
	}
	for _, h := range help {
		b.WriteString("\n  - " + strings.ReplaceAll(h, "\n", "\n    "))
	}
	return errors.New(b.String())
}

// help says how to fix the engines that failed, the easiest first. It omits those that were not tried.
func help(c *choice.Choice, failed []attempt, only *demand) []string {
	var help []string
	if only != nil {
		help = append(help, only.drop+" to try the other engines.")
	}
	tried := func(kind Kind) bool {
		return slices.ContainsFunc(failed, func(a attempt) bool { return a.kind == kind })
	}
	for _, s := range sources(c) {
		switch {
		case s.kind != Docker || !tried(Docker):
		case c.Docker == nil:
			help = append(help, "Pass "+allowDocker+" to engine.Start to try Docker.")
		default:
			help = append(help, "Start Docker. Check that it runs with `docker info`, and that it can get the image with "+
				"`docker pull "+s.image+"`.")
		}
	}
	if tried(Dynoxide) && mayLaunch {
		help = append(help, dynoxide.help())
	}
	if tried(ExtendDB) && mayLaunch {
		help = append(help, extendDB.help())
	}
	if tried(Java) && mayLaunch {
		help = append(help, javaHelp)
	}
	switch named := os.Getenv(endpointVar); {
	case tried(Endpoint) && named != "":
		help = append(help, "Start the engine at "+named+", or set "+endpointVar+" to another one.")
	case tried(Endpoint):
		help = append(help, "Set the address of an engine that is already running:\n  export "+endpointVar+"=http://127.0.0.1:8000")
	}
	return help
}

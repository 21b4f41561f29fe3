package dyntest

import (
	"cmp"
	"context"
	"os"
)

// EngineKind is a way to an engine. The package comment tells what each of them needs.
type EngineKind string

const (
	Endpoint EngineKind = "endpoint" // one that already runs
	Java     EngineKind = "java"     // DynamoDB Local as a process of this machine's Java
	Docker   EngineKind = "docker"   // DynamoDB Local in a container
	Dynoxide EngineKind = "dynoxide" // dynoxide as a process
)

// EngineOption chooses the engine, for [New] and for [Start]. It says what the test is about, so it wins over the
// environment: with On(Docker) a test runs in Docker, whatever DYNTEST_ENGINE and DYNTEST_ENDPOINT ask for.
type EngineOption interface {
	Option
	choose(*choice)
}

type engineOption func(*choice)

func (o engineOption) choose(c *choice)    { o(c) }
func (o engineOption) configure(c *config) { o(&c.choice) }

// On takes an engine of this kind and no other. Where there is none, the test fails. Such a test may run beside others
// on another engine: a test binary starts one for each kind and image that its tests ask for.
func On(kind EngineKind) EngineOption {
	return engineOption(func(c *choice) { c.kind = kind })
}

// Image is On(Docker) with this image. Default, also of On(Docker): the one in DYNTEST_IMAGE, otherwise
// amazon/dynamodb-local:3.1.0.
func Image(name string) EngineOption {
	return engineOption(func(c *choice) { c.kind, c.image = Docker, name })
}

// choice is what the code asks for. The zero choice leaves it to the environment.
type choice struct {
	kind  EngineKind
	image string // of Docker
}

// source is one way to an engine.
type source struct {
	choice
	start func(context.Context) (*Engine, error)
}

// sources are in the order in which they are tried.
func (c choice) sources() []source {
	image := cmp.Or(c.image, os.Getenv(imageVar), defaultImage)
	return []source{
		{choice{kind: Endpoint}, startEndpoint},
		{choice{kind: Java}, startJava},
		{choice{Docker, image}, func(ctx context.Context) (*Engine, error) { return startDocker(ctx, image) }},
		{choice{kind: Dynoxide}, startDynoxide},
	}
}

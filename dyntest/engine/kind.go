package engine

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/dynastay/dynastay/dyntest/internal/choice"
)

// Kind is the kind of an engine; see the package comment.
type Kind string

const (
	Endpoint Kind = "endpoint" // an engine that is already running
	Java     Kind = "java"     // DynamoDB Local as a process of this machine's Java
	Docker   Kind = "docker"   // DynamoDB Local in a container; requires an option of package docker
	Dynoxide Kind = "dynoxide" // dynoxide as a process
	ExtendDB Kind = "extenddb" // ExtendDB as a process
)

// kinds are in the order in which they are tried.
var kinds = []Kind{Endpoint, Java, Docker, Dynoxide, ExtendDB}

// Option changes which engines [Start] tries. [On] and package docker return one.
type Option func(*choice.Choice)

// On makes [Start] try only this kind of engine, regardless of the environment.
func On(kind Kind) Option {
	return func(c *choice.Choice) { c.Kind = string(kind) }
}

// defaultImage is the image of a [Docker] engine if neither an option nor the environment names one.
const defaultImage = "amazon/dynamodb-local:3.1.0"

const allowDocker = `docker.Allow() of "github.com/dynastay/dynastay/dyntest/engine/docker"`

// errDockerNotAllowed is the reason not to try Docker in a program that was built without it.
var errDockerNotAllowed = errors.New("not tried because the program does not pass " + allowDocker + " to engine.Start")

// source is one of the engines in the order of the search.
type source struct {
	kind  Kind
	image string // of Docker
	asked bool   // it is only used if it is asked for
	start func(context.Context) (*Engine, error)
}

// sources returns the engines in the order in which they are tried.
func sources(c *choice.Choice) []source {
	image := cmp.Or(c.Image, os.Getenv(imageVar), defaultImage)
	return []source{
		{kind: Endpoint, start: startEndpoint},
		{kind: Java, start: startJava},
		{kind: Docker, image: image, start: func(ctx context.Context) (*Engine, error) {
			if c.Docker == nil {
				return nil, errDockerNotAllowed
			}
			name, endpoint, err := c.Docker(ctx, image)
			if err != nil {
				return nil, err
			}
			return newEngine(name, endpoint, func(context.Context) error { return nil }), nil
		}},
		{kind: Dynoxide, start: startDynoxide},
		{kind: ExtendDB, asked: true, start: startExtendDB},
	}
}

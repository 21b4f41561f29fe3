package docker_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
)

// A program that also runs on DynamoDB Local in Docker, if Docker is available.
func Example() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	fmt.Println(e.Name())
}

// A program that requires one version of DynamoDB Local.
func ExampleImage() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Image("amazon/dynamodb-local:3.1.0"))
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	fmt.Println(e.Name())
}

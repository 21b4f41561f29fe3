// Package choice is what the options of package engine set. Package docker adds what only it can import, and package
// dyntest adds what only tests need, so that a program contains neither.
package choice

import "context"

// Choice says which engine to look for. The zero Choice leaves that to the environment, and does not try Docker.
type Choice struct {
	Kind  string // an engine.Kind: no other is tried
	Image string // the image for Docker; "" for that of the environment
	// Docker runs DynamoDB Local in a container of the image, until its reaper removes it. Nil: Docker is not tried.
	Docker func(ctx context.Context, image string) (name, endpoint string, err error)
	// Shared reuses the engine that this process has already started for the same Kind and Image, and remembers a failure
	// as well. The caller must not stop the engine.
	Shared bool
}

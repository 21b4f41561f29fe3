// Package choice is what the options of package engine set. Package docker adds to it what only it can import, and
// package dyntest what only tests need, so that a program sees neither.
package choice

import "context"

// Choice is which engine to look for. The zero Choice leaves that to the environment, and tries no Docker.
type Choice struct {
	Kind  string // an engine.Kind: no other is tried
	Image string // the image for Docker; "" for that of the environment
	// Docker runs DynamoDB Local in a container of the image, until its reaper removes it. Nil: Docker is not tried.
	Docker func(ctx context.Context, image string) (name, endpoint string, err error)
	// Shared takes the engine that this process has already started for the same Kind and Image, and remembers a failure
	// as well. The caller does not stop the engine.
	Shared bool
}

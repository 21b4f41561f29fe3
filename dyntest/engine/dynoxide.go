package engine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

var dynoxide = &binary{
	name: "dynoxide", version: "1.2.1",
	integrities: map[string]string{
		"linux-x64": "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
	},
	elsewhere: "https://github.com/nubo-db/dynoxide/releases has builds for most machines",
}

func startDynoxide(ctx context.Context) (*Engine, error) {
	path, err := dynoxide.find(ctx)
	if err != nil {
		return nil, err
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", path, err)
	}
	process, address, err := serve(ctx, 10*time.Second, func(port int) *exec.Cmd {
		return exec.Command(path, "serve", "--host", "127.0.0.1", "--port", strconv.Itoa(port))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	name := fmt.Sprintf("%s on %s", bytes.TrimSpace(version), address)
	return newEngine(name, "http://"+address, process.stop), nil
}

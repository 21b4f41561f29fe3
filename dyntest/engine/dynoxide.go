package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

const dynoxideVersion = "1.2.1"

func startDynoxide(ctx context.Context) (*Engine, error) {
	path, err := findDynoxide(ctx)
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

func dynoxideHelp() string {
	if integrities[platform()] == "" {
		return "Put dynoxide " + dynoxideVersion + " on PATH: https://github.com/nubo-db/dynoxide/releases has builds for most machines."
	}
	return "Put the dynoxide binary on PATH:\n" +
		"  npm pack @dynoxide/" + platform() + "@" + dynoxideVersion + "\n" +
		"  tar -xzf dynoxide-" + platform() + "-" + dynoxideVersion + ".tgz\n" +
		"  export PATH=\"$PWD/package:$PATH\""
}

// findDynoxide returns the path of a binary: the one on PATH, the one fetched before, or one fetched now.
func findDynoxide(ctx context.Context) (string, error) {
	path, err := exec.LookPath("dynoxide")
	if err == nil {
		return path, nil
	}
	missing := err
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; there is no cache folder to download it to: %w", missing, err)
	}
	path = filepath.Join(cache, "dynastay", "dynoxide-"+dynoxideVersion, "dynoxide")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := fetch(ctx, path, platform(), integrities[platform()]); err != nil {
		return "", fmt.Errorf("%w; not found in %s; the download failed: %w", missing, filepath.Dir(path), err)
	}
	return path, nil
}

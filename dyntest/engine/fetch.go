package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// integrities are the pinned builds, by platform, in the form of npm's lock files. On other platforms, the binary must be
// on PATH.
var integrities = map[string]string{
	"linux-x64": "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
}

// platform is npm's name for this machine's platform.
func platform() string {
	system, arch := runtime.GOOS, runtime.GOARCH
	if system == "windows" {
		system = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return system + "-" + arch
}

// fetch downloads the package of the platform with npm, which knows the machine's registry, proxy and cache, and writes
// its binary to path. Several processes may do so at the same time.
func fetch(ctx context.Context, path, platform, integrity string) error {
	if integrity == "" {
		return fmt.Errorf("there is no pinned build for %s; put dynoxide on PATH", platform)
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	// In the destination's folder, so that the last step can be a rename.
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	name := "@dynoxide/" + platform + "@" + dynoxideVersion
	pack := exec.CommandContext(ctx, npm, "pack", name, "--pack-destination", dir)
	pack.Dir = dir                   // so that npm ignores the settings of a project in the current folder
	pack.WaitDelay = 5 * time.Second // npm's own children may keep its output open
	if output, err := pack.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack %s: %w\n%s", name, err, bytes.TrimSpace(output))
	}
	archives, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return err
	}
	if len(archives) != 1 {
		return fmt.Errorf("npm pack %s wrote %d archives, want 1", name, len(archives))
	}
	archive, err := os.ReadFile(archives[0])
	if err != nil {
		return err
	}
	if err := verify(archive, integrity); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	binary := filepath.Join(dir, "dynoxide")
	if err := extract(archive, "package/dynoxide", binary); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Rename(binary, path)
}

func verify(archive []byte, integrity string) error {
	want, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(integrity, "sha512-"))
	if err != nil {
		return err
	}
	if got := sha512.Sum512(archive); !bytes.Equal(got[:], want) {
		return fmt.Errorf("wrong checksum: got sha512-%s, want %s",
			base64.StdEncoding.EncodeToString(got[:]), integrity)
	}
	return nil
}

// extract writes one file of a .tgz to path, executable.
func extract(archive []byte, name, path string) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		return err
	}
	files := tar.NewReader(unzipped)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the archive does not contain %s", name)
		}
		if err != nil {
			return err
		}
		if header.Name != name {
			continue
		}
		content, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		return os.WriteFile(path, content, 0o755)
	}
}

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

// binary is an engine that is one program, in an npm package for each platform: @dynoxide/linux-x64 has dynoxide.
type binary struct {
	name, version string
	// integrities are the pinned builds, by platform, in the form of npm's lock files. On other platforms, the binary
	// must be on PATH.
	integrities map[string]string
	elsewhere   string // where the binary for other platforms is
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

// find returns the path of the binary: the one on PATH, the one fetched before, or one fetched now.
func (b *binary) find(ctx context.Context) (string, error) {
	path, err := exec.LookPath(b.name)
	if err == nil {
		return path, nil
	}
	missing := err
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; there is no cache folder to download it to: %w", missing, err)
	}
	path = filepath.Join(cache, "dynastay", b.name+"-"+b.version, b.name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := b.fetch(ctx, path, platform()); err != nil {
		return "", fmt.Errorf("%w; not found in %s; the download failed: %w", missing, filepath.Dir(path), err)
	}
	return path, nil
}

// help says how to get the binary without this program.
func (b *binary) help() string {
	if b.integrities[platform()] == "" {
		return "Put " + b.name + " " + b.version + " on PATH: " + b.elsewhere + "."
	}
	return "Put the " + b.name + " binary on PATH:\n" +
		"  npm pack @" + b.name + "/" + platform() + "@" + b.version + "\n" +
		"  tar -xzf " + b.name + "-" + platform() + "-" + b.version + ".tgz\n" +
		"  export PATH=\"$PWD/package:$PATH\""
}

// fetch downloads the package of the platform with npm, which knows the machine's registry, proxy and cache, and writes
// its binary to path. Several processes may do so at the same time.
func (b *binary) fetch(ctx context.Context, path, platform string) error {
	integrity := b.integrities[platform]
	if integrity == "" {
		return fmt.Errorf("there is no pinned build for %s; put %s on PATH", platform, b.name)
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
	name := "@" + b.name + "/" + platform + "@" + b.version
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
	extracted := filepath.Join(dir, b.name)
	if err := extract(archive, "package/"+b.name, extracted); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.Rename(extracted, path)
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

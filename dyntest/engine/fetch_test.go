package engine

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packed makes npm deliver an archive with one file, and returns its integrity.
func packed(t *testing.T, name, content string) (integrity string) {
	t.Helper()
	var archive bytes.Buffer
	zip := gzip.NewWriter(&archive)
	files := tar.NewWriter(zip)
	require.NoError(t, files.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
	_, err := files.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, files.Close())
	require.NoError(t, zip.Close())

	path := filepath.Join(t.TempDir(), "archive")
	require.NoError(t, os.WriteFile(path, archive.Bytes(), 0o600))
	t.Setenv(archiveVar, path)
	t.Setenv("PATH", fakes(t, "npm"))
	sum := sha512.Sum512(archive.Bytes())
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pinned is dynoxide with one build.
func pinned(platform, integrity string) *binary {
	return &binary{name: dynoxide.name, version: dynoxide.version, integrities: map[string]string{platform: integrity}}
}

func TestFetch(t *testing.T) {
	onlyUnix(t)
	fetched := pinned("linux-x64", packed(t, "package/dynoxide", "the binary"))
	path := filepath.Join(t.TempDir(), "cache", "dynoxide")
	// Several test binaries that find nothing in the cache do the same.
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { assert.NoError(t, fetched.fetch(t.Context(), path, "linux-x64")) })
	}
	wg.Wait()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "the binary", string(content))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&0o100, "it is not executable")
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "the fetch left something behind")
}

func TestFetchRefuses(t *testing.T) {
	onlyUnix(t)
	const other = "sha512-AAAA"
	tests := []struct {
		name, platform, integrity string
		file                      string
		reason                    string
	}{
		{"another archive", "linux-x64", other, "package/dynoxide", ": wrong checksum: got sha512-"},
		{"no binary in it", "linux-x64", "", "package/other", "the archive does not contain package/dynoxide"},
		{"no pin", "plan9-mips", "none", "package/dynoxide", "there is no pinned build for plan9-mips; put dynoxide on PATH"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			integrity := packed(t, test.file, "something")
			switch test.integrity {
			case other:
				integrity = other
			case "none":
				integrity = ""
			}
			path := filepath.Join(t.TempDir(), "dynoxide")
			assert.ErrorContains(t, pinned(test.platform, integrity).fetch(t.Context(), path, test.platform), test.reason)
			assert.NoFileExists(t, path)
		})
	}
}

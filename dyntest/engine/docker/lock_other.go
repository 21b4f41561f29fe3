//go:build !unix || aix || solaris

package docker

import "context"

// lock does nothing: the standard library has no lock between processes on this system. Test binaries that ask for their
// container within the same few milliseconds may then fail; `go test -p 1` prevents that.
func lock(context.Context, string) (unlock func() error, err error) {
	return func() error { return nil }, nil
}

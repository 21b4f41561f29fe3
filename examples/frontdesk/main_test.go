package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program serves until it is interrupted, and leaves nothing behind.
func TestProgram(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"-addr", "127.0.0.1:0", "-hotels", "3"}, w)
		_ = w.CloseWithError(err) // which never fails
		ended <- err
	}()
	told := bufio.NewReader(r)
	line, err := told.ReadString('\n')
	require.NoError(t, err)
	_, err = told.ReadString('\n')
	require.NoError(t, err)
	address := regexp.MustCompile(`http://\S+`).FindString(line)
	for path, status := range map[string]int{"/openapi.json": http.StatusOK, "/v1/bookings": http.StatusUnauthorized, "/v1/hotels/none": http.StatusNotFound} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, status, resp.StatusCode, path)
	}
	interrupt()
	require.NoError(t, <-ended)
}

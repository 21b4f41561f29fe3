package client_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/frontdesk/api"
)

var update = flag.Bool("update", false, "write the description anew")

// The client is generated from the description that the API serves.
func TestDescription(t *testing.T) {
	t.Parallel()
	const file = "openapi.json"
	served := httptest.NewRecorder()
	api.New(nil, false).ServeHTTP(served, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, served.Body.Bytes(), "", "  "))
	if *update {
		require.NoError(t, os.WriteFile(file, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got.String(), "write it with: go generate ./client")
}

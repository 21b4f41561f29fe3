package ical

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWindowsZonesAreKnown(t *testing.T) {
	t.Parallel()
	for name, iana := range windows {
		want, err := time.LoadLocation(iana)
		require.NoError(t, err)
		assert.Equal(t, want, location(name), name)
		assert.NotEqual(t, name, iana)
	}
}

package docker

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type lines []string

func (l *lines) Printf(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

func TestFailedLogIsShown(t *testing.T) {
	var shown lines
	log := &heldLog{next: &shown}
	require.NoError(t, log.quietly(func() error {
		log.Printf("held %d", 1)
		return nil
	}))
	assert.Empty(t, shown)
	log.Printf("passed on")
	require.EqualError(t, log.quietly(func() error {
		log.Printf("held %d", 2)
		panic("no Docker")
	}), "no Docker")
	assert.Equal(t, lines{"passed on", "held 2"}, shown)
}

package dyntest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDelay(t *testing.T) {
	t.Parallel()
	for name, what := range map[string]func(time.Duration) Fault{"": Delay, "1": DelayAnswer} {
		t.Run("leaves "+name, func(t *testing.T) {
			t.Parallel()
			d := New(t, OnlyTables(things))
			const some = 30 * time.Millisecond
			i := d.Faults.Inject(what(some), When{Operation: "PutItem", Nth: 1})
			began := time.Now()
			require.NoError(t, put(t.Context(), d.impatient(), d, "a", "0"))
			assert.GreaterOrEqual(t, time.Since(began), some)
			assert.Equal(t, "0", read(t, d, "a"))
			assert.Equal(t, 1, i.Hits())

			// The caller gives up while it waits.
			i = d.Faults.Inject(what(time.Hour), When{Operation: "PutItem", Nth: 1})
			ctx, cancel := context.WithCancel(t.Context())
			go cancelOnce(i, cancel)
			assert.ErrorIs(t, put(ctx, d.impatient(), d, "b", "1"), context.Canceled)
			assert.Equal(t, name, read(t, d, "b"))
			assert.Equal(t, 1, i.Hits())
		})
	}
}

// cancelOnce gives up as soon as the fault has happened.
func cancelOnce(i *Injection, cancel func()) {
	select {
	case <-i.Happened():
	case <-i.faults.t.Context().Done():
	}
	cancel()
}

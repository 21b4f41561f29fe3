package dynastay_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
)

func TestAwaitIndexes(t *testing.T) {
	t.Parallel()
	for lag, want := range map[time.Duration]time.Duration{0: 10 * time.Second, -time.Second: 10 * time.Second, 3 * time.Second: 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			db := dynastay.Open(nil, &dynastay.Options{IndexLag: lag})
			began := time.Now()
			assert.NoError(t, db.AwaitIndexes(t.Context()))
			assert.Equal(t, want, time.Since(began))

			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			began = time.Now()
			assert.ErrorIs(t, db.AwaitIndexes(ctx), context.DeadlineExceeded)
			assert.Equal(t, time.Second, time.Since(began))
		})
	}
}

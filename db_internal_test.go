package dynastay

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The waits grow from Base to Cap, and end with the budget.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Retry{Attempts: 5, Base: 10 * time.Millisecond, Cap: 40 * time.Millisecond}
		longest := map[int]time.Duration{}
		for range 2000 {
			for spent := range 5 {
				began := time.Now()
				require.True(t, r.wait(t.Context(), spent))
				longest[spent] = max(longest[spent], time.Since(began))
			}
		}
		for spent, bound := range []time.Duration{10, 10, 20, 40, 40} {
			assert.InDelta(t, float64(bound*time.Millisecond), float64(longest[spent]), float64(bound*time.Millisecond/10), spent)
			assert.Less(t, longest[spent], bound*time.Millisecond)
		}
		assert.False(t, r.wait(t.Context(), 5))
		large := Retry{Attempts: 100, Base: time.Hour, Cap: time.Second}
		began := time.Now()
		assert.True(t, large.wait(t.Context(), 90), "no overflow")
		assert.Less(t, time.Since(began), time.Second)
	})
}

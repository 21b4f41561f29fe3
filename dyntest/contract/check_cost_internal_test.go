package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

// What a case spends is at most what it says, or a budget would be exceeded. What a refused request costs on AWS is not
// measured: nothing reports it.
func TestCostOfCases(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables())
	s, err := open(t.Context(), Target{Client: db.Client, Admin: db.Client, Streams: db.Streams, Lag: 20 * time.Millisecond})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.close(t.Context())) }()
	for _, c := range Cases() {
		spent := db.Measure(func() { s.answer(t.Context(), c) })
		assert.LessOrEqual(t, spent.ReadUnits+spent.WriteUnits, c.Units, c)
	}
}

package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

func TestWithin(t *testing.T) {
	spent := func(operation string, read, write float64) *dyntest.Spent {
		return &dyntest.Spent{
			Cost:  dyntest.Cost{Requests: 1, ReadUnits: read, WriteUnits: write},
			Calls: []dyntest.Call{{Operation: operation}},
		}
	}
	most := dyntest.Cost{Requests: 1, ReadUnits: 2, WriteUnits: 3}
	require.NoError(t, within(most, spent("Query", 2, 3)))
	require.NoError(t, within(dyntest.Cost{}, spent("Query", 9, 9)), "no limit")
	assert.EqualError(t, within(most, spent("Query", 2.5, 0)), "takes 2.5 read units, and may take 2.0")
	assert.EqualError(t, within(most, spent("PutItem", 0, 3.5)), "takes 3.5 write units, and may take 3.0")
	assert.EqualError(t, within(dyntest.Cost{WriteUnits: 1}, spent("Query", 0, 0)), "takes 1 requests, and may take 0")
	assert.EqualError(t, within(dyntest.Cost{}, spent("Scan", 0, 0)), "scans a table")
}

// Package wire reads the requests that a test has recorded.
package wire

import (
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
)

// Operations returns what was sent, in order.
func Operations(requests []dyntest.Request) (operations []string) {
	for _, r := range requests {
		operations = append(operations, r.Operation)
	}
	return operations
}

// Consistent asserts that every read is consistent, which local engines do not need, and returns how many there are.
func Consistent(t require.TestingT, requests []dyntest.Request, about ...any) (reads int) {
	for _, r := range requests {
		if !slices.Contains([]string{"GetItem", "BatchGetItem", "Query"}, r.Operation) {
			continue
		}
		reads++
		var body struct {
			ConsistentRead bool
			RequestItems   map[string]struct{ ConsistentRead bool }
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		consistent := []bool{body.ConsistentRead}
		if r.Operation == "BatchGetItem" {
			consistent = nil
			for _, table := range body.RequestItems {
				consistent = append(consistent, table.ConsistentRead)
			}
		}
		assert.NotContains(t, consistent, false, about...)
	}
	return reads
}

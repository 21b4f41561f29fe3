package provision_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/provision"
)

// Several processes of a deployment may apply the same at the same time.
func TestApplyRace(t *testing.T) {
	t.Parallel()
	client, table := storeTable(t)
	few := table
	few.Schema = storeSchema()
	few.Schema.Indexes, few.Schema.Stream = nil, false
	for _, of := range []provision.Table{few, table} {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { assert.NoError(t, provision.Apply(t.Context(), client, []provision.Table{of}, nil)) })
		}
		all.Wait()
	}
}

package policy_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/provision/policy"
)

func TestNeedsHaveOneForm(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]policy.Need{
		"GetItem Users":                             {Action: "GetItem", Table: "Users"},
		"GetItem Users own":                         {Action: "GetItem", Table: "Users", Own: true},
		"Query Bookings/GSI1-UserBookingsIndex":     {Action: "Query", Table: "Bookings", Index: "GSI1-UserBookingsIndex"},
		"Query Bookings/GSI1-UserBookingsIndex own": {Action: "Query", Table: "Bookings", Index: "GSI1-UserBookingsIndex", Own: true},
	} {
		var n policy.Need
		require.NoError(t, n.UnmarshalText([]byte(text)))
		assert.Equal(t, want, n)
		back, err := n.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, text, string(back))
	}
	for _, text := range []string{"", "GetItem", "GetItem Users mine", "GetItem Users own own"} {
		assert.Error(t, new(policy.Need).UnmarshalText([]byte(text)), text)
	}
}

// What was recorded is of tables and indexes that exist, and a query of an index is one of the index.
func TestNeedsAreOfTablesThatExist(t *testing.T) {
	t.Parallel()
	tables := map[string]*dynastay.Schema{}
	for _, s := range append(keys.Tables(), listingkeys.Table, venuekeys.Table) {
		tables[s.Name] = s
	}
	methods := policy.Methods()
	for method, needs := range methods {
		assert.NotEmpty(t, needs, method)
		assert.Equal(t, len(needs), len(slices.CompactFunc(slices.Clone(needs), func(a, b policy.Need) bool { return a == b })), method)
		for _, n := range needs {
			if policy.OfStream(n.Action) {
				continue
			}
			require.Contains(t, tables, n.Table, method)
			if n.Index != "" {
				_, has := tables[n.Table].Index(n.Index)
				assert.True(t, has && n.Action == "Query", "%s: %s", method, n)
			}
		}
	}
	methods["bookings.Repository.Create"][0] = policy.Need{}
	assert.NotEqual(t, methods, policy.Methods(), "the caller's is a copy")
}

// No method scans, or deletes or describes a table.
func TestNeedsAreOfItems(t *testing.T) {
	t.Parallel()
	for method, needs := range policy.Methods() {
		for _, n := range needs {
			assert.True(t, policy.OfStream(n.Action) || slices.Contains([]string{
				"GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "ConditionCheckItem",
			}, n.Action), "%s: %s", method, n)
		}
	}
}

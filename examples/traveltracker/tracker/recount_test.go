package tracker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// Other software has written a second visit of a region beside this package. After a recount, the counters stay right.
func TestRecountCorrectsTheRegions(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(2)
	made := h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	at := dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}
	row, err := h.Direct.Get(t.Context(), table, at, dynastay.Consistent)
	require.NoError(t, err)
	second := row.Item()
	second["SK"] = text(fmt.Sprintf("VISIT#country#IT#%d", base.UnixMilli()))
	second["marked_at"] = text(base.Format(time.RFC3339))
	require.NoError(t, h.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, second) }))
	wrong, err := h.repo.Recount(t.Context(), user)
	require.NoError(t, err)
	assert.False(t, wrong, "the region counts once")
	h.one("phone", tracker.ServerWins, h.op(tracker.Delete, italy, made.Version, tracker.VisitEdit{}))
	p, err := h.repo.Profile(t.Context(), user)
	require.NoError(t, err)
	assert.Equal(t, 3, p.Countries, "the other visit is left")
	count, err := h.Direct.Get(t.Context(), table, dynastay.Key{PK: "USER#" + user, SK: "REGION#country#C0"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.True(t, count.Exists(), "it was right")
}

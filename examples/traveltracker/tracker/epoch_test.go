package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

// 1970-01-01 is a time like any other: devices whose clocks were never set show it.
func TestWritersAtTheBeginningOfUnixTime(t *testing.T) {
	t.Parallel()
	for _, rule := range []tracker.Rule{tracker.LastWriter, tracker.MergeFields} {
		h := newHome(t)
		at := func(ms int64, o tracker.Operation) tracker.Operation {
			o.ClientTime = time.UnixMilli(ms)
			return o
		}
		made := h.one("phone", rule, at(0, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("phone")})))
		assert.Equal(t, time.Unix(0, 0).UTC(), made.Visit.Stamps[tracker.Notes].At)
		edit := tracker.VisitEdit{Notes: of("other")}
		assert.Equal(t, tracker.Rejected, h.one("car", rule, at(0, h.op(tracker.Update, italy, 0, edit))).Outcome, "the smaller id")
		assert.Equal(t, tracker.Rejected, h.one("tablet", rule, at(-1, h.op(tracker.Update, italy, 0, edit))).Outcome, "before it")
		assert.Equal(t, tracker.Applied, h.one("tablet", rule, at(0, h.op(tracker.Update, italy, 0, edit))).Outcome, "the larger id")
		v, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, time.Unix(0, 0).UTC(), v.Stamps[tracker.Notes].At)
	}
}

// The clock of a server was never set. Its log goes on in order all the same, and a device keeps its position.
func TestALogAtTheBeginningOfUnixTime(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.Table), dyntest.At(time.Unix(0, 0)))
	h := &home{DB: db, t: t, repo: tracker.New(db.DB, nil)}
	_, err := h.repo.SignUp(t.Context(), tracker.Profile{ID: user, AuthProvider: "apple", AuthProviderID: "1"})
	require.NoError(t, err)
	id := italy
	id.MarkedAt = time.Unix(0, 0)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, id, 0, tracker.VisitEdit{}))
	rows, err := dynastay.QueryAll(t.Context(), h.Direct, table, dynastay.Query{
		Name: "log", Partition: "SYNC#" + user, Range: dynastay.Range{Prefix: "OP#"}, Consistent: true,
	})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	assert.Regexp(t, "^OP#0000000000000#", rows[0].Text("SK"))
	assert.Regexp(t, "^OP#0000000000001#", rows[1].Text("SK"))

	first := tracker.Cursor{At: time.Unix(0, 0).UTC(), Version: 1}
	text, err := first.MarshalText()
	require.NoError(t, err)
	var again tracker.Cursor
	require.NoError(t, again.UnmarshalText(text))
	assert.Equal(t, first, again)
	changes, err := h.repo.Pull(t.Context(), user, again, 0)
	require.NoError(t, err)
	assert.Len(t, changes.Changes, 1)
}

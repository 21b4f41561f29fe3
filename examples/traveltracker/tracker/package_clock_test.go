package tracker_test

import (
	"fmt"
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

// A device was offline for longer than a tombstone lasts. What it did counts with its own time, but a visit was modified
// when the server received it, and its tombstone is there for 90 days from then on.
func TestADeviceWasOfflineForMonths(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	now := h.Clock.Now()
	h.Clock.Set(now.AddDate(0, 0, -100))
	made, gone := h.op(tracker.Create, italy, 0, tracker.VisitEdit{}), h.op(tracker.Delete, italy, 0, tracker.VisitEdit{})
	h.Clock.Set(now)
	got := h.one("phone", tracker.ServerWins, made)
	assert.Equal(t, now, got.Visit.ModifiedAt)
	assert.Equal(t, made.ClientTime, got.Visit.Stamps[tracker.Notes].At)
	got = h.one("phone", tracker.ServerWins, gone)
	assert.Equal(t, now.Add(90*24*time.Hour), got.Visit.Expires)
}

// DynamoDB removes a tombstone some days after it has expired. Devices get the same answers before and after that.
func TestATombstoneHasExpired(t *testing.T) {
	t.Parallel()
	for _, removed := range []bool{false, true} {
		h := newHome(t)
		h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("a")}))
		o := h.op(tracker.Delete, italy, 2, tracker.VisitEdit{})
		h.one("phone", tracker.ServerWins, o)
		waits := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("b")})
		require.Equal(t, tracker.Waiting, h.one("tablet", ask, waits).Outcome)

		h.Clock.Advance(90*24*time.Hour - time.Millisecond)
		_, err := h.repo.Visit(t.Context(), user, italy)
		require.NoError(t, err)
		h.Clock.Advance(time.Millisecond)
		if removed {
			at := dynastay.Key{PK: "USER#" + user, SK: fmt.Sprintf("VISIT#country#IT#%d", italy.MarkedAt.UnixMilli())}
			require.NoError(t, h.Direct.DeleteAll(t.Context(), table, []dynastay.Key{at}))
		}
		_, err = h.repo.Visit(t.Context(), user, italy)
		require.ErrorIs(t, err, dynastay.ErrNotFound)
		assert.Nil(t, h.one("phone", tracker.ServerWins, o).Visit)
		settled, err := h.repo.Settle(t.Context(), user, waits.ID, tracker.ClientWins)
		require.NoError(t, err)
		for _, got := range []tracker.Result{
			settled,
			h.one("tablet", tracker.ClientWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("c")})),
			h.one("tablet", tracker.ClientWins, h.op(tracker.Delete, italy, 2, tracker.VisitEdit{})),
		} {
			assert.Equal(t, tracker.Rejected, got.Outcome)
			assert.Nil(t, got.Visit)
			assert.Nil(t, got.Conflict.Visit)
			assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Deleted}}, got.Conflict.Fields)
		}
		got := h.one("tablet", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{RegionName: of("Italy")}))
		require.Equal(t, tracker.Applied, got.Outcome)
		assert.Nil(t, got.Conflict)
		assert.Empty(t, got.Visit.Notes, "nothing of it comes back")
		assert.Equal(t, "tablet", got.Visit.MarkedFrom)
		assert.True(t, got.Visit.Expires.IsZero())
		p, err := h.repo.Profile(t.Context(), user)
		require.NoError(t, err)
		assert.Equal(t, 1, p.Countries)
	}
}

// Times are stored in milliseconds. Those of an operation count in milliseconds too, so that two writers within one are
// ordered by their device, whoever was received first.
func TestWritersWithinAMillisecond(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Advance(time.Second)
	first := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("first")})
	first.ClientTime = base.Add(100 * time.Microsecond)
	made := h.one("phone", tracker.LastWriter, first)
	stored, err := h.repo.Visit(t.Context(), user, italy, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, stored, made.Visit)
	second := h.op(tracker.Update, italy, 0, tracker.VisitEdit{Notes: of("second")})
	second.ClientTime = base.Add(900 * time.Microsecond)
	assert.Equal(t, tracker.Rejected, h.one("car", tracker.LastWriter, second).Outcome)
	second.ID = "again"
	assert.Equal(t, tracker.Applied, h.one("tablet", tracker.LastWriter, second).Outcome)
}

func TestTheServersClockGoesBack(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.marks(2)
	h.Clock.Set(base.Add(-24 * time.Hour))
	h.marks(2)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	changes, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	require.Len(t, changes.Changes, 6)
	for i, c := range changes.Changes {
		assert.Equal(t, i+1, c.ServerVersion)
		if i > 0 {
			assert.True(t, c.At.After(changes.Changes[i-1].At))
		}
	}
}

// A clock that is a year ahead wins until the server has received a later write, and not for ever.
func TestAClientIsAYearAhead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	ahead := h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("from the future")})
	ahead.ClientTime = ahead.ClientTime.AddDate(1, 0, 0)
	got := h.one("tablet", tracker.LastWriter, ahead)
	require.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, h.Clock.Now(), got.Visit.Stamps[tracker.Notes].At, "the time of receipt")

	h.Clock.Advance(time.Minute)
	got = h.one("phone", tracker.LastWriter, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("from today")}))
	assert.Equal(t, tracker.Applied, got.Outcome)
	assert.Equal(t, "from today", got.Visit.Notes)
}

// The clock of one server is a day ahead. The entries that another one writes after it have later times, and expire by
// them: otherwise a device whose cursor is not 30 days old would miss what the log has forgotten.
func TestEntriesExpireByTheTimeOfTheLog(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Clock.Set(base.Add(24 * time.Hour))
	h.marks(1)
	ahead, err := h.repo.Pull(t.Context(), user, start, 0)
	require.NoError(t, err)
	h.Clock.Set(base.Add(time.Minute))
	h.one("phone", tracker.ServerWins, h.op(tracker.Create, italy, 0, tracker.VisitEdit{}))
	assert.GreaterOrEqual(t, int64(h.entry(3).Int("ttl")), ahead.Next.At.Add(30*24*time.Hour).Unix())
}

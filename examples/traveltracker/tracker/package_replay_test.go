package tracker_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/traveltracker/tracker"
)

func TestARepetitionAfterAMonth(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	made := h.op(tracker.Create, italy, 0, tracker.VisitEdit{Notes: of("first")})
	h.one("phone", tracker.ServerWins, made)
	h.Clock.Advance(31 * 24 * time.Hour)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 2, tracker.VisitEdit{Notes: of("second")}))
	again := h.one("phone", tracker.ServerWins, made)
	assert.Equal(t, tracker.AlreadyApplied, again.Outcome)
	assert.Equal(t, "second", again.Visit.Notes, "what the server has now")
	assert.Equal(t, 2, again.Version, "the version that it made")

	made.Place.Notes = of("another")
	other := h.one("phone", tracker.ServerWins, made)
	require.Equal(t, tracker.Refused, other.Outcome)
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, other.Err, &invalid)
	assert.Equal(t, "ID", invalid.Field)

	_, err := h.repo.Pull(t.Context(), user, start, 0)
	assert.ErrorIs(t, err, tracker.ErrSnapshotNeeded, "a cursor that is older than the log")
}

// What a repeated operation is told: the outcome, the fields that conflicted, and what the server has now.
func TestARepeatedConflict(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	o := h.conflicting()
	first := h.one("tablet", tracker.ServerWins, o)
	h.one("phone", tracker.ServerWins, h.op(tracker.Update, italy, 3, tracker.VisitEdit{Notes: of("later")}))
	again := h.one("tablet", tracker.ClientWins, o)
	assert.Equal(t, tracker.Rejected, again.Outcome, "the first answer")
	assert.Equal(t, first.Conflict.Fields, again.Conflict.Fields)
	assert.Equal(t, "later", again.Visit.Notes)

	missing := italy
	missing.RegionCode = "FR"
	o = h.op(tracker.Update, missing, 1, tracker.VisitEdit{Notes: of("x")})
	first = h.one("tablet", tracker.ClientWins, o)
	require.Equal(t, tracker.Rejected, first.Outcome, "an update makes no visit")
	assert.Equal(t, []tracker.FieldConflict{{Field: tracker.Deleted}}, first.Conflict.Fields)
	again = h.one("tablet", tracker.ClientWins, o)
	assert.Equal(t, first.Conflict.Fields, again.Conflict.Fields)
	assert.Nil(t, again.Visit)
}

// An operation with the id of another one is another operation also if only the type of a value differs.
func TestAnotherOperationWithValuesThatLookAlike(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for i, pair := range [][2]any{{"12", 12}, {nil, true}, {[]byte("ab"), "YWI="}, {[]any{"12"}, []any{12}}} {
		o := h.edit(1+i, tracker.ProfileEdit{Privacy: &tracker.Settings{"a": pair[0]}})
		require.Equal(t, tracker.Applied, h.one("phone", tracker.ClientWins, o).Outcome)
		assert.Equal(t, tracker.AlreadyApplied, h.one("phone", tracker.ClientWins, o).Outcome)
		o.Profile.Privacy = &tracker.Settings{"a": pair[1]}
		assert.Equal(t, tracker.Refused, h.one("phone", tracker.ClientWins, o).Outcome, "%v", pair)
	}
}

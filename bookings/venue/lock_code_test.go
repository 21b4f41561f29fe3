package venue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/lists"
)

// A code whose times cannot be stored is refused before any request, whoever sets it.
func TestTimesOfCodes(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	held, asked := h.approved(t, ann, day, venue.Afternoon), h.asked(t, ann, day, venue.Morning)
	last := time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC)
	beyond, before := last.Add(time.Millisecond), time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		from, until time.Time
		field       string
	}{
		"until": {now, beyond, "ValidUntil"}, "in UTC": {now, last.Add(time.Hour).In(time.FixedZone("", -7200)), "ValidUntil"},
		"from": {beyond, beyond.Add(time.Hour), "ValidFrom"}, "before": {before, now, "ValidFrom"},
	} {
		var invalid *dynastay.InvalidError
		a := venue.Approval{BookingID: asked.ID, Version: 1, Code: "1", ValidFrom: c.from, ValidUntil: c.until}
		code := venue.LockCode{EventID: held.EventID, Date: day, Slot: venue.Afternoon, Code: "1", ValidFrom: c.from, ValidUntil: c.until}
		cost := h.Measure(func() {
			_, err := h.repo.Approve(t.Context(), admin, a)
			if assert.ErrorAs(t, err, &invalid, "%s, of an approval", name) {
				assert.Equal(t, c.field, invalid.Field, name)
			}
			_, err = h.repo.SetLockCode(t.Context(), admin, code)
			if assert.ErrorAs(t, err, &invalid, name) {
				assert.Equal(t, c.field, invalid.Field, name)
			}
		})
		assert.Empty(t, cost.Calls, name)
	}
	b, err := h.repo.Approve(t.Context(), admin, venue.Approval{BookingID: asked.ID, Version: 1, Code: "1", ValidFrom: now, ValidUntil: last})
	require.NoError(t, err)
	c, err := h.repo.LockCode(t.Context(), b.EventID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, last, c.ValidUntil)
}

func TestLockCodes(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	ctx := t.Context()
	from, until := now.Add(time.Hour), now.Add(5*time.Hour)
	b, err := h.repo.Approve(ctx, admin, venue.Approval{
		BookingID: h.asked(t, ann, day, venue.Morning).ID, Version: 1, Code: "1234", ValidFrom: from, ValidUntil: until,
	})
	require.NoError(t, err)
	code, err := h.repo.LockCode(ctx, b.EventID)
	require.NoError(t, err)
	assert.Equal(t, venue.LockCode{
		EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "1234", ValidFrom: from, ValidUntil: until, CreatedAt: now,
		WriteID: code.WriteID,
	}, *code)
	next := venue.LockCode{ // not as it is stored
		EventID: b.EventID, Date: day, Slot: venue.Morning, Code: "5678",
		ValidFrom: from.Add(1).In(time.FixedZone("", 3600)), ValidUntil: until.Add(1).In(time.FixedZone("", 3600)),
	}
	_, err = h.repo.SetLockCode(ctx, ann, next)
	require.ErrorIs(t, err, venue.ErrNotAllowed)
	set, err := h.repo.SetLockCode(ctx, admin, next)
	require.NoError(t, err)
	code, err = h.repo.LockCode(ctx, b.EventID)
	require.NoError(t, err)
	assert.Equal(t, code, set)
	assert.NotEmpty(t, set.WriteID)
	concert, err := h.repo.CreateEvent(ctx, admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	codes, err := h.repo.LockCodesOn(ctx, day)
	require.NoError(t, err)
	require.Len(t, codes, 1)
	assert.Equal(t, "5678", codes[0].Code)
	other := next
	other.EventID = concert.ID
	_, err = h.repo.SetLockCode(ctx, admin, other)
	require.ErrorIs(t, err, dynastay.ErrNotFound, "the concert is in another slot")
	other.Slot = venue.Afternoon
	_, err = h.repo.SetLockCode(ctx, admin, other)
	require.NoError(t, err)
	h.consistency(t)

	_, err = h.repo.Cancel(ctx, ann, venue.Cancellation{BookingID: b.ID, Version: b.Version})
	require.NoError(t, err)
	require.NoError(t, h.repo.DeleteEvent(ctx, admin, concert.Ref()))
	for _, id := range []string{b.EventID, concert.ID} {
		_, err = h.repo.LockCode(ctx, id)
		require.ErrorIs(t, err, dynastay.ErrNotFound, "nobody opens the doors for an event that does not take place")
	}
	_, err = h.repo.SetLockCode(ctx, admin, next)
	require.ErrorIs(t, err, dynastay.ErrNotFound)
	codes, err = h.repo.LockCodesOn(ctx, day)
	require.NoError(t, err)
	assert.Empty(t, codes)
	var recorded []venue.AuditEntry
	for _, entry := range lists.All(t, h.repo.Audit(dynastay.DateOf(now, nil))) {
		if entry.Action == venue.LockCodeSet {
			entry.ID = ""
			recorded = append(recorded, *entry)
		}
	}
	one := venue.AuditEntry{At: now, By: admin.UserID, Role: venue.Admin, Action: venue.LockCodeSet, EventID: b.EventID}
	approval, two := one, one
	approval.BookingID, approval.UserID = b.ID, ann.UserID
	two.EventID = concert.ID
	assert.ElementsMatch(t, []venue.AuditEntry{approval, one, two}, recorded, "without the code itself")
}

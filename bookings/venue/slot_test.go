package venue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// Slots that overlap exclude each other, and those that do not overlap do not.
func TestSlotsExcludeEachOther(t *testing.T) {
	t.Parallel()
	slots := []venue.Slot{venue.Morning, venue.Afternoon, venue.FullDay}
	for i, first := range slots {
		for j, second := range slots {
			h := newHall(t)
			h.join(t, ann, ben)
			held, wants := h.approved(t, ann, day, first), h.asked(t, ben, day, second)
			overlap := first == second || first == venue.FullDay || second == venue.FullDay
			b, err := h.repo.Approve(t.Context(), admin, approval(wants))
			if !overlap {
				require.NoError(t, err, "%d %d", i, j)
				assert.Equal(t, venue.Approved, b.Status)
				h.consistency(t)
				continue
			}
			taken := blame.As[*venue.SlotTaken](t, err, "%s, then %s", first, second)
			assert.Equal(t, day, taken.Date)
			assert.Equal(t, second, taken.Slot)
			require.Len(t, taken.Events, 1)
			assert.Equal(t, held.EventID, taken.Events[0].ID)
			assert.Equal(t, held.ID, taken.Events[0].BookingID)
			assert.Equal(t, first, taken.Events[0].Slot)
			still, err := h.repo.Booking(t.Context(), wants.ID)
			require.NoError(t, err)
			assert.Equal(t, wants, still, "the booking of a losing approval does not change")
			_, err = h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: second, Type: "concert", Title: "Jazz"})
			require.ErrorAs(t, err, &taken)
			h.consistency(t)

			_, err = h.repo.Cancel(t.Context(), admin, venue.Cancellation{BookingID: held.ID, Version: held.Version})
			require.NoError(t, err)
			_, err = h.repo.Approve(t.Context(), admin, approval(wants))
			require.NoError(t, err, "the slot is free again")
			h.consistency(t)
		}
	}
}

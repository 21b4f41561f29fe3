package venue_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/bookings/venue"
)

func TestSlotTakenNamesAllEvents(t *testing.T) {
	t.Parallel()
	h := newHall(t)
	h.join(t, ann)
	morning := h.approved(t, ann, day, venue.Morning)
	concert, err := h.repo.CreateEvent(t.Context(), admin, venue.Event{Date: day, Slot: venue.Afternoon, Type: "concert", Title: "Jazz"})
	require.NoError(t, err)
	_, err = h.repo.Approve(t.Context(), admin, approval(h.asked(t, ann, day, venue.FullDay)))
	assert.EqualError(t, err, "2037-07-11 FULL_DAY is taken: MORNING by event "+morning.EventID+" of booking "+morning.ID+
		", AFTERNOON by event "+concert.ID)
}

package availability_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	refused := &availability.Refused{Nights: []availability.RefusedNight{
		soldOut("2026-07-10", 1), refusedNight("2026-07-10", availability.MinStay), refusedNight("2026-07-12", availability.StopSell),
	}}
	assert.EqualError(t, refused, "cannot be sold: room_789 2026-07-10 sold_out, room_789 2026-07-10 min_stay, room_789 2026-07-12 stop_sell")
	assert.Equal(t, "2026-07-10 sold_out", refused.Nights[0].String())

	for _, reason := range []availability.Reason{availability.SoldOut, availability.MinStay, availability.StopSell} {
		assert.True(t, refused.Has(reason), reason)
	}
	for _, reason := range []availability.Reason{
		availability.NotOnSale, availability.ClosedToArrival, availability.ClosedToDeparture, availability.MaxStay,
		availability.PriceChanged, "",
	} {
		assert.False(t, refused.Has(reason), reason)
	}
	assert.False(t, (&availability.Refused{}).Has(availability.SoldOut))

	var found *availability.Refused
	assert.True(t, errors.As(fmt.Errorf("booking: %w", refused), &found))
	assert.Same(t, refused, found)
}

package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// A code whose times could not be read again is refused by name, before any request.
func TestTimesOfPromoCodes(t *testing.T) {
	t.Parallel()
	h := newInn(t)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for field, p := range map[string]bookings.PromoCode{
		"ValidUntil": {ValidUntil: last.Add(time.Second)},
		"ValidFrom":  {ValidFrom: last.Add(time.Hour).In(time.FixedZone("", -7200))},
	} {
		p.Code, p.Percent = "SUMMER", 10_00
		var invalid *dynastay.InvalidError
		cost := h.Measure(func() {
			_, err := h.repo.CreatePromoCode(t.Context(), p)
			if assert.ErrorAs(t, err, &invalid) {
				assert.Equal(t, field, invalid.Field)
			}
		})
		assert.Empty(t, cost.Calls, field)
	}
}

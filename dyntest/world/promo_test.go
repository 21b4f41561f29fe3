package world

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// checkUse checks that a booking could use its promo code, and has its discount.
func checkUse(t testing.TB, b *bookings.Booking, code *bookings.PromoCode) {
	t.Helper()
	require.NotNil(t, code, "%s of %s", b.PromoCode, b.ID)
	assert.Equal(t, code.Code, b.PromoCode)
	discount, err := code.Discount(b.Breakdown.Rooms)
	require.NoError(t, err)
	assert.Equal(t, discount, b.Breakdown.Discounts, b.ID)
	assert.Positive(t, discount.Sign(), b.ID)
	assert.WithinRange(t, b.CreatedAt, code.ValidFrom, code.ValidUntil.Add(time.Second))
	assert.Equal(t, b.PropertyID[len("prop_"):], code.Code[len(code.Code)-6:], "the hotel's own code")
}

// The promo codes of a world that is large enough to show the shares.
func TestPromoCodes(t *testing.T) {
	t.Parallel()
	w, sample := typical()
	approved, codes, inactive, ended, fixed, limited, unlimited, usedUp, reused := 0, 0, 0, 0, 0, 0, 0, 0, 0
	could, used, descriptions := 0, 0, map[string]bool{}
	amounts := regexp.MustCompile(`^([0-9.]+ %|[0-9.]+ [A-Z]{3}) off`)
	for _, h := range sample {
		code := h.PromoCode
		if h.Status == properties.Approved || h.Status == properties.Suspended {
			approved++
		} else {
			assert.Nil(t, code, h.Status)
		}
		uses, total := 0, 0
		for _, b := range h.Bookings {
			if b.PromoCode == "" {
				assert.Zero(t, b.Breakdown.Discounts.Sign())
				continue
			}
			total++
			checkUse(t, b, code)
			if live(b) {
				uses++
			}
		}
		if code == nil {
			continue
		}
		codes++
		assert.Equal(t, uses, code.UsageCount, code.Code)
		assert.True(t, code.UsageLimit == 0 || uses <= code.UsageLimit, code.Code)
		assert.Regexp(t, "^[A-Z]+-[0-9]{6}$", code.Code)
		assert.Equal(t, w.opts.Today.AddDays(-60).Time().Before(code.CreatedAt), false, "before the first booking")
		assert.False(t, code.ValidFrom.Before(w.opts.Today.AddDays(-bookingDays).Time()))
		assert.Zero(t, code.ValidUntil.Add(time.Second).Unix()%86400, "to the end of a day")
		assert.Regexp(t, amounts, code.Description)
		assert.Contains(t, code.Description, h.Name)
		descriptions[code.Description] = true
		assert.Equal(t, !code.Active, code.Version == 2)
		if !code.Active {
			inactive++
		}
		if code.ValidUntil.Before(w.opts.Today.Time()) {
			ended++
		}
		if code.Percent == 0 {
			fixed++
			two, err := code.MinAmount.DividedBy(2)
			require.NoError(t, err)
			for _, n := range h.Nights {
				order, err := n.Price.Compare(two)
				require.NoError(t, err)
				assert.GreaterOrEqual(t, order, 0, "the minimum is two of the cheapest nights")
			}
		} else if code.MaxDiscount.IsSet() {
			limited++
		} else {
			unlimited++
		}
		if code.UsageLimit > 0 && uses == code.UsageLimit {
			usedUp++
		}
		if code.UsageLimit > 0 && total > code.UsageLimit {
			reused++
		}
		if code.UsageLimit == 0 || code.UsageLimit == 100 {
			for _, b := range h.Bookings {
				if roomNights := b.Rooms * b.Stay.Nights(); roomNights < 2 {
					assert.Empty(t, b.PromoCode, b.ID)
				} else if !b.CreatedAt.Before(code.ValidFrom) && b.CreatedAt.Before(code.ValidUntil) {
					could++
					if b.PromoCode != "" {
						used++
					}
				}
			}
		}
	}
	for name, share := range map[string]struct{ percent, is, within float64 }{
		"hotels with a code":    {40, percent(codes, approved), 7},
		"inactive":              {15, percent(inactive, codes), 8},
		"ended":                 {20, percent(ended, codes), 9},
		"of a fixed amount":     {30, percent(fixed, codes), 10},
		"with a limit":          {50, percent(limited, limited+unlimited), 13},
		"of guests who can use": {30, percent(used, could), 6},
	} {
		assert.InDelta(t, share.percent, share.is, share.within, name)
	}
	assert.Greater(t, usedUp, 20)
	assert.Positive(t, reused, "a use that was returned, and used again")
	assert.Len(t, descriptions, codes)
}

// Guests type a code with capital or small letters, and it is found by either.
func TestPromoCodesAsTyped(t *testing.T) {
	t.Parallel()
	w, small, all := New(Options{Seed: 4, Properties: 200}), 0, 0
	for i := range w.opts.Properties {
		h := w.house(i)
		sales, err := w.sales(i, h)
		require.NoError(t, err)
		for _, s := range sales {
			if s.code == "" {
				continue
			}
			all++
			if s.code != h.promo.code.Code {
				small++
				_, err := keys.Of(keys.PromoCode{Code: s.code})
				assert.NoError(t, err)
				assert.Regexp(t, "^[a-z]+-[0-9]{6}$", s.code)
			}
		}
	}
	assert.InDelta(t, 20, percent(small, all), 6)
}

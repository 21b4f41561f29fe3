package bookings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
)

// The details of the guest and the special requests are corrected alone, or together with the stay.
func TestModifyTheGuest(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	ada := bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com", Phone: "+442079460958"}
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	for _, test := range []struct {
		name            string
		stay            dynastay.Stay
		guest, requests bool
	}{
		{"guest", innStay, true, false},
		{"requests", innStay, false, true},
		{"both", innStay, true, true},
		{"and the stay", longer, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := bookings.Modification{BookingID: b.ID, Version: b.Version}
			if test.stay != innStay {
				m = i.quote(t, b.ID, test.stay, rooms{"a": 1})
			}
			want, given, requests := b.Summary, ada, "A late check-in"
			if test.guest {
				m.Guest, want.Guest = &given, ada
			}
			if test.requests {
				m.SpecialRequests = &requests
			}
			key := dynastay.IdempotencyKey("guest-" + b.ID)
			op := i.repo.ModifyOp(m)
			given.FirstName, requests = "", "" // too late to change the operation
			require.NoError(t, i.Write(t.Context(), op, key))
			given, requests = ada, "A late check-in"

			got := op.Result().Booking
			assert.Equal(t, want.Guest, got.Guest)
			assert.Equal(t, test.requests, got.SpecialRequests == "A late check-in")
			assert.Equal(t, b.Version+1, got.Version)
			assert.Equal(t, takenBy(test.stay, rooms{"a": 1}), i.taken(t))
			stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, stored, got)
			page, err := i.repo.ByProperty(bookings.PropertyQuery{PropertyID: i.id}).Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err)
			require.Len(t, page.Items, 1)
			assert.Equal(t, got.Summary, *page.Items[0])

			again, err := i.repo.Modify(t.Context(), m, key)
			require.NoError(t, err)
			assert.Equal(t, got, again.Booking)
			_, err = i.repo.Modify(t.Context(), m)
			require.ErrorIs(t, err, dynastay.ErrVersion, "it was modified since")
			other, someone := "Something else", bookings.Guest{FirstName: "Bo", LastName: "Li", Email: "bo@example.com"}
			for _, change := range []func(*bookings.Modification){
				func(m *bookings.Modification) { m.SpecialRequests = &other },
				func(m *bookings.Modification) { m.Guest = &someone },
			} {
				changed := m
				change(&changed)
				_, err = i.repo.Modify(t.Context(), changed, key)
				require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
			}
		})
	}
}

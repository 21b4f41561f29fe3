package bookings_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// A modification that does not fit into one transaction is refused before it is sent, with the number of actions.
func TestModificationTooLarge(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for _, test := range []struct {
		nights  int // of a booking that is moved to dates that it does not overlap
		actions int // 0 if it fits
	}{
		{49, 0}, {50, 102},
	} {
		t.Run(fmt.Sprint(test.nights), func(t *testing.T) {
			i := inns.next(t)
			for date := range dynastay.MustStay("2026-07-01", "2026-12-01").Dates() {
				raw.Put(t, i.DB, keys.AvailabilityTable, i.night("a", date))
			}
			from := dynastay.MustDate("2026-07-01")
			b := i.book(t, dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(test.nights)}, rooms{"a": 1})
			later := from.AddDays(test.nights)
			m := i.quote(t, b.ID, dynastay.Stay{CheckIn: later, CheckOut: later.AddDays(test.nights)}, rooms{"a": 1})
			sent := i.Faults.Count("TransactWriteItems")
			_, err := i.repo.Modify(t.Context(), m)
			if test.actions == 0 {
				require.NoError(t, err)
				return
			}
			large := blame.As[*dynastay.TooLargeError](t, err)
			require.ErrorIs(t, err, dynastay.ErrInvalid)
			assert.Equal(t, test.actions, large.Actions)
			assert.Equal(t, sent, i.Faults.Count("TransactWriteItems"))
		})
	}
}

// Only what is added can be overbooked, within the limit; what was overbooked before stays marked.
func TestModifyOverbooks(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.set(t, "a", innStay.CheckIn, "AvailableRooms", 0)
	req := i.request(innStay, rooms{"a": 1})
	req.Overbook = 1
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Date{innStay.CheckIn}, b.Lines[0].Overbooked)

	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	i.set(t, "a", innStay.CheckOut, "AvailableRooms", 0)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(longer, rooms{"a": 1}))
	refused := blame.As[*bookings.Refused](t, err)
	assert.True(t, refused.Has(availability.SoldOut))
	req.Stay = longer
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	want := []dynastay.Date{innStay.CheckIn, innStay.CheckOut}
	assert.Equal(t, want, m.Quote.Lines[0].Overbooked)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, want, got.Booking.Lines[0].Overbooked)
	stored, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, got.Booking, stored)
	assert.Equal(t, innRooms+1, i.taken(t)["a "+innStay.CheckIn.String()])

	i.set(t, "a", innStay.CheckOut.AddDays(1), "AvailableRooms", -1)
	req.Stay.CheckOut = req.Stay.CheckOut.AddDays(1)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, req)
	require.ErrorAs(t, err, &refused, "the limit is for the night")

	m, err = i.repo.QuoteModification(t.Context(), b.ID, i.request(dynastay.Stay{CheckIn: innStay.CheckIn.AddDays(1), CheckOut: innStay.CheckOut.AddDays(1)}, rooms{"a": 1}))
	require.NoError(t, err)
	got, err = i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Date{innStay.CheckOut}, got.Booking.Lines[0].Overbooked, "the dropped night is not listed any more")
}

// A refusal counts only as long as the booking is as it was read, whoever has written it since.
func TestRefusalOfAModificationIsOvertaken(t *testing.T) {
	t.Parallel()
	inns := newInn(t)
	for name, v := range map[string]types.AttributeValue{
		keys.AttrVersion: dynastay.Number(99), keys.BookingsTable.WriteIDName(): &types.AttributeValueMemberB{Value: []byte("another")},
	} {
		t.Run(name, func(t *testing.T) {
			i := inns.next(t)
			b := i.book(t, innStay, rooms{"a": 1})
			m := i.quote(t, b.ID, innStay, rooms{"a": 2})
			i.set(t, "a", innStay.LastNight(), "AvailableRooms", 0)
			i.Faults.Inject(dyntest.After(func(context.Context) {
				setBooking(t, i.DB, keyOf(b.ID), "Status", dynastay.Text("cancelled"))
				setBooking(t, i.DB, keyOf(b.ID), name, v)
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			_, err := i.repo.Modify(t.Context(), m)
			state := blame.As[*bookings.StatusError](t, err)
			assert.Equal(t, bookings.Cancelled, state.Status)
		})
	}
}

// A modification may overbook a night up to its limit, which counts as the quote's Overbook does.
func TestModifyWithinTheLimit(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	b := i.book(t, innStay, rooms{"a": 1})
	longer := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckOut.AddDays(1)}
	i.set(t, "a", innStay.CheckOut, "AvailableRooms", 0)
	_, err := i.repo.QuoteModification(t.Context(), b.ID, i.request(longer, rooms{"a": 1}))
	assert.True(t, blame.As[*bookings.Refused](t, err).Has(availability.SoldOut))

	i.set(t, "a", innStay.CheckOut, "OverbookLimit", 1)
	m := i.quote(t, b.ID, longer, rooms{"a": 1})
	assert.Equal(t, []dynastay.Date{innStay.CheckOut}, m.Quote.Lines[0].Overbooked)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Date{innStay.CheckOut}, got.Booking.Lines[0].Overbooked)
	left, err := availability.New(i.DB.DB).Check(t.Context(), i.id, i.roomType("a"), 1, dynastay.Stay{CheckIn: innStay.CheckOut, CheckOut: longer.CheckOut})
	require.NoError(t, err)
	assert.Equal(t, -1, left.Nights[0].Available)
	assert.True(t, blame.As[*availability.Refused](t, left.Err()).Has(availability.SoldOut))
}

// The overbooked nights of a line are in order, each once, however often they were overbooked.
func TestOverbookedNightsOfAModification(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	stay := dynastay.Stay{CheckIn: innStay.CheckIn.AddDays(1), CheckOut: innStay.CheckOut}
	over := func(stay dynastay.Stay, n int) availability.QuoteRequest {
		req := i.request(stay, rooms{"a": n})
		req.Overbook = 3
		return req
	}
	for date := range innStay.Dates() {
		i.set(t, "a", date, "AvailableRooms", 0)
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), over(stay, 1))
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	for _, req := range []availability.QuoteRequest{over(innStay, 1), over(innStay, 2)} {
		m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
		require.NoError(t, err)
		want := []dynastay.Date{innStay.CheckIn, innStay.CheckIn.AddDays(1), innStay.LastNight()}
		assert.Equal(t, want, m.Quote.Lines[0].Overbooked)
		got, err := i.repo.Modify(t.Context(), m)
		require.NoError(t, err)
		assert.Equal(t, want, got.Booking.Lines[0].Overbooked)
	}
}

// A booking does not become too large to be cancelled, with a code, a refund and an idempotency key.
func TestModificationsCanBeCancelled(t *testing.T) {
	t.Parallel()
	i := newInn(t)
	i.code(t, bookings.PromoCode{Code: "TEN", Percent: 1000})
	nights := dynastay.MustStay("2026-07-21", "2026-08-20")
	for room := range innPrices {
		for date := range nights.Dates() {
			raw.Put(t, i.DB, keys.AvailabilityTable, i.night(room, date))
		}
	}
	stay := func(n int) dynastay.Stay {
		return dynastay.Stay{CheckIn: payStay.CheckIn, CheckOut: payStay.CheckIn.AddDays(n)}
	}
	q := i.mustQuote(t, stay(32), rooms{"a": 1})
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest, PromoCode: "TEN"})
	require.NoError(t, err)
	_, err = i.repo.Modify(t.Context(), i.quote(t, b.ID, stay(32), rooms{"a": 1, "b": 1, "c": 1}))
	blame.As[*dynastay.TooLargeError](t, err)
	invalidField(t, "Quote", err)
	_, err = i.repo.Modify(t.Context(), i.quote(t, b.ID, stay(31), rooms{"a": 1, "b": 1, "c": 1}))
	require.NoError(t, err)
	plain := i.book(t, stay(32), rooms{"a": 1})
	_, err = i.repo.Modify(t.Context(), i.quote(t, plain.ID, stay(32), rooms{"a": 1, "b": 1, "c": 1}))
	require.NoError(t, err, "without a code, a night more can be returned")
	_, err = i.repo.RecordPayment(t.Context(), charge(plain.ID, "ch_1", "10", bookings.PaymentPaid))
	require.NoError(t, err)
	_, err = i.repo.Cancel(t.Context(), plain.ID, "", []bookings.Refund{refundOf("", "re_1", "10", "")}, dynastay.IdempotencyKey("plain"))
	require.NoError(t, err)
	_, err = i.repo.RecordPayment(t.Context(), charge(b.ID, "ch_1", "10", bookings.PaymentPaid))
	require.NoError(t, err)
	refund := refundOf("", "re_1", "10", bookings.PaymentPending)
	key := dynastay.IdempotencyKey("cancel")
	first, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{refund}, key)
	require.NoError(t, err)
	assert.Empty(t, i.taken(t))

	// A repeated call returns the refunds that the provider must be asked for.
	again, err := i.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{refund}, key)
	require.NoError(t, err)
	require.Len(t, again.Refunds, 1)
	assert.Equal(t, first.Refunds, again.Refunds)
	assert.Equal(t, first.Payment, again.Payment)
}

package world

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/planrule"
	"github.com/dynastay/dynastay/keys"
)

// termsOf returns the payment terms of a booking, whose lines are all under one plan.
func termsOf(b *bookings.Booking) availability.PaymentTerms {
	if plan := b.Lines[0].Plan; plan != nil {
		return plan.Payment
	}
	return availability.PaymentTerms{}
}

// owing reports whether a part of a booking that takes place is due before the arrival and has not been paid.
func owing(b *bookings.Booking) bool {
	return (b.Status == bookings.Confirmed || b.Status == bookings.CheckedIn) && !b.DueAt.IsZero()
}

// checkDue checks when the first part of a booking is due that has not been paid. The summary is nil if nothing is recorded.
// It does not use the instalments of the booking.
func checkDue(t testing.TB, b *bookings.Booking, summary *bookings.PaymentSummary) {
	t.Helper()
	paid, terms := sum(t, b.Total), termsOf(b)
	if summary != nil {
		var err error
		paid, err = summary.Paid.Sub(summary.Refunded)
		require.NoError(t, err)
	}
	reaches := func(times, n int) bool {
		part, err := b.Total.Portion(times, n)
		require.NoError(t, err)
		order, err := paid.Compare(part)
		require.NoError(t, err)
		return order >= 0
	}
	deposit, whole := reaches(int(terms.Percent), 100_00), reaches(1, 1)
	if terms.Nights > 0 {
		require.Len(t, b.Lines, 1, b.ID)
		first, all := 0, 0
		for n, night := range b.Lines[0].Nights {
			minor, err := night.Price.Minor()
			require.NoError(t, err)
			if all += int(minor); n < terms.Nights {
				first += int(minor)
			}
		}
		deposit = reaches(first, all)
	}
	want, date := time.Time{}, b.Stay.CheckIn.AddDays(-terms.RestDays)
	switch late := !b.CreatedAt.Before(localTime(t, b, date, "00:00")); {
	case !deposit, terms.RestDays > 0 && late && !whole:
		want = b.CreatedAt
	case terms.RestDays > 0 && !whole:
		want = localTime(t, b, date.AddDays(1), "00:00")
	}
	assert.True(t, want.Equal(b.DueAt), "%s is due at %s and not at %s: %+v", b.ID, b.DueAt, want, terms)
}

// The payment terms of a world that is large enough to show the shares.
func TestPaymentTerms(t *testing.T) {
	t.Parallel()
	w, hotels := New(Options{Seed: 12, Properties: 2000}), 0
	of := map[string]map[availability.PaymentTerms]int{flex: {}, saver: {}, bb: {}}
	for i := range w.opts.Properties {
		h := w.house(i)
		if len(h.plans) > 0 {
			hotels++
		}
		for _, plan := range h.plans {
			of[plan.ID][plan.Payment]++
		}
	}
	for id, shares := range map[string]map[availability.PaymentTerms]float64{
		flex: {
			{}: 50, {Percent: 20_00, RestDays: 7}: 12.5, {Percent: 20_00, RestDays: 14}: 12.5,
			{Percent: 30_00, RestDays: 7}: 12.5, {Percent: 30_00, RestDays: 14}: 12.5,
		},
		saver: {{Percent: 100_00}: 100},
		bb:    {{}: 70, {Nights: 1}: 30},
	} {
		assert.Len(t, of[id], len(shares), id)
		for terms, share := range shares {
			assert.InDelta(t, share, percent(of[id][terms], hotels), 5, "%s: %+v", id, terms)
		}
	}
}

// The list of what is overdue has exactly the bookings of a world of which a part was due before Now, and a part of others will be
// due later.
func TestOverdueBookings(t *testing.T) {
	t.Parallel()
	w := New(small)
	repo, listed := bookings.New(loaded(t, w).DB, nil), [2][]string{}
	before, after := repo.Overdue(time.Time{}, w.Now()), repo.Overdue(w.Now(), w.Now().AddDate(1, 0, 0))
	for n, list := range []dynastay.List[bookings.Overdue]{before, after} {
		for _, one := range collected(t, list) {
			listed[n] = append(listed[n], one.BookingID)
		}
	}
	overdue, later, paid := []string{}, []string{}, 0
	for h := range w.Hotels() {
		for _, b := range slices.Concat(h.Bookings, h.PastStays) {
			if termsOf(b) != (availability.PaymentTerms{}) && b.PaymentStatus == bookings.PaymentPaid {
				assert.Zero(t, b.DueAt, b.ID)
				paid++
			}
			if owing(b) && b.DueAt.Before(w.Now()) {
				overdue = append(overdue, b.ID)
			} else if owing(b) {
				later = append(later, b.ID)
			}
		}
	}
	assert.ElementsMatch(t, overdue, listed[0])
	assert.ElementsMatch(t, later, listed[1])
	assert.NotEmpty(t, overdue)
	assert.NotEmpty(t, later)
	assert.Positive(t, paid)
}

// withoutTerms removes from an item of a hotel with rate plans what payment terms change, and nothing else.
func withoutTerms(t testing.TB, item dynastay.Item) {
	t.Helper()
	row := dynastay.RowOf(item)
	switch row.Text(keys.AttrEntityType) {
	case "RatePlan":
		delete(item, "Payment")
	case "Booking":
		delete(item, "DueAt")
		index, _ := keys.BookingsTable.Index(keys.HoldIndex)
		if keys.Is[keys.BookingByDue](index.Key.From(row)) { // the row of a hold stays
			delete(item, index.Key.Partition)
			delete(item, index.Key.Sort)
		}
	case "BookingRoom":
		withoutPayment(t, item, "PlanRule")
	}
	card, _ := item[keys.AttrCard].(*types.AttributeValueMemberM)
	if card == nil || card.Value["Rates"] == nil {
		return
	}
	for _, plan := range card.Value["Rates"].(*types.AttributeValueMemberM).Value {
		withoutPayment(t, plan.(*types.AttributeValueMemberM).Value, "T")
	}
}

// withoutPayment removes the payment terms from the terms of a plan, which are one text; there may be none.
func withoutPayment(t testing.TB, item dynastay.Item, name string) {
	t.Helper()
	text := dynastay.RowOf(item).Text(name)
	if text == "" {
		return
	}
	plan, err := planrule.Parse(text)
	require.NoError(t, err)
	plan.Payment = availability.PaymentTerms{}
	text, err = planrule.Text(plan)
	require.NoError(t, err)
	item[name] = dynastay.Text(text)
}

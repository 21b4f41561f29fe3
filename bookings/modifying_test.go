package bookings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// linesOf are the lines of a booking as text: number, plan, rooms, adults and children, price of the first night.
func linesOf(b *bookings.Booking) (all []string) {
	for _, l := range b.Lines {
		plan, party := "-", "-"
		if l.Plan != nil {
			plan = l.Plan.ID
		}
		if l.Party != nil {
			party = fmt.Sprintf("%d+%d", l.Party.Adults, l.Party.Children)
		}
		all = append(all, fmt.Sprintf("%d: %d %s %s %s", l.Number, l.Quantity, plan, party, strings.TrimSuffix(l.Nights[0].Price.String(), " USD")))
	}
	return all
}

// actions counts the actions of the last transaction that was sent, by kind.
func actions(t *testing.T, body []byte) map[string]int {
	t.Helper()
	var sent struct{ TransactItems []map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(body, &sent))
	kinds := map[string]int{}
	for _, action := range sent.TransactItems {
		for kind := range action {
			kinds[kind]++
		}
	}
	return kinds
}

// What a modification makes of lines under plans, what it keeps and what it sends. The booking has one room under flex for
// two adults and one under half for two adults and a child of 4, for three nights. Afterwards flex costs 200 and half 300.
func TestModifyUnderPlans(t *testing.T) {
	t.Parallel()
	inns := newInnWithPlans(t)
	family := withChildren(4)
	longer, shorter := dynastay.MustStay("2026-07-05", "2026-07-09"), dynastay.MustStay("2026-07-05", "2026-07-07")
	for _, test := range []struct {
		name  string
		stay  dynastay.Stay
		want  []under
		lines []string
		total string
		kept  string // five weeks before a deadline of 48 hours, so only of a non-refundable line
		acts  map[string]int
	}{
		// flex: 120; half: 150 + 75 + 10 + 60 for meals = 295
		{"nothing", innStay, []under{{"flex", 1, adults(2)}, {"half", 1, family}}, []string{"1: 1 flex 2+0 120.00", "2: 1 half 2+1 295.00"}, "1245.00", "", nil},
		{"longer", longer, []under{{"flex", 1, adults(2)}, {"half", 1, family}},
			[]string{"1: 1 flex 2+0 120.00", "2: 1 half 2+1 295.00"}, "1965.00", "", // + 200 + 300 + 150 + 10 + 60
			map[string]int{"Update": 1 + 2 + 1, "ConditionCheck": 1}},
		{"shorter", shorter, []under{{"flex", 1, adults(2)}, {"half", 1, family}},
			[]string{"1: 1 flex 2+0 120.00", "2: 1 half 2+1 295.00"}, "830.00", "",
			map[string]int{"Update": 1 + 2 + 1, "ConditionCheck": 2}},
		{"one adult leaves", innStay, []under{{"flex", 1, adults(1)}, {"half", 1, family}},
			[]string{"1: 1 flex 1+0 100.00", "2: 1 half 2+1 295.00"}, "1185.00", "", map[string]int{"Update": 1 + 1}},
		{"a child more", innStay, []under{{"flex", 1, adults(2)}, {"half", 1, withChildren(4, 12)}},
			[]string{"1: 1 flex 2+0 120.00", "2: 1 half 2+2 320.00"}, "1320.00", "", map[string]int{"Update": 1 + 1}},
		{"a room more under flex", innStay, []under{{"flex", 2, adults(2)}, {"half", 1, family}},
			[]string{"1: 1 flex 2+0 120.00", "3: 1 flex 2+0 200.00", "2: 1 half 2+1 295.00"}, "1845.00", "",
			map[string]int{"Update": 1 + 3, "Put": 1}},
		{"a room without a plan", innStay, []under{{"", 1, adults(1)}, {"flex", 1, adults(2)}, {"half", 1, family}},
			[]string{"3: 1 - 1+0 100.00", "1: 1 flex 2+0 120.00", "2: 1 half 2+1 295.00"}, "1545.00", "",
			map[string]int{"Update": 1 + 3, "Put": 1}},
		{"flex dropped", innStay, []under{{"half", 1, family}}, []string{"2: 1 half 2+1 295.00"}, "885.00", "",
			map[string]int{"Update": 1 + 3, "Delete": 1}},
		{"half becomes flex", innStay, []under{{"flex", 2, adults(2)}},
			[]string{"1: 1 flex 2+0 120.00", "2: 1 flex 2+0 200.00"}, "960.00", "", map[string]int{"Update": 1 + 1, "ConditionCheck": 3}},
		{"flex becomes nonref", innStay, []under{{"nonref", 1, adults(2)}, {"half", 1, family}},
			[]string{"2: 1 half 2+1 295.00", "1: 1 nonref 2+0 180.00"}, "1425.00", "", map[string]int{"Update": 1 + 1, "ConditionCheck": 3}},
		{"one plan for both, fewer rooms", innStay, []under{{"nonref", 1, adults(1)}},
			[]string{"1: 1 nonref 1+0 160.00"}, "480.00", "", map[string]int{"Update": 1 + 3 + 1, "Delete": 1}},
		{"without plans", innStay, []under{{"", 2, adults(2)}},
			[]string{"1: 1 - 2+0 100.00", "2: 1 - 2+0 100.00"}, "600.00", "", map[string]int{"Update": 1 + 2, "ConditionCheck": 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.nextWithPlans(t)
			before := i.bookPlans(t, innStay, under{"flex", 1, adults(2)}, under{"half", 1, family})
			i.price(t, 200, 300)
			m, err := i.repo.QuoteModification(t.Context(), before.ID, i.requestUnder(test.stay, test.want...))
			require.NoError(t, err)
			assert.Equal(t, test.total, strings.TrimSuffix(m.Quote.Total.String(), " USD"))
			assert.False(t, m.Kept.IsSet())
			stop := i.Faults.Record()
			got, err := i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
			requests := stop()
			assert.Equal(t, test.lines, linesOf(got.Booking))
			if test.acts == nil {
				assert.Len(t, requests, 1, "only the read")
			} else {
				assert.Equal(t, test.acts, actions(t, requests[len(requests)-1].Body))
			}
			after, err := i.repo.Get(t.Context(), before.ID, dynastay.Consistent)
			require.NoError(t, err)
			assert.ElementsMatch(t, after.Lines, got.Booking.Lines)
			n := 0
			for _, w := range test.want {
				n += w.rooms
			}
			assert.Equal(t, takenBy(test.stay, rooms{"a": n}), i.taken(t))
			c, err := i.repo.Cancel(t.Context(), before.ID, "", nil)
			require.NoError(t, err)
			assert.Empty(t, c.Missing)
			assert.Empty(t, i.taken(t), "a cancellation returns all lines")
		})
	}
}

// A number is never used again, and is kept when other lines go.
func TestLineNumbers(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"flex", 1, adults(1)}, under{"flex", 1, adults(2)}, under{"half", 1, adults(1)})
	modify := func(want ...under) *bookings.Booking {
		t.Helper()
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, want...))
		require.NoError(t, err)
		got, err := i.repo.Modify(t.Context(), m)
		require.NoError(t, err)
		return got.Booking
	}
	assert.Equal(t, []string{"2: 1 flex 2+0 120.00"}, linesOf(modify(under{"flex", 1, adults(2)})))
	got := modify(under{"flex", 1, adults(2)}, under{"half", 1, adults(1)})
	assert.Equal(t, []string{"2: 1 flex 2+0 120.00", "4: 1 half 1+0 180.00"}, linesOf(got))
	assert.Equal(t, 4, got.LastLine)

	setBooking(t, i.DB, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "METADATA"}, "LastLine", dynastay.Number(99))
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, under{"flex", 2, adults(2)}, under{"half", 1, adults(1)}))
	require.NoError(t, err)
	_, err = i.repo.Modify(t.Context(), m)
	blame.Invalid(t, err, "Quote.Lines[1]")
}

// What guests could gain by changing a booking, and do not.
func TestAbusesOfPlans(t *testing.T) {
	t.Parallel()
	inns := newInnWithPlans(t)
	month := dynastay.MustStay("2026-07-05", "2026-08-02") // 28 nights
	for _, test := range []struct {
		name         string
		book         under
		policy       availability.CancellationPolicy // of long
		stay, change dynastay.Stay
		want         under
		before       string
		total, kept  string
	}{
		{"28 nights at 30 % less, shortened to 3", under{"long", 1, adults(1)}, availability.FreeCancellation(48), month, innStay, under{"long", 1, adults(1)},
			"1960", "300", ""},
		{"the same, non-refundable: not more than the whole stay", under{"long", 1, adults(1)}, availability.NonRefundable, month, innStay, under{"long", 1, adults(1)},
			"1960", "300", "1660"},
		{"a free night, without the nights that it was for", under{"long", 1, adults(1)}, availability.FreeCancellation(48), dynastay.MustStay("2026-07-05", "2026-07-09"), innStay, under{"long", 1, adults(1)},
			"300", "300", ""},
		{"a long stay made from a short one, non-refundable", under{"long", 1, adults(1)}, availability.NonRefundable, innStay, month, under{"long", 1, adults(1)},
			"300", "1960", ""},
		{"a guest more in a single room", under{"flex", 1, adults(1)}, "", innStay, innStay, under{"flex", 1, adults(2)}, "300", "360", ""},
		{"a guest less, non-refundable", under{"nonref", 1, adults(2)}, "", innStay, innStay, under{"nonref", 1, adults(1)}, "324", "264", "60"},
		{"non-refundable becomes flexible", under{"nonref", 1, adults(2)}, "", innStay, innStay, under{"flex", 1, adults(2)}, "324", "360", "324"},
		{"flexible becomes non-refundable", under{"flex", 1, adults(2)}, "", innStay, innStay, under{"nonref", 1, adults(2)}, "360", "324", ""},
		{"a room less of two, non-refundable", under{"nonref", 2, adults(2)}, "", innStay, innStay, under{"nonref", 1, adults(2)}, "648", "324", "324"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.nextWithPlans(t)
			i.openAlso(t, dynastay.Stay{CheckIn: innNights.CheckOut, CheckOut: month.CheckOut})
			req := i.requestUnder(test.stay, test.book)
			if test.policy != "" {
				req.RatePlans[2].CancellationPolicy = test.policy
			}
			q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
			require.NoError(t, err)
			b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
			require.NoError(t, err)
			assert.Equal(t, dollarsOf(test.before), b.Total)
			m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(test.change, test.want))
			require.NoError(t, err)
			want := dynastay.Money{}
			if test.kept != "" {
				want = dollarsOf(test.kept)
			}
			assert.Equal(t, []dynastay.Money{dollarsOf(test.total), want}, []dynastay.Money{m.Quote.Total, m.Kept})
			_, err = i.repo.Modify(t.Context(), m)
			require.NoError(t, err)
		})
	}
}

// A quote of spring is not sold in autumn: nothing asserts the terms of its plan.
func TestOldQuotesUnderPlans(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	patient := bookings.New(i.DB.DB, &bookings.Options{QuotesFor: availability.MaxQuoteAge})
	create := func(repo *bookings.Repository, q *availability.Quote) error {
		_, err := repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
		return err
	}
	planned, party := i.quoteUnder(t, innStay, under{"flex", 1, adults(2)}), i.quoteUnder(t, innStay, under{"", 1, adults(2)})
	plain, err := availability.New(i.DB.DB).Quote(t.Context(), i.request(innStay, rooms{"a": 1}))
	require.NoError(t, err)
	b := i.book(t, innStay, rooms{"b": 1})
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, under{"flex", 1, adults(2)}))
	require.NoError(t, err)

	i.Clock.Set(innNoon.Add(24*time.Hour - time.Millisecond))
	require.NoError(t, create(i.repo, planned))
	i.Clock.Set(innNoon.Add(24 * time.Hour))
	for _, q := range []*availability.Quote{planned, party} {
		err := create(i.repo, q)
		require.ErrorIs(t, err, bookings.ErrOldQuote)
		blame.Invalid(t, err, "Quote.At")
	}
	_, err = i.repo.Modify(t.Context(), m)
	require.ErrorIs(t, err, bookings.ErrOldQuote)
	require.NoError(t, create(i.repo, plain))
	require.NoError(t, create(patient, planned))
	for name, age := range map[string]time.Duration{"negative": -1, "too long": availability.MaxQuoteAge + 1} {
		assert.Panics(t, func() { bookings.New(i.DB.DB, &bookings.Options{QuotesFor: age}) }, name)
	}

	advent := dynastay.MustStay("2026-12-18", "2026-12-20")
	i.openAlso(t, advent)
	i.Clock.Set(time.Date(2026, 4, 10, 12, 0, 0, 0, time.UTC))
	spring := i.quoteUnder(t, advent, under{"flex", 1, adults(2)})
	i.Clock.Set(time.Date(2026, 10, 10, 12, 0, 0, 0, time.UTC))
	require.ErrorIs(t, create(i.repo, spring), bookings.ErrOldQuote)
	require.ErrorIs(t, create(patient, spring), bookings.ErrOldQuote)
	autumn := i.quoteUnder(t, advent, under{"flex", 1, adults(2)})
	assert.Equal(t, spring.Lines, autumn.Lines, "all that a sale compares")
	require.NoError(t, create(i.repo, autumn))
}

// An early booker who stays a night longer keeps the discount, and meets the condition: the days ahead count from the
// booking.
func TestDaysAheadCountFromTheBooking(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	i.Clock.Set(innNoon.AddDate(0, 0, -30)) // 34 days before the check-in
	req := i.requestUnder(innStay, under{"flex", 1, adults(2)})
	req.RatePlans[0].Discounts.Early = []availability.DaysDiscount{{Days: 30, Percent: 10_00}}
	req.RatePlans[0].Conditions.MinDaysAhead = 30
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	i.Clock.Set(innNoon)
	for _, test := range []struct {
		stay  dynastay.Stay
		total string
	}{
		{dynastay.MustStay("2026-07-05", "2026-07-09"), "432"},
		{dynastay.MustStay("2026-07-06", "2026-07-09"), "324"},
		{dynastay.MustStay("2026-07-04", "2026-07-06"), "216"}, // 33 days after the booking
	} {
		m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(test.stay, under{"flex", 1, adults(2)}))
		require.NoError(t, err)
		assert.Equal(t, dollarsOf(test.total), m.Quote.Total, test.stay)
	}
}

// A plan that is stopped is not sold to a booking that changes to it, and nothing else is stopped.
func TestChangeToAStoppedPlan(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"nonref", 1, adults(2)})
	toFlex, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, under{"flex", 1, adults(2)}))
	require.NoError(t, err)
	toHalf, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, under{"half", 1, adults(2)}))
	require.NoError(t, err)
	last := innStay.LastNight()
	stopped := rates(120, 150, dynastay.Item{"S": &types.AttributeValueMemberBOOL{Value: true}})
	change(t, i.DB, nightKey(i.roomType("a"), last), "Rates = :v", dynastay.Item{":v": stopped})
	_, err = i.repo.Modify(t.Context(), toFlex)
	assert.Equal(t, []availability.RefusedNight{{RoomTypeID: i.roomType("a"), RatePlanID: "flex", Date: last, Reason: availability.StopSell}},
		blame.As[*bookings.Refused](t, err).Nights)
	_, err = i.repo.Modify(t.Context(), toHalf)
	require.NoError(t, err)
}

// Guests who have checked in keep their lines, and may change who stays; rooms are assigned line by line.
func TestPlansOfGuestsWhoAreThere(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"flex", 2, adults(1)}, under{"half", 1, adults(2)})
	i.Clock.Set(innStay.CheckIn.Time().Add(15 * time.Hour))
	_, err := i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {"301", "302"}})
	blame.Invalid(t, err, "Rooms["+i.roomType("a")+"]")
	b, err = i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {"301", "302", "401"}})
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"301", "302"}, {"401"}}, [][]string{b.Lines[0].RoomIDs, b.Lines[1].RoomIDs})
	read, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, b, read)

	for _, want := range [][]under{
		{{"flex", 1, adults(1)}, {"flex", 1, adults(2)}, {"half", 1, adults(2)}},
		{{"flex", 1, adults(1)}, {"half", 2, adults(2)}},
	} {
		_, err = i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innStay, want...))
		blame.Invalid(t, err, "Rooms")
	}
	req := i.requestUnder(innStay, under{"flex", 2, adults(2)}, under{"half", 1, adults(1)})
	m, err := i.repo.QuoteModification(t.Context(), b.ID, req)
	require.NoError(t, err)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []string{"1: 2 flex 2+0 120.00", "2: 1 half 1+0 180.00"}, linesOf(got.Booking))
	assert.Equal(t, [][]string{{"301", "302"}, {"401"}}, [][]string{got.Booking.Lines[0].RoomIDs, got.Booking.Lines[1].RoomIDs})
	back, err := i.repo.UndoCheckIn(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Nil(t, back.Lines[1].RoomIDs)
	read, err = i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, back, read)
}

// A line without a plan could get more rooms, at the expense of another line. The rooms that are assigned are those of lines.
func TestGuestsKeepTheRoomsOfALine(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	ask := func(plain, long int) availability.QuoteRequest {
		req := i.request(innStay, rooms{"a": plain})
		req.Guests.Adults, req.RatePlans = plain+long, i.plans()
		room := req.Rooms[0]
		room.Quantity, room.RatePlanID = long, "long"
		req.Rooms = append(req.Rooms, room)
		return req
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), ask(1, 2))
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, ask(2, 1))
	require.NoError(t, err)
	i.Clock.Set(innStay.CheckIn.Time().Add(15 * time.Hour))
	_, err = i.repo.CheckIn(t.Context(), b.ID, bookings.Assigned{i.roomType("a"): {"301", "302", "303"}})
	require.NoError(t, err)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, ask(2, 1))
	blame.Invalid(t, err, "Rooms")
	m.Version++
	m.Quote.At = i.DB.Now()
	_, err = i.repo.Modify(t.Context(), m)
	blame.Invalid(t, err, "Quote.Lines")
}

// A no-show's rooms of all lines are returned at once, and taken again.
func TestNoShowWithSeveralLines(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"flex", 2, adults(1)}, under{"half", 1, adults(2)})
	i.Clock.Set(innStay.CheckIn.AddDays(1).Time().Add(time.Hour))
	_, err := i.repo.NoShow(t.Context(), b.ID)
	require.NoError(t, err)
	_, err = i.repo.Release(t.Context(), b.ID)
	require.NoError(t, err)
	first := dynastay.Stay{CheckIn: innStay.CheckIn, CheckOut: innStay.CheckIn.AddDays(1)}
	assert.Equal(t, takenBy(first, rooms{"a": 3}), i.taken(t))
	_, err = i.repo.Reinstate(t.Context(), b.ID)
	require.NoError(t, err)
	assert.Equal(t, takenBy(innStay, rooms{"a": 3}), i.taken(t))
}

// The input of an idempotency key has the plan and the party, so that a retry cannot get others.
func TestKeysOfBookingsUnderPlans(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	key := dynastay.IdempotencyKey("once")
	book := func(want under) error {
		q := i.quoteUnder(t, innStay, want)
		for n := range q.Lines[0].Nights { // all at the same price
			q.Lines[0].Nights[n].Price = dollarsOf("100")
		}
		q.Lines[0].Subtotal, q.Total = dollarsOf("300"), dollarsOf("300")
		q.Lines[0].CancellationPolicy = availability.NonRefundable
		_, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest}, key)
		return err
	}
	require.NoError(t, book(under{"half", 1, withChildren(4)}))
	require.NoError(t, book(under{"half", 1, withChildren(4)}))
	for _, other := range []under{{"half", 1, withChildren(5)}, {"flex", 1, withChildren(4)}, {"", 1, withChildren(4)}} {
		require.ErrorIs(t, book(other), dynastay.ErrIdempotencyMismatch, other)
	}
	assert.Equal(t, takenBy(innStay, rooms{"a": 1}), i.taken(t))
}

// What the property keeps of lines under plans: what the nights that stay cost less than before counts as given up, unless
// nights are added, and what they cost more is set against it.
func TestWhatIsGivenUpUnderPlans(t *testing.T) {
	t.Parallel()
	inns := newInnWithPlans(t)
	month := dynastay.MustStay("2026-07-05", "2026-07-17") // 12 nights at 70
	ten, nine := dynastay.MustStay("2026-07-05", "2026-07-15"), dynastay.MustStay("2026-07-05", "2026-07-14")
	for _, test := range []struct {
		name         string
		book         under
		stay, change dynastay.Stay
		want         under
		total, kept  string
	}{
		{"one night less, and no discount", under{"long", 1, adults(1)}, ten, nine, under{"long", 1, adults(1)}, "700", ""}, // two of nine free
		{"moved, and no discount", under{"long", 1, adults(1)}, month, dynastay.MustStay("2026-07-16", "2026-07-18"), under{"long", 1, adults(1)}, "200", "740"},
		{"a room and a guest less", under{"nonref", 2, adults(2)}, innStay, innStay, under{"nonref", 1, adults(1)}, "264", "384"},
		{"a guest less, and a night more", under{"nonref", 1, adults(2)}, innStay, dynastay.MustStay("2026-07-05", "2026-07-09"), under{"nonref", 1, adults(1)}, "352", ""},
		{"a guest more, and a night less", under{"nonref", 1, adults(1)}, innStay, dynastay.MustStay("2026-07-05", "2026-07-07"), under{"nonref", 1, adults(2)}, "216", "48"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := inns.nextWithPlans(t)
			req := i.requestUnder(test.stay, test.book)
			req.RatePlans[2].CancellationPolicy = availability.NonRefundable
			q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
			require.NoError(t, err)
			b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
			require.NoError(t, err)
			m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(test.change, test.want))
			require.NoError(t, err)
			want := dynastay.Money{}
			if test.kept != "" {
				want = dollarsOf(test.kept)
			}
			assert.Equal(t, []dynastay.Money{dollarsOf(test.total), want}, []dynastay.Money{m.Quote.Total, m.Kept})
		})
	}
}

// A line that loses its discount costs more than it gives up. That is not set against what another line gives up.
func TestDearerLinePaysForNoOther(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	all := []under{{"long", 1, adults(1)}, {"nonref", 1, adults(2)}}
	req := i.requestUnder(dynastay.MustStay("2026-07-05", "2026-07-15"), all...)
	req.RatePlans[2].CancellationPolicy, req.RatePlans[2].Discounts.FreeNight = availability.NonRefundable, 0
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("1780"), b.Total) // ten nights at 70, and at 108
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(dynastay.MustStay("2026-07-05", "2026-07-14"), all...))
	require.NoError(t, err)
	assert.Equal(t, []dynastay.Money{dollarsOf("1872"), dollarsOf("108")}, []dynastay.Money{m.Quote.Total, m.Kept}) // nine at 100, and at 108
}

// Five lines of one room type are returned with one action for each night, so twenty nights are not too many.
func TestManyLinesOfAMonth(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	all := []under{{"flex", 1, adults(1)}, {"flex", 1, adults(2)}, {"half", 1, adults(1)}, {"half", 1, adults(2)}, {"nonref", 1, adults(1)}}
	b := i.bookPlans(t, innNights, all...)
	all[4].party = adults(2)
	m, err := i.repo.QuoteModification(t.Context(), b.ID, i.requestUnder(innNights, all...))
	require.NoError(t, err)
	got, err := i.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []string{"1: 1 flex 1+0 100.00", "2: 1 flex 2+0 120.00", "3: 1 half 1+0 180.00", "4: 1 half 2+0 285.00", "5: 1 nonref 2+0 108.00"}, linesOf(got.Booking))
	_, err = i.repo.Cancel(t.Context(), b.ID, "", nil)
	require.NoError(t, err)
	assert.Empty(t, i.taken(t))
}

// Who booked early keeps the discount for that. Rooms that are added are late.
func TestAddedRoomsAreLate(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	early := func(req availability.QuoteRequest) availability.QuoteRequest {
		req.RatePlans[0].Conditions.MinDaysAhead = 3
		req.RatePlans[0].Discounts.Early = []availability.DaysDiscount{{Days: 4, Percent: 10_00}}
		return req
	}
	q, err := availability.New(i.DB.DB).Quote(t.Context(), early(i.requestUnder(innStay, under{"flex", 1, adults(2)})))
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("324"), b.Total)

	i.Clock.Set(innStay.CheckIn.Time().Add(-12 * time.Hour))
	later := dynastay.MustStay("2026-07-06", "2026-07-10")
	m, err := i.repo.QuoteModification(t.Context(), b.ID, early(i.requestUnder(later, under{"flex", 1, adults(2)})))
	require.NoError(t, err)
	assert.Equal(t, dollarsOf("432"), m.Quote.Total)
	_, err = i.repo.QuoteModification(t.Context(), b.ID, early(i.requestUnder(later, under{"flex", 2, adults(2)})))
	assert.Equal(t, []availability.RefusedNight{
		{RoomTypeID: i.roomType("a"), RatePlanID: "flex", Date: later.CheckIn, Reason: availability.TooLate, Days: 3},
	}, blame.As[*bookings.Refused](t, err).Nights)
}

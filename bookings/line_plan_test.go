package bookings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
)

// Two nights of three lines of one room type, as they are stored.
func TestLinesUnderPlans(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	stay := dynastay.MustStay("2026-07-05", "2026-07-07")
	var b *bookings.Booking
	spent := i.Measure(func() {
		b = i.bookPlans(t, stay, under{"flex", 1, adults(2)}, under{"half", 2, withChildren(4, 12)}, under{"flex", 1, adults(1)})
	})
	assert.Equal(t, 2, spent.Requests, "the quote and the booking")
	assert.Equal(t, 3, b.LastLine)
	assert.Equal(t, 4, b.Rooms)

	line := func(more map[string]any) map[string]any {
		all := map[string]any{
			"EntityType": "BookingRoom", "BookingId": b.ID, "RoomTypeId": i.roomType("a"), "RoomName": "Room a", "Quantity": 1.0,
			"PK": "BOOKING#" + b.ID, "CancellationPolicy": "free_cancellation_48h",
		}
		for name, v := range more {
			all[name] = v
		}
		return all
	}
	nights := func(price float64) map[string]any { return map[string]any{"2026-07-05": price, "2026-07-06": price} }
	items := map[string]map[string]any{}
	for _, item := range raw.Partition(t, i.DB, keys.BookingsTable, "BOOKING#"+b.ID) {
		items[keys.BookingsTable.Key.From(dynastay.RowOf(item)).SK] = raw.Plain(t, item)
	}
	sk := "ROOM#" + i.roomType("a")
	assert.Equal(t, line(map[string]any{
		"SK": sk, "RatePlanId": "flex", "RatePlanName": "Plan flex", "PlanRule": items[sk]["PlanRule"], "Adults": 1.0,
		"NightlyPrices": nights(100), "SourcePrices": nights(120), "PricePerNight": 100.0, "Subtotal": 200.0,
	}), items[sk])
	assert.Equal(t, line(map[string]any{
		"SK": sk + "#LINE#02", "RatePlanId": "flex", "RatePlanName": "Plan flex", "PlanRule": items[sk]["PlanRule"], "Adults": 2.0,
		"NightlyPrices": nights(120), "PricePerNight": 120.0, "Subtotal": 240.0,
	}), items[sk+"#LINE#02"])
	// 150 for the first adult, 75 for the second, 10 for each child; 30 for the meals of each adult, 15 for those of one child.
	assert.Equal(t, line(map[string]any{
		"SK": sk + "#LINE#03", "RatePlanId": "half", "RatePlanName": "Plan half", "PlanRule": items[sk+"#LINE#03"]["PlanRule"], "MealPlan": "half_board",
		"Adults": 2.0, "Children": 2.0, "ChildAges": []any{4.0, 12.0}, "Quantity": 2.0,
		"NightlyPrices": nights(320), "SourcePrices": nights(150), "MealPrice": 75.0, "PricePerNight": 320.0, "Subtotal": 1280.0,
	}), items[sk+"#LINE#03"])
}

// A booking is the same from Create, Get, its reference and its stream, and its lines have everything of the quote but the
// steps.
func TestBookingUnderPlansIsWholeEverywhere(t *testing.T) {
	t.Parallel()
	i := follow(t).inn
	i.price(t, 120, 150)
	q := i.quoteUnder(t, innStay, under{"flex", 1, adults(2)}, under{"nonref", 1, adults(1)}, under{"long", 1, adults(1)}, under{"half", 1, withChildren(4, 12)}, under{"", 1, adults(1)})
	made, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	read, err := i.repo.Get(t.Context(), made.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
	found, err := i.repo.ByReference(t.Context(), made.Reference)
	require.NoError(t, err)
	assert.Equal(t, made, found)
	require.Len(t, read.Lines, 5)
	for n, line := range read.Lines {
		want := q.Clone().Lines[n]
		want.Number = n + 1
		for night := range want.Nights {
			want.Nights[night].Steps = nil
		}
		assert.Equal(t, want, line.Line)
	}
	for key, history := range streamtest.Histories(t, i.DB, keys.BookingsTable, i.repo.Changes().Lines) {
		require.Len(t, history, 1, key)
		n := history[0].Number - 1
		assert.Equal(t, read.Lines[n].Party, history[0].Party)
		plan := read.Lines[n].Plan
		if plan != nil {
			plan.PropertyID = ""
		}
		assert.Equal(t, plan, history[0].Plan)
	}
}

// A line without plan and party is stored as it always was, also as a further line, and has a number only there.
func TestLinesWithoutPlansHaveNoMore(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.book(t, innStay, rooms{"a": 2, "b": 1})
	assert.Equal(t, []int{0, 0, 0}, []int{b.Lines[0].Number, b.Lines[1].Number, b.LastLine})
	for _, item := range raw.Partition(t, i.DB, keys.BookingsTable, "BOOKING#"+b.ID) {
		for _, name := range []string{"LastLine", "RatePlanId", "PlanRule", "Adults", "SourcePrices", "MealPrice"} {
			assert.NotContains(t, item, name)
		}
	}
}

// A line under a plan with everything, of 14 nights, is below 1 KB: it costs no more than one without a plan.
func TestSizeOfLines(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	stay := dynastay.MustStay("2026-07-02", "2026-07-16")
	b := i.bookPlans(t, stay, under{"half", 1, withChildren(4, 12)})
	item := raw.Get(t, i.DB, keys.BookingsTable, dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")})
	size := stored.Size(item)
	assert.Less(t, size, 1024)
	assert.Greater(t, size, 800, "the comment says so")
}

// What other software may have stored of a plan and a party.
func TestForeignLinesUnderPlans(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, attribute string
		v               any
		field           string // "" if it can be read
	}{
		{"no rule", "PlanRule", nil, ""},
		{"no name", "RatePlanName", nil, ""},
		{"no source", "SourcePrices", nil, ""},
		{"a rule that is none", "PlanRule", "flex", "PlanRule"},
		{"an age that is text", "ChildAges", []any{"4"}, "ChildAges"},
		{"ages that are text", "ChildAges", "4, 12", "ChildAges"},
		{"half an age", "ChildAges", []any{4.5}, "ChildAges"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			i := newInnWithPlans(t)
			b := i.bookPlans(t, innStay, under{"half", 1, withChildren(4, 12)})
			at := dynastay.Key{PK: "BOOKING#" + b.ID, SK: "ROOM#" + i.roomType("a")}
			item := raw.Get(t, i.DB, keys.BookingsTable, at)
			if delete(item, test.attribute); test.v != nil {
				item[test.attribute] = raw.Item(t, map[string]any{"v": test.v})["v"]
			}
			raw.Put(t, i.DB, keys.BookingsTable, item)
			got, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
			if test.field != "" {
				var failed *dynastay.Error
				require.ErrorAs(t, err, &failed)
				require.ErrorIs(t, err, dynastay.ErrCorrupt)
				assert.Equal(t, test.field, failed.Field)
				return
			}
			require.NoError(t, err)
			line := got.Lines[0]
			assert.Equal(t, "half", line.Plan.ID)
			assert.Equal(t, availability.HalfBoard, line.Plan.Meals.Plan)
			assert.True(t, line.Nights[0].Source.IsSet())
		})
	}
}

// Erasure removes the ages of children, and keeps their numbers and every price.
func TestErasureRemovesAges(t *testing.T) {
	t.Parallel()
	i := newInnWithPlans(t)
	b := i.bookPlans(t, innStay, under{"half", 1, withChildren(4, 12)}, under{"flex", 1, adults(1)})
	i.Clock.Set(innStay.CheckOut.Time().Add(48 * time.Hour))
	_, err := i.repo.CheckIn(t.Context(), b.ID, nil)
	require.Error(t, err, "the stay is over")
	_, err = i.repo.Eraser(bookings.RefuseUpcoming).Erase(t.Context(), "user_456")
	require.NoError(t, err)
	after, err := i.repo.Get(t.Context(), b.ID, dynastay.Consistent)
	require.NoError(t, err)
	want := b.Lines
	for n := range want {
		if want[n].Party.Children > 0 {
			want[n].Party.ChildAges = nil
		}
	}
	assert.Equal(t, want, after.Lines)
	for _, item := range raw.Partition(t, i.DB, keys.BookingsTable, "BOOKING#"+b.ID) {
		assert.NotContains(t, item, "ChildAges")
	}
}

package availability_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

// elsewhere is a night of a different property.
var elsewhere = dynastay.Item{"PropertyId": dynastay.Text("prop_other"), "GSI1PK": dynastay.Text("PROPERTY#prop_other")}

// drawNight returns a night with anything that decides about a sale, each with a chance of one in odds, or nil for a
// night that was never opened.
func drawNight(t *rapid.T, roomTypeID, date string, odds int) dynastay.Item {
	if chance(t, odds, "not open") {
		return nil
	}
	more := dynastay.Item{"AvailableRooms": dynastay.Number(rapid.SampledFrom([]int{-2, 0, 1, 2, 3, 4, 5, 6, 6}).Draw(t, "left"))}
	for _, attribute := range []string{"IsBlocked", "PropertyClosed", "ClosedToArrival", "ClosedToDeparture"} {
		if chance(t, odds, attribute) {
			more[attribute] = yes
		}
	}
	for _, attribute := range []string{"MinStay", "MaxStay"} {
		if chance(t, odds, attribute) {
			more[attribute] = dynastay.Number(uniform(t, 1, 4, attribute))
		}
	}
	prices := []string{"0", "0.1", "99.99", "280", "280", "280"}
	if chance(t, odds, "bad price") {
		prices = []string{"0.001", "-1"}
	}
	more["PricePerNight"] = number(rapid.SampledFrom(prices).Draw(t, "price"))
	if chance(t, odds, "elsewhere") {
		maps.Copy(more, elsewhere)
	}
	return night(roomTypeID, date, indexed(date, roomTypeID), more)
}

// From the same nights, QuoteOf creates the same quote as Quote, or fails with the same error, however the nights were
// read. It agrees with the number of rooms left.
func TestQuoteOfIsQuote(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		stay := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(uniform(t, 1, 3, "nights"))}
		odds := rapid.SampledFrom([]int{15, 60}).Draw(t, "odds")
		var ids []string
		for i := range uniform(t, 1, 3, "room types") {
			id := fmt.Sprintf("room_%d_%d", run, i)
			ids = append(ids, id)
			for date := range stay.Dates() {
				if item := drawNight(t, id, date.String(), odds); item != nil {
					putNights(t, db, item)
				}
			}
		}
		checks := make([]availability.CheckRequest, len(ids))
		roomTypes := rapid.SampledFrom([]int{0, 100}).Draw(t, "room types of the property")
		for i, id := range rapid.Permutation(ids).Draw(t, "checked") {
			checks[i] = availability.CheckRequest{PropertyID: propertyID, RoomTypeID: id, Rooms: uniform(t, 1, 4, "rooms asked about"), RoomTypes: roomTypes}
		}
		checked, err := repo.CheckAll(context.Background(), checks, stay)
		require.NoError(t, err)

		req := request(stay)
		req.Overbook = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "overbook")
		for range uniform(t, 1, 3, "entries") {
			req.Rooms = append(req.Rooms, room(rapid.SampledFrom(ids).Draw(t, "room type"), uniform(t, 1, 3, "rooms")))
		}
		want, wantErr := repo.Quote(context.Background(), req)
		got, err := quietly(t, db, func() (*availability.Quote, error) { return repo.QuoteOf(req, checked) })
		require.Equal(t, want, got)
		require.Equal(t, wantErr, err)
		for _, a := range checked {
			requireLeft(t, repo, a)
		}
	})
}

// requireLeft requires that so many rooms are left as can be quoted.
func requireLeft(t *rapid.T, repo *availability.Repository, a availability.Availability) {
	for rooms := 1; rooms <= 7; rooms++ {
		_, err := repo.QuoteOf(request(a.Stay, room(a.RoomTypeID, rooms)), []availability.Availability{a})
		var refused *availability.Refused
		if rooms <= a.Left() {
			require.NotErrorAs(t, err, &refused, "%d rooms of %+v", rooms, a)
		} else {
			require.ErrorAs(t, err, &refused, "%d rooms of %+v", rooms, a)
		}
	}
}

// quietly requires that quote sends no request.
func quietly(t require.TestingT, db *dyntest.DB, quote func() (*availability.Quote, error)) (*availability.Quote, error) {
	stop := db.Faults.Record()
	q, err := quote()
	require.Empty(t, stop())
	return q, err
}

func TestQuoteOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		item    dynastay.Item // of the second night of room_b
		reason  availability.Reason
		corrupt bool
		total   string
	}{
		"quoted":              {total: "2520.00 USD"},
		"free of charge":      {item: dynastay.Item{"PricePerNight": number("0")}, total: "1960.00 USD"},
		"overbooked":          {item: dynastay.Item{"AvailableRooms": dynastay.Number(1)}, total: "2520.00 USD"},
		"sold out":            {item: dynastay.Item{"AvailableRooms": dynastay.Number(0)}, reason: availability.SoldOut},
		"stop-sell":           {item: dynastay.Item{"IsBlocked": yes}, reason: availability.StopSell},
		"other property":      {item: elsewhere, reason: availability.NotOnSale},
		"different currency":  {item: dynastay.Item{"Currency": dynastay.Text("EUR")}, reason: availability.OtherCurrency},
		"price not in cents":  {item: dynastay.Item{"PricePerNight": number("0.001")}, corrupt: true},
		"negative price":      {item: dynastay.Item{"PricePerNight": number("-1")}, corrupt: true},
		"an unreadable night": {item: dynastay.Item{"MinStay": dynastay.Text("two")}, reason: availability.NotOnSale},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			var checks []availability.CheckRequest
			for _, id := range []string{"room_c", "room_b", "room_a"} {
				for date := range stay.Dates() {
					putNights(t, db, night(id, date.String(), indexed(date.String(), id)))
				}
				checks = append(checks, availability.CheckRequest{PropertyID: propertyID, RoomTypeID: id, Rooms: 1})
			}
			putNights(t, db, night("room_b", "2026-07-11", indexed("2026-07-11", "room_b"), test.item))
			checked, _ := repo.CheckAll(t.Context(), checks, stay)
			require.Len(t, checked, 3)

			req := request(stay, room("room_b", 1), room("room_a", 1), room("room_b", 1))
			req.Overbook = 1
			q, err := repo.QuoteOf(req, checked)
			var refused *availability.Refused
			switch {
			case test.corrupt:
				assertKind(t, err, dynastay.ErrCorrupt, "")
				assert.ErrorContains(t, err, "room_b")
			case test.reason != "":
				require.ErrorAs(t, err, &refused)
				require.Len(t, refused.Nights, 1)
				assert.Equal(t, "2026-07-11 "+string(test.reason), refused.Nights[0].String())
			default:
				require.NoError(t, err)
				assert.Equal(t, test.total, q.Total.String())
				assert.NoError(t, q.Validate())
				if name == "overbooked" {
					assert.Equal(t, dates("2026-07-11"), q.Lines[1].Overbooked)
				}
			}
			if err != nil {
				assert.Nil(t, q)
			}
		})
	}
}

// Nights of anything other than what is requested are the caller's mistake.
func TestQuoteOfRefusesOtherNights(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	for date := range stay.Dates() {
		putNights(t, db, night("room_a", date.String()), night("room_b", date.String()))
	}
	var good []availability.Availability
	for _, id := range []string{"room_a", "room_b"} {
		a, err := repo.Check(t.Context(), propertyID, id, 1, stay)
		require.NoError(t, err)
		good = append(good, a)
	}
	stop := db.Faults.Record()
	for name, test := range map[string]struct {
		field string
		edit  func([]availability.Availability) []availability.Availability
	}{
		"none":    {"Checked", func([]availability.Availability) []availability.Availability { return nil }},
		"missing": {"Checked", func(all []availability.Availability) []availability.Availability { return all[:1] }},
		"other property": {"Checked[1].PropertyID", func(all []availability.Availability) []availability.Availability {
			all[1].PropertyID = "prop_other"
			return all
		}},
		"later": {"Checked[0].Stay", func(all []availability.Availability) []availability.Availability {
			all[0].Stay.CheckIn = all[0].Stay.CheckIn.AddDays(1)
			return all
		}},
		"shorter": {"Checked[1].Stay", func(all []availability.Availability) []availability.Availability {
			all[1].Stay.CheckOut = all[1].Stay.CheckOut.AddDays(-1)
			return all
		}},
		"no stay": {"Checked[1].Stay", func(all []availability.Availability) []availability.Availability {
			all[1].Stay = dynastay.Stay{}
			return all
		}},
		"twice": {"Checked[2].RoomTypeID", func(all []availability.Availability) []availability.Availability {
			return append(all, all[0])
		}},
		"other stay of a room type that is not requested": {"Checked[2].Stay", func(all []availability.Availability) []availability.Availability {
			return append(all, availability.Availability{PropertyID: propertyID, RoomTypeID: "room_c"})
		}},
	} {
		q, err := repo.QuoteOf(request(stay, room("room_a", 1), room("room_b", 1)), test.edit(slices.Clone(good)))
		blame.Invalid(t, err, test.field, name)
		assert.Nil(t, q, name)
	}
	past := request(dynastay.MustStay("2026-05-30", "2026-05-31"), room("room_a", 1))
	_, err := repo.QuoteOf(past, nil)
	blame.Invalid(t, err, "Stay.CheckIn", "the request comes first")
	assert.Empty(t, stop(), "no request was sent")

	_, err = repo.QuoteOf(request(stay, room("room_b", 1)), good)
	assert.NoError(t, err, "room_a is not requested")
}

// One read of a long stay is enough to quote every stay in it, and is not changed by that.
func TestQuoteOfPartsOfAStay(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	long := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(6)}
	for date := range long.Dates() {
		more := dynastay.Item{}
		switch date.DaysUntil(long.CheckOut) {
		case 4:
			more["AvailableRooms"] = dynastay.Number(1)
		case 3:
			more["ClosedToDeparture"] = yes
		case 2:
			more["ClosedToArrival"] = yes
		case 1:
			more["PricePerNight"] = number("99")
		}
		putNights(t, db, night("room_a", date.String(), more), night("room_b", date.String()))
	}
	var checked []availability.Availability
	for _, id := range []string{"room_a", "room_b"} {
		a, err := repo.Check(t.Context(), propertyID, id, 1, long)
		require.NoError(t, err)
		a.Nights = slices.Clip(a.Nights)
		checked = append(checked, a)
	}
	before := slices.Clone(checked[0].Nights)
	quoted := 0
	for from := range long.Nights() {
		for to := from + 1; to <= long.Nights(); to++ {
			part := dynastay.Stay{CheckIn: long.CheckIn.AddDays(from), CheckOut: long.CheckIn.AddDays(to)}
			for rooms := 1; rooms <= 2; rooms++ {
				req := request(part, room("room_a", rooms), room("room_b", 1))
				want, wantErr := repo.Quote(t.Context(), req)
				got, err := quietly(t, db, func() (*availability.Quote, error) { return repo.QuoteOf(req, checked) })
				require.Equal(t, want, got)
				require.Equal(t, wantErr, err)
				if got != nil {
					quoted++
				}
			}
		}
	}
	assert.Positive(t, quoted)
	assert.Less(t, quoted, 42, "some are refused")
	assert.Equal(t, before, checked[0].Nights)
}

func TestLeft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left [3]int
		more dynastay.Item // of the last night
		want int
	}{
		"the same every night":  {[3]int{4, 4, 4}, nil, 4},
		"least on the first":    {[3]int{2, 3, 4}, nil, 2},
		"least on the second":   {[3]int{4, 2, 3}, nil, 2},
		"fewer than asked for":  {[3]int{4, 1, 3}, nil, 1},
		"sold out":              {[3]int{4, 0, 3}, nil, 0},
		"overbooked":            {[3]int{4, -1, 3}, nil, 0},
		"stop-sell":             {[3]int{4, 4, 4}, dynastay.Item{"IsBlocked": yes}, 0},
		"stop-sell and too few": {[3]int{4, 4, 1}, dynastay.Item{"IsBlocked": yes}, 0},
		"restricted":            {[3]int{4, 4, 4}, dynastay.Item{"ClosedToDeparture": yes}, 0},
		"not open":              {[3]int{4, 4, 4}, elsewhere, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			for i, n := range test.left {
				item := dynastay.Item{"AvailableRooms": dynastay.Number(n)}
				if i == 2 {
					maps.Copy(item, test.more)
				}
				putNights(t, db, night(roomTypeID, stay.CheckIn.AddDays(i).String(), item))
			}
			a, err := repo.Check(t.Context(), propertyID, roomTypeID, 2, stay)
			require.NoError(t, err)
			assert.Equal(t, test.want, a.Left())
		})
	}
	assert.Zero(t, availability.Availability{}.Left())
}

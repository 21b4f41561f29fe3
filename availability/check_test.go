package availability_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
)

// refusedNight is a refusal of a night of the room type that all tests share.
func refusedNight(day string, reason availability.Reason) availability.RefusedNight {
	return availability.RefusedNight{RoomTypeID: roomTypeID, Date: date(day), Reason: reason}
}

// stayRule is a refusal by the minimum or maximum stay of a night.
func stayRule(day string, reason availability.Reason, nights int) availability.RefusedNight {
	n := refusedNight(day, reason)
	n.Nights = nights
	return n
}

func soldOut(day string, left int) availability.RefusedNight {
	n := refusedNight(day, availability.SoldOut)
	n.Left = left
	return n
}

// The stay is 10, 11 and 12 July. The nights before and after it are in the table as well, with every restriction set,
// which must not matter.
func TestCheckReportsRefusedNights(t *testing.T) {
	t.Parallel()
	const first, second, last = "2026-07-10", "2026-07-11", "2026-07-12"
	everything := dynastay.Item{
		"AvailableRooms": dynastay.Number(0), "IsBlocked": yes, "PropertyClosed": yes, "ClosedToArrival": yes,
		"ClosedToDeparture": yes, "MinStay": dynastay.Number(9), "MaxStay": dynastay.Number(1),
	}
	type refused = []availability.RefusedNight
	for _, test := range []struct {
		name  string
		rooms int
		night string // the night that differs; "" for none
		item  dynastay.Item
		want  refused
	}{
		{name: "all free"},
		{name: "all rooms", rooms: 5},
		{name: "one room too many", rooms: 6, want: refused{soldOut(first, 5), soldOut(second, 5), soldOut(last, 5)}},
		{name: "one night short", rooms: 3, night: second, item: dynastay.Item{"AvailableRooms": dynastay.Number(2)}, want: refused{soldOut(second, 2)}},
		{name: "sold out", night: last, item: dynastay.Item{"AvailableRooms": dynastay.Number(0)}, want: refused{soldOut(last, 0)}},
		{name: "overbooked", night: last, item: dynastay.Item{"AvailableRooms": dynastay.Number(-2)}, want: refused{soldOut(last, 0)}},
		{name: "no number of rooms", night: last, item: dynastay.Item{"AvailableRooms": nil}, want: refused{soldOut(last, 0)}},
		{name: "stop-sell", night: second, item: dynastay.Item{"IsBlocked": yes}, want: refused{refusedNight(second, availability.StopSell)}},
		{name: "property closed", night: second, item: dynastay.Item{"PropertyClosed": yes}, want: refused{refusedNight(second, availability.PropertyClosed)}},
		{name: "different property", night: first, item: dynastay.Item{"PropertyId": dynastay.Text("prop_124"), "IsBlocked": yes}, want: refused{refusedNight(first, availability.NotOnSale)}},
		{name: "no property", night: first, item: dynastay.Item{"PropertyId": nil}, want: refused{refusedNight(first, availability.NotOnSale)}},

		{name: "closed to arrival", night: first, item: dynastay.Item{"ClosedToArrival": yes}, want: refused{refusedNight(first, availability.ClosedToArrival)}},
		{name: "closed to arrival later", night: second, item: dynastay.Item{"ClosedToArrival": yes}},
		{name: "closed to arrival at the end", night: last, item: dynastay.Item{"ClosedToArrival": yes}},
		{name: "closed to departure", night: last, item: dynastay.Item{"ClosedToDeparture": yes}, want: refused{refusedNight(last, availability.ClosedToDeparture)}},
		{name: "closed to departure earlier", night: second, item: dynastay.Item{"ClosedToDeparture": yes}},
		{name: "closed to departure at the start", night: first, item: dynastay.Item{"ClosedToDeparture": yes}},
		{name: "minimum stay", night: first, item: dynastay.Item{"MinStay": dynastay.Number(4)}, want: refused{stayRule(first, availability.MinStay, 4)}},
		{name: "minimum stay met", night: first, item: dynastay.Item{"MinStay": dynastay.Number(3)}},
		{name: "minimum stay of a different arrival", night: second, item: dynastay.Item{"MinStay": dynastay.Number(4)}},
		{name: "maximum stay", night: first, item: dynastay.Item{"MaxStay": dynastay.Number(2)}, want: refused{stayRule(first, availability.MaxStay, 2)}},
		{name: "maximum stay met", night: first, item: dynastay.Item{"MaxStay": dynastay.Number(3)}},
		{name: "maximum stay of a different arrival", night: last, item: dynastay.Item{"MaxStay": dynastay.Number(1)}},
		{name: "maximum stay of zero", night: first, item: dynastay.Item{"MaxStay": dynastay.Number(0)}},
		{name: "maximum stay below zero", night: first, item: dynastay.Item{"MaxStay": dynastay.Number(-1)}},
		{name: "nulls", night: first, item: dynastay.Item{
			"MinStay": null, "MaxStay": null, "IsBlocked": null, "PropertyClosed": null, "ClosedToArrival": null, "ClosedToDeparture": null,
		}},
		{name: "falses", night: last, item: dynastay.Item{"PropertyClosed": no, "ClosedToArrival": no, "ClosedToDeparture": no}},
		{name: "everything on arrival", rooms: 1, night: first, item: dynastay.Item{
			"AvailableRooms": dynastay.Number(0), "IsBlocked": yes, "ClosedToArrival": yes, "ClosedToDeparture": yes, "MinStay": dynastay.Number(9), "MaxStay": dynastay.Number(1),
		}, want: refused{
			refusedNight(first, availability.StopSell), soldOut(first, 0), refusedNight(first, availability.ClosedToArrival),
			stayRule(first, availability.MinStay, 9), stayRule(first, availability.MaxStay, 1),
		}},
		{name: "everything on the last night", night: last, item: everything, want: refused{
			refusedNight(last, availability.StopSell), refusedNight(last, availability.PropertyClosed), soldOut(last, 0), refusedNight(last, availability.ClosedToDeparture),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			putNights(t, db, night(roomTypeID, "2026-07-09", everything), night(roomTypeID, "2026-07-13", everything))
			for d := range stay.Dates() {
				if d.String() == test.night {
					putNights(t, db, night(roomTypeID, test.night, test.item))
				} else {
					putNights(t, db, night(roomTypeID, d.String()))
				}
			}
			got, err := repo.Check(t.Context(), propertyID, roomTypeID, max(test.rooms, 1), stay)
			require.NoError(t, err)
			assert.Equal(t, test.want, got.Refused)
			assert.Equal(t, len(test.want) == 0, got.OK())
			var nights []string // neither the night before nor that of the check-out date, nor any of a different property
			for _, n := range got.Nights {
				nights = append(nights, n.Date.String())
			}
			own := []string{first, second, last}
			if slices.ContainsFunc(test.want, func(n availability.RefusedNight) bool { return n.Reason == availability.NotOnSale }) {
				own = slices.DeleteFunc(own, func(night string) bool { return night == test.night })
			}
			assert.Equal(t, own, nights)

			q, err := repo.Quote(t.Context(), request(stay, room(roomTypeID, max(test.rooms, 1))))
			if test.want == nil {
				assert.NoError(t, err)
				return
			}
			assert.Nil(t, q)
			assert.Equal(t, &availability.Refused{Nights: test.want}, err, "Quote reports the same nights")
		})
	}
}

// In a stay of one night, that night is both the first and the last.
func TestCheckOfOneNight(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{"ClosedToArrival": yes, "ClosedToDeparture": yes}))
	got, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, dynastay.MustStay("2026-07-10", "2026-07-11"))
	require.NoError(t, err)
	assert.Equal(t, []availability.RefusedNight{
		refusedNight("2026-07-10", availability.ClosedToArrival), refusedNight("2026-07-10", availability.ClosedToDeparture),
	}, got.Refused)
}

func TestMissingNightsAreNotOnSale(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-11"), night(roomTypeID, "2026-07-13"), night("room_7890", "2026-07-10"))
	want := []availability.RefusedNight{
		refusedNight("2026-07-10", availability.NotOnSale), refusedNight("2026-07-12", availability.NotOnSale),
	}
	got, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
	require.NoError(t, err)
	assert.Equal(t, want, got.Refused)
	assert.Len(t, got.Nights, 1)
	_, err = repo.Quote(t.Context(), request(stay, room(roomTypeID, 1)))
	assert.Equal(t, &availability.Refused{Nights: want}, err)
	prices, err := repo.Prices(t.Context(), roomTypeID, stay)
	require.NoError(t, err)
	assert.Equal(t, availability.Prices{Nights: []availability.NightPrice{{Date: date("2026-07-11"), Price: money("280.00 USD")}}}, prices)
}

// Prices are for a calendar, so they include nights that cannot be sold.
func TestPrices(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db,
		night(roomTypeID, "2026-07-09", dynastay.Item{"PricePerNight": number("1")}),
		night(roomTypeID, "2026-07-10", dynastay.Item{"PricePerNight": number("280.10"), "AvailableRooms": dynastay.Number(0)}),
		night(roomTypeID, "2026-07-11", dynastay.Item{"PricePerNight": number("0"), "IsBlocked": yes}),
		night(roomTypeID, "2026-07-12", dynastay.Item{"PricePerNight": null}),
		night(roomTypeID, "2026-07-13", dynastay.Item{"PricePerNight": number("1")}),
	)
	prices, err := repo.Prices(t.Context(), roomTypeID, stay)
	require.NoError(t, err)
	assert.Equal(t, []availability.NightPrice{
		{Date: date("2026-07-10"), Price: money("280.10 USD")},
		{Date: date("2026-07-11"), Price: money("0.00 USD")},
		{Date: date("2026-07-12")},
	}, prices.Nights)
	assert.Zero(t, prices.Total, "a night has no price")
}

func TestPricesHaveATotal(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db,
		night(roomTypeID, "2026-07-10", dynastay.Item{"PricePerNight": number("280.10")}),
		night(roomTypeID, "2026-07-11", dynastay.Item{"PricePerNight": number("0"), "IsBlocked": yes}),
		night(roomTypeID, "2026-07-12", dynastay.Item{"PricePerNight": number("19.95")}),
		night("room_euro", "2026-07-10"), night("room_euro", "2026-07-11"),
		night("room_euro", "2026-07-12", dynastay.Item{"Currency": dynastay.Text("EUR")}),
	)
	prices, err := repo.Prices(t.Context(), roomTypeID, stay)
	require.NoError(t, err)
	assert.Equal(t, money("300.05 USD"), prices.Total)
	checked, err := repo.Check(t.Context(), propertyID, roomTypeID, 2, stay)
	require.NoError(t, err)
	assert.Equal(t, prices, checked.Prices(), "of one room")

	mixed, err := repo.Prices(t.Context(), "room_euro", stay)
	require.NoError(t, err)
	assert.Len(t, mixed.Nights, 3)
	assert.Zero(t, mixed.Total, "amounts in different currencies have no sum")
}

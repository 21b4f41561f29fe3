package availability_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	sizes "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

type (
	rates       = map[string]availability.Rate
	rateChanges = map[string]availability.RateChange
)

// putPlans writes rate plans of a property without its repository.
func putPlans(t *testing.T, db *dyntest.DB, propertyID string, plans ...availability.RatePlan) {
	t.Helper()
	for _, plan := range plans {
		plan.PropertyID, plan.Name = propertyID, plan.ID
		item, err := availability.RatePlanEntity().Item(&plan)
		require.NoError(t, err)
		raw.Put(t, db, keys.PropertiesTable, item)
	}
}

// openWithPlans returns a hotel with two plans that have prices of their own, and one that has none.
func openWithPlans(t *testing.T) (*dyntest.DB, fixture.Hotel, *availability.Repository) {
	t.Helper()
	db, hotel, repo := openHotel(t, 5)
	putPlans(t, db, hotel.ID, availability.RatePlan{ID: "flex"}, availability.RatePlan{ID: "early"},
		availability.RatePlan{ID: "members", Derived: &availability.Derivation{Percent: -1000}})
	return db, hotel, repo
}

func mapOf(item dynastay.Item) types.AttributeValue { return &types.AttributeValueMemberM{Value: item} }

func TestRatesHaveShortNames(t *testing.T) {
	t.Parallel()
	item := night(roomTypeID, "2026-07-10", dynastay.Item{"Rates": mapOf(dynastay.Item{
		"flex": mapOf(dynastay.Item{"P": number("90.5"), "S": yes, "A": yes, "D": yes, "N": number("2"), "X": number("9")}),
		"1-b":  mapOf(dynastay.Item{"N": number("3")}),
		"free": mapOf(dynastay.Item{"P": number("0")}),
	})})
	got, err := availability.NightEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, rates{
		"flex": {
			Price: money("90.50 USD"), StopSell: true, ClosedToArrival: true, ClosedToDeparture: true, MinStay: 2, MaxStay: 9,
		},
		"1-b": {MinStay: 3}, "free": {Price: money("0.00 USD")},
	}, got.Rates)
	got.Rates["nothing"] = availability.Rate{}
	again, err := availability.NightEntity.Item(got)
	require.NoError(t, err)
	assert.Equal(t, item["Rates"], again["Rates"])

	got.Rates = rates{"nothing": {}}
	again, err = availability.NightEntity.Item(got)
	require.NoError(t, err)
	assert.NotContains(t, again, "Rates")
}

// What other software keeps with a night for a plan, or for plans of its own, is not lost.
func TestUnknownRatesSurvive(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	key := dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#2026-07-10"}
	foreign := mapOf(dynastay.Item{"Q": number("1"), "P": null})
	change(t, db, keys.AvailabilityTable, key, "Rates = :r", dynastay.Item{":r": mapOf(dynastay.Item{
		"flex": mapOf(dynastay.Item{"P": number("90"), "Z": dynastay.Text("theirs")}), "other": foreign,
	})})
	assert.Equal(t, rates{"flex": {Price: money("90.00 USD")}}, nightOf(t, repo, hotel, "2026-07-10").Rates)

	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rates: rateChanges{"flex": {MinStay: ptr(2)}, "early": {StopSell: ptr(true)}}})
	assert.Equal(t, mapOf(dynastay.Item{
		"flex": mapOf(dynastay.Item{"P": number("90"), "N": number("2"), "Z": dynastay.Text("theirs")}), "other": foreign,
		"early": mapOf(dynastay.Item{"S": yes}),
	}), storedOf(t, db, hotel, "2026-07-10")["Rates"])
	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rates: rateChanges{"flex": {Clear: true}, "early": {Clear: true}}})
	assert.Equal(t, mapOf(dynastay.Item{"other": foreign}), storedOf(t, db, hotel, "2026-07-10")["Rates"])
}

// storedOf reads a night of the hotel without the library.
func storedOf(t *testing.T, db *dyntest.DB, h fixture.Hotel, day string) dynastay.Item {
	t.Helper()
	return raw.Get(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + h.RoomTypeID, SK: "DATE#" + day})
}

// fullRates returns everything for so many plans, with ids of 12 bytes.
func fullRates(plans int, price string) rates {
	all := rates{}
	for i := range plans {
		all[fmt.Sprintf("plan-id-%04d", i)] = availability.Rate{
			Price: money(price), StopSell: true, ClosedToArrival: true, ClosedToDeparture: true, MinStay: 28, MaxStay: 90,
		}
	}
	return all
}

// With everything that the library stores, a night is below 1 KB, so that its sale costs a unit less than beyond.
func TestNightsAreBelowOneKilobyte(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 1)
	price := money("1234567.89 USD")
	rates := fullRates(9, "285.50 USD") // 377 bytes
	for id := range rates {
		putPlans(t, db, hotel.ID, availability.RatePlan{ID: id})
	}
	changes := rateChanges{}
	for id, r := range rates {
		changes[id] = availability.RateChange{
			Price: r.Price, MinStay: &r.MinStay, MaxStay: &r.MaxStay,
			ClosedToArrival: ptr(true), ClosedToDeparture: nil, StopSell: ptr(true),
		}
	}
	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{
		Price: price, Rooms: ptr(10_000), AboveCapacity: true, OverbookLimit: ptr(10_000), MinStay: ptr(28), MaxStay: ptr(90),
		ClosedToArrival: ptr(true),
		StopSell:        ptr(true), StopSellReason: strings.Repeat("x", 60), Rates: changes,
	})
	departures := availability.Change{ClosedToDeparture: ptr(true), Rates: rateChanges{}}
	for id := range rates {
		departures.Rates[id] = availability.RateChange{ClosedToDeparture: ptr(true)}
	}
	update(t, repo, hotel, oneNight("2026-07-11"), departures)
	_, err := repo.CloseSales(t.Context(), hotel.ID)
	require.NoError(t, err)

	item := storedOf(t, db, hotel, "2026-07-10")
	night, err := availability.NightEntity.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, rates, night.Rates)
	for name := range storedOf(t, db, hotel, "2026-07-12") {
		require.Contains(t, item, name)
	}
	size := sizes.Size(item)
	t.Log("a night with everything:", size, "bytes, of them rates:", sizes.Size(dynastay.Item{"Rates": item["Rates"]}))
	assert.Less(t, size, 1024)
}

// Nine plans with usual ids and prices leave nine rows of the index within half a read unit.
func TestSizeOfNineRates(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 1)
	changes := rateChanges{}
	for i := range 9 {
		id := fmt.Sprintf("plan%d", i)
		putPlans(t, db, hotel.ID, availability.RatePlan{ID: id})
		changes[id] = availability.RateChange{Price: money("128.50 USD")}
	}
	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rates: changes})
	item := storedOf(t, db, hotel, "2026-07-10")
	row := dynastay.Item{}
	index, _ := keys.AvailabilityTable.Index(keys.PropertyDateIndex)
	for _, name := range append(index.Include, "PK", "SK", "GSI1PK", "GSI1SK") {
		if v, there := item[name]; there {
			row[name] = v
		}
	}
	t.Log("a night with nine prices:", sizes.Size(item), "bytes, in the index:", sizes.Size(row))
	assert.Less(t, sizes.Size(item), 680)
	assert.LessOrEqual(t, 9*sizes.Size(row), 4096)
}

func TestRatesAreLimited(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 1)
	for id := range fullRates(11, "100.00 USD") {
		putPlans(t, db, hotel.ID, availability.RatePlan{ID: id})
	}
	o := availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 1, Price: fixture.Price, Nights: oneNight("2026-08-10"),
		Rates: fullRates(10, "100.00 USD"),
	}
	_, err := repo.Open(t.Context(), o)
	blame.Invalid(t, err, "Rates")
	o.Rates = fullRates(9, "100.00 USD")
	_, err = repo.Open(t.Context(), o)
	require.NoError(t, err)

	set := func(id string, c availability.RateChange) error {
		report, err := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
			changeOf(hotel.RoomTypeID, o.Nights, availability.Change{Rates: rateChanges{id: c}}),
		}})
		assert.Empty(t, report.Retry(), "it would fail again")
		return err
	}
	price := availability.RateChange{Price: money("90.00 USD"), MinStay: ptr(3), StopSell: ptr(true), ClosedToArrival: ptr(true)}
	require.ErrorIs(t, set("plan-id-0009", price), availability.ErrRatesFull)
	assert.Equal(t, o.Rates, nightOfRoom(t, repo, hotel, "2026-08-10").Rates)
	require.NoError(t, set("plan-id-0000", availability.RateChange{Clear: true}))
	require.NoError(t, set("plan-id-0009", price))

	// What another caller clears after the nights were read makes room.
	beforeRead := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, o.Nights, availability.Change{Rates: rateChanges{"plan-id-0010": price}}),
	}}
	db.Faults.Inject(dyntest.After(func(context.Context) {
		_, err := direct(db).Update(context.Background(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
			changeOf(hotel.RoomTypeID, o.Nights, availability.Change{Rates: rateChanges{"plan-id-0001": {Clear: true}}}),
		}})
		assert.NoError(t, err)
	}), dyntest.When{Operation: "Query", Nth: 1})
	_, err = repo.Update(t.Context(), beforeRead)
	require.NoError(t, err)

	// A night that other software filled beyond the limit can still be changed, but it cannot get more.
	key := dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#2026-08-10"}
	full := dynastay.Item{}
	for id := range fullRates(11, "100.00 USD") {
		full[id] = mapOf(dynastay.Item{"P": number("100"), "S": yes, "A": yes, "D": yes, "N": number("2"), "X": number("3")})
	}
	change(t, db, keys.AvailabilityTable, key, "Rates = :r", dynastay.Item{":r": mapOf(full)})
	require.NoError(t, set("plan-id-0000", availability.RateChange{MinStay: ptr(3)}))
	require.ErrorIs(t, set("plan-id-0000", availability.RateChange{Price: money("12345678.90 USD")}), availability.ErrRatesFull)
}

// nightOfRoom is nightOf for a night that may be off sale.
func nightOfRoom(t *testing.T, repo *availability.Repository, h fixture.Hotel, day string) *availability.Night {
	t.Helper()
	calendar, err := repo.Calendar(t.Context(), h.ID, oneNight(day))
	require.NoError(t, err)
	require.NotNil(t, calendar.Days[0].Night(h.RoomTypeID))
	return calendar.Days[0].Night(h.RoomTypeID)
}

func TestOpenWithRates(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	o := availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 1, Price: fixture.Price, Nights: dynastay.MustStay("2026-08-10", "2026-08-12"),
		Rates: rates{
			"flex":    {Price: money("300.00 USD"), MinStay: 2},
			"early":   {Price: money("250.00 USD"), ClosedToDeparture: true},
			"members": {StopSell: true},
		},
	}
	opened, err := repo.Open(t.Context(), o)
	require.NoError(t, err)
	assert.Len(t, opened.Opened, 2)
	for _, day := range []string{"2026-08-10", "2026-08-11"} {
		assert.Equal(t, o.Rates, nightOf(t, repo, hotel, day).Rates, "in the table")
		assert.Equal(t, o.Rates, nightOfRoom(t, repo, hotel, day).Rates, "in the index")
	}

	for field, edit := range map[string]func(r rates){
		"Rates":                       func(r rates) { r["No Plan"] = availability.Rate{MinStay: 1} },
		"Rates[flex]":                 func(r rates) { r["flex"] = availability.Rate{} },
		"Rates[flex].Price":           func(r rates) { r["flex"] = availability.Rate{Price: money("-1.00 USD")} },
		"Rates[flex].Price.Currency":  func(r rates) { r["flex"] = availability.Rate{Price: money("1.00 EUR")} },
		"Rates[flex].MinStay":         func(r rates) { r["flex"] = availability.Rate{MinStay: -1} },
		"Rates[early].MaxStay":        func(r rates) { r["early"] = availability.Rate{MinStay: 3, MaxStay: 2} },
		"Rates[early].Price":          func(r rates) { r["early"] = availability.Rate{Price: money("1000000000000000.00 USD")} },
		"Rates[members].Price":        func(r rates) { r["members"] = availability.Rate{Price: money("1.00 USD")} },
		"Rates[members].MaxStay":      func(r rates) { r["members"] = availability.Rate{MaxStay: -1} },
		"Rates: more than 40 entries": func(r rates) { maps.Copy(r, fullRates(41, "1.00 USD")) },
	} {
		bad := o
		bad.Rates = maps.Clone(o.Rates)
		edit(bad.Rates)
		stop := db.Faults.Record()
		_, err := repo.Open(t.Context(), bad)
		requests := stop()
		field, _, _ = strings.Cut(field, ": ")
		blame.Invalid(t, err, field, field)
		if field != "Rates[members].Price" { // what the plan has must be read first
			assert.Empty(t, requests, field)
		}
	}
	o.Rates["none"] = availability.Rate{MinStay: 2}
	_, err = repo.Open(t.Context(), o)
	var failed *dynastay.Error
	require.ErrorAs(t, err, &failed)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
	assert.Equal(t, []string{"RatePlan", "none"}, []string{failed.Entity, failed.ID})
}

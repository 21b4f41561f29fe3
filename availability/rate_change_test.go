package availability_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

func TestUpdateSetsRates(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	change := availability.Change{Rates: rateChanges{
		"flex": {
			Price: money("300.00 USD"), MinStay: ptr(2), MaxStay: ptr(9), ClosedToArrival: ptr(true), ClosedToDeparture: ptr(true),
			StopSell: ptr(true),
		},
		"members": {StopSell: ptr(true)},
	}}
	stop := db.Faults.Record()
	report := update(t, repo, hotel, oneNight("2026-07-10"), change)
	requests := stop()
	assert.Len(t, report.Dates, 2, "the night, and the departures that the night before has")
	assert.Equal(t, 2, report.Count(availability.Written))
	assert.Equal(t, []int{1, 1, 2}, []int{count(requests, "BatchGetItem"), count(requests, "Query"), count(requests, "UpdateItem")})
	night := nightOf(t, repo, hotel, "2026-07-10")
	assert.Equal(t, rates{
		"flex":    {Price: money("300.00 USD"), MinStay: 2, MaxStay: 9, ClosedToArrival: true, StopSell: true},
		"members": {StopSell: true},
	}, night.Rates)
	assert.Equal(t, money("280.00 USD"), night.Price)
	assert.Equal(t, rates{"flex": {ClosedToDeparture: true}}, nightOf(t, repo, hotel, "2026-07-09").Rates)

	report = update(t, repo, hotel, oneNight("2026-07-10"), change)
	assert.Equal(t, 2, report.Count(availability.Unchanged))
	report = update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rates: rateChanges{"flex": {
		MinStay: ptr(0), MaxStay: ptr(0), ClosedToArrival: ptr(false), ClosedToDeparture: ptr(false), StopSell: ptr(false),
	}, "members": {StopSell: ptr(false)}}})
	assert.Equal(t, 2, report.Count(availability.Written))
	assert.Equal(t, rates{"flex": {Price: money("300.00 USD")}}, nightOf(t, repo, hotel, "2026-07-10").Rates)
	assert.Nil(t, nightOf(t, repo, hotel, "2026-07-09").Rates)

	stored := storedOf(t, db, hotel, "2026-07-10")
	assert.Equal(t, mapOf(dynastay.Item{"flex": mapOf(dynastay.Item{"P": number("300")})}), stored["Rates"])
	update(t, repo, hotel, oneNight("2026-07-10"), availability.Change{Rates: rateChanges{"flex": {Clear: true}}})
	assert.NotContains(t, storedOf(t, db, hotel, "2026-07-10"), "Rates")
}

// Changes apply in their order, and Clear removes what earlier ones have set, or what is stored.
func TestClearRates(t *testing.T) {
	t.Parallel()
	day, next := oneNight("2026-07-10"), oneNight("2026-07-11")
	closed := availability.Change{Rates: rateChanges{"flex": {ClosedToDeparture: ptr(true)}}}
	priced := availability.Change{Rates: rateChanges{"flex": {Price: money("300.00 USD")}}}
	least := availability.Change{Rates: rateChanges{"flex": {MinStay: ptr(2)}}}
	clear := availability.Change{Rates: rateChanges{"flex": {Clear: true}}}
	clearAndPrice := availability.Change{Rates: rateChanges{"flex": {Clear: true, Price: money("290.00 USD")}}}
	type on struct {
		dates  dynastay.Stay
		change availability.Change
	}
	for _, test := range []struct {
		name    string
		before  []on
		changes []on
		want    rates
		entries int
	}{
		{"a price, then cleared", nil, []on{{day, priced}, {day, clear}}, nil, 1},
		{"cleared, then a price", []on{{day, least}}, []on{{day, clear}, {day, priced}}, rates{"flex": {Price: money("300.00 USD")}}, 1},
		{"cleared with a price", []on{{day, least}}, []on{{day, clearAndPrice}}, rates{"flex": {Price: money("290.00 USD")}}, 1},
		{"the departure on the next date, then cleared", nil, []on{{next, closed}, {day, clear}}, nil, 2},
		{"cleared, then the departure", []on{{day, least}}, []on{{day, clear}, {next, closed}}, rates{"flex": {ClosedToDeparture: true}}, 2},
		{"a stored departure is cleared", []on{{next, closed}}, []on{{day, clear}}, nil, 1},
		{"the departure on the same date stays", []on{{next, closed}}, []on{{next, clear}}, rates{"flex": {ClosedToDeparture: true}}, 1},
		{"nothing is there", nil, []on{{day, clear}}, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, hotel, repo := openWithPlans(t)
			request := func(all []on) (u availability.UpdateRequest) {
				u.PropertyID = hotel.ID
				for _, c := range all {
					u.Changes = append(u.Changes, changeOf(hotel.RoomTypeID, c.dates, c.change))
				}
				return u
			}
			if test.before != nil {
				_, err := repo.Update(t.Context(), request(test.before))
				require.NoError(t, err)
			}
			report, err := repo.Update(t.Context(), request(test.changes))
			require.NoError(t, err)
			assert.Len(t, report.Dates, test.entries)
			assert.Equal(t, test.want, nightOf(t, repo, hotel, "2026-07-10").Rates)
		})
	}
}

// What a request sets for one plan leaves the other plans alone, and its changes share nothing.
func TestChangesOfSeveralPlans(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	u := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{Rates: rateChanges{"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")}}}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), availability.Change{Rates: rateChanges{"flex": {Price: money("350.00 USD")}}}),
		changeOf(hotel.RoomTypeID, oneNight("2026-07-11"), availability.Change{Rates: rateChanges{"early": {Clear: true}}}),
	}}
	report, err := repo.Update(t.Context(), u)
	require.NoError(t, err)
	assert.Equal(t, 7, report.Count(availability.Written))
	assert.Equal(t, rates{"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")}}, nightOf(t, repo, hotel, "2026-07-09").Rates)
	assert.Equal(t, rates{"flex": {Price: money("350.00 USD")}, "early": {Price: money("250.00 USD")}}, nightOf(t, repo, hotel, "2026-07-10").Rates)
	assert.Equal(t, rates{"flex": {Price: money("300.00 USD")}}, nightOf(t, repo, hotel, "2026-07-11").Rates)
	assert.Equal(t, money("300.00 USD"), u.Changes[0].Rates["flex"].Price, "the request is not changed")

	op := availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
		changeOf(hotel.RoomTypeID, july, availability.Change{Price: money("310.00 USD"), Rates: rateChanges{"early": {MinStay: ptr(3)}}}),
	}}
	_, err = dynastay.Do(t.Context(), db.DB, repo.UpdateOp(op))
	require.NoError(t, err)
	assert.Equal(t, rates{"flex": {Price: money("300.00 USD")}, "early": {MinStay: 3}}, nightOf(t, repo, hotel, "2026-07-11").Rates)
}

func TestUpdateChecksRates(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	putPlans(t, db, hotel.ID, availability.RatePlan{ID: "suites", RoomTypeIDs: []string{"room_suite"}})
	run := func(changes ...rateChanges) error {
		u := availability.UpdateRequest{PropertyID: hotel.ID}
		for _, c := range changes {
			u.Changes = append(u.Changes, changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), availability.Change{Rates: c}))
		}
		_, err := repo.Update(t.Context(), u)
		return err
	}
	price := availability.RateChange{Price: money("300.00 USD")}
	tooMany := rateChanges{}
	for id := range fullRates(41, "1.00 USD") {
		tooMany[id] = price
	}
	stop := db.Faults.Record()
	for field, c := range map[string]rateChanges{
		"Changes[0].Rates":                  {"Flex": price},
		"Changes[0].Rates[flex]":            {"flex": {}},
		"Changes[0].Rates[flex].Price":      {"flex": {Price: money("1.001 USD")}},
		"Changes[0].Rates[early].Price":     {"flex": price, "early": {Price: money("-1.00 USD")}},
		"Changes[0].Rates[members].Price":   {"members": {Price: money("1000000000000000.00 USD")}},
		"Changes[0].Rates[flex].MinStay":    {"flex": {MinStay: ptr(-1)}},
		"Changes[0].Rates[flex].MaxStay":    {"flex": {MaxStay: ptr(-1)}},
		"Changes[0].Rates[members].MaxStay": {"members": {MinStay: ptr(3), MaxStay: ptr(2)}},
	} {
		blame.Invalid(t, run(c), field, field)
	}
	blame.Invalid(t, run(tooMany), "Changes[0].Rates", "41 plans")
	invalid := blame.Invalid(t, run(rateChanges{"flex": {MinStay: ptr(3)}}, rateChanges{"flex": {MaxStay: ptr(2)}}), "Changes", "both changes")
	assert.ErrorContains(t, invalid, "Rates[flex].MinStay (3)")
	assert.Empty(t, stop(), "no request was sent")

	stop = db.Faults.Record()
	for field, c := range map[string]rateChanges{
		"Changes[0].Rates[flex].Price.Currency": {"flex": {Price: money("300.00 EUR")}},
		"Changes[0].Rates[members].Price":       {"members": price},
		"Changes[0].Rates[suites]":              {"suites": {StopSell: ptr(true)}},
	} {
		blame.Invalid(t, run(c), field, field)
	}
	var failed *dynastay.Error
	require.ErrorAs(t, run(rateChanges{"none": price}), &failed)
	assert.Equal(t, []any{"RatePlan", "none", dynastay.ErrNotFound}, []any{failed.Entity, failed.ID, failed.Kind})
	assert.Zero(t, count(stop(), "UpdateItem"))

	require.NoError(t, run(rateChanges{"none": {Clear: true}, "suites": {Clear: true}}), "what a plan leaves behind can be removed")
	require.NoError(t, run(rateChanges{"none": price}, rateChanges{"none": {Clear: true}}), "nothing is set for it")
	raw.Put(t, db, keys.PropertiesTable, dynastay.Item{
		"PK": dynastay.Text("PROPERTY#" + hotel.ID), "SK": dynastay.Text("ROOM#room_suite"),
		"Currency": dynastay.Text("USD"), "TotalRooms": dynastay.Number(1),
	})
	_, notOpen := repo.Update(t.Context(), availability.UpdateRequest{PropertyID: hotel.ID, OpenOnly: true, Changes: []availability.Change{
		changeOf("room_suite", july, availability.Change{Rates: rateChanges{"suites": {StopSell: ptr(true)}}}),
		changeOf(hotel.RoomTypeID, july, availability.Change{Rates: rateChanges{"suites": {Clear: true}}}),
	}})
	require.NoError(t, notOpen, "the plan is sold for the suite, and only cleared elsewhere")
	require.NoError(t, run(rateChanges{"flex": {MinStay: ptr(3)}}))
	err := run(rateChanges{"flex": {MaxStay: ptr(2)}})
	assert.Equal(t, &availability.LimitsError{RatePlanID: "flex", MinStay: 3, MaxStay: 2}, blame.As[*availability.LimitsError](t, err))
	assert.ErrorContains(t, err, "rate plan flex: the minimum stay of 3 would be above the maximum stay of 2")
}

// A night has one currency. If other software has left nights in an old one, all of their prices change together.
func TestRatesHaveTheCurrencyOfTheNight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	key := dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#2026-07-10"}
	change(t, db, keys.AvailabilityTable, key, "Currency = :c, Rates = :r", dynastay.Item{
		":c": dynastay.Text("EUR"), ":r": mapOf(dynastay.Item{
			"flex": mapOf(dynastay.Item{"P": number("90")}), "early": mapOf(dynastay.Item{"N": number("2")}),
		}),
	})
	run := func(c availability.Change) error {
		_, err := repo.Update(t.Context(), availability.UpdateRequest{
			PropertyID: hotel.ID, Changes: []availability.Change{changeOf(hotel.RoomTypeID, oneNight("2026-07-10"), c)},
		})
		return err
	}
	before := storedOf(t, db, hotel, "2026-07-10")
	require.ErrorIs(t, run(availability.Change{Price: money("100.00 USD")}), availability.ErrMixedCurrencies)
	require.ErrorIs(t, run(availability.Change{Rates: rateChanges{"early": {Price: money("80.00 USD")}}}), availability.ErrMixedCurrencies)
	assert.Equal(t, before, storedOf(t, db, hotel, "2026-07-10"))
	for range 20 { // the order of a map is not the same each time
		remove := dynastay.Item{":c": dynastay.Text("EUR")}
		change(t, db, keys.AvailabilityTable, key, "Currency = :c, PricePerNight = :n", dynastay.Item{":c": remove[":c"], ":n": null})
		require.ErrorIs(t, run(availability.Change{Rates: rateChanges{"early": {Price: money("80.00 USD")}}}), availability.ErrMixedCurrencies)
	}
	require.NoError(t, run(availability.Change{MinStay: ptr(2)}))
	require.NoError(t, run(availability.Change{Price: money("100.00 USD"), Rates: rateChanges{"flex": {Price: money("95.00 USD")}}}))
	assert.Equal(t, rates{"flex": {Price: money("95.00 USD")}, "early": {MinStay: 2}}, nightOf(t, repo, hotel, "2026-07-10").Rates)
}

// An idempotency key stands for the rates as well.
func TestRatesAreAgreed(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openWithPlans(t)
	key := dynastay.IdempotencyKey("open")
	open := availability.OpenRequest{
		PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Nights: dynastay.MustStay("2026-08-10", "2026-08-12"), Rooms: 1, Price: fixture.Price,
		Rates: rates{"flex": {Price: money("300.00 USD")}, "early": {MinStay: 2}},
	}
	_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(open), key)
	require.NoError(t, err)
	for name, edit := range map[string]func(r rates){
		"price":      func(r rates) { r["flex"] = availability.Rate{Price: money("301.00 USD")} },
		"arrival":    func(r rates) { r["flex"] = availability.Rate{Price: money("300.00 USD"), ClosedToArrival: true} },
		"another":    func(r rates) { r["members"] = r["early"]; delete(r, "early") },
		"one less":   func(r rates) { delete(r, "early") },
		"none":       func(r rates) { clear(r) },
		"of another": func(r rates) { r["flex"], r["early"] = r["early"], r["flex"] },
	} {
		other := open
		other.Rates = maps.Clone(open.Rates)
		edit(other.Rates)
		_, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(other), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
	request := open
	request.Nights, request.Rates = dynastay.MustStay("2026-08-20", "2026-08-21"), maps.Clone(open.Rates)
	op := repo.OpenOp(request)
	request.Rates["flex"] = availability.Rate{MinStay: 5, MaxStay: 2}
	_, err = dynastay.Do(t.Context(), db.DB, op)
	require.NoError(t, err)
	assert.Equal(t, open.Rates, nightOf(t, repo, hotel, "2026-08-20").Rates, "an operation keeps what was validated")
	replayed, err := dynastay.Do(t.Context(), db.DB, repo.OpenOp(open), key)
	require.NoError(t, err)
	assert.Len(t, replayed.Already, 2)

	key = dynastay.IdempotencyKey("update")
	change := func(rate availability.RateChange) availability.UpdateRequest {
		return availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
			changeOf(hotel.RoomTypeID, open.Nights, availability.Change{Rates: rateChanges{"flex": rate}}),
		}}
	}
	_, err = dynastay.Do(t.Context(), db.DB, repo.UpdateOp(change(availability.RateChange{MinStay: ptr(2)})), key)
	require.NoError(t, err)
	for name, rate := range map[string]availability.RateChange{
		"less": {MinStay: ptr(1)}, "more": {MinStay: ptr(2), MaxStay: ptr(0)}, "cleared": {Clear: true, MinStay: ptr(2)},
		"priced": {MinStay: ptr(2), Price: money("0.00 USD")}, "open": {MinStay: ptr(2), StopSell: ptr(false)},
	} {
		_, err := dynastay.Do(t.Context(), db.DB, repo.UpdateOp(change(rate)), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
}

package availability_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// sellAt sells a quote.
func sellAt(ctx context.Context, db *dynastay.DB, q *availability.Quote) (availability.Sold, error) {
	sale := availability.New(db).Sale(q)
	return dynastay.Do(ctx, db, dynastay.NewOp(dynastay.OpSpec[availability.Sold]{
		Name: "test.Sell", Contest: sale.Contest(), Prepare: sale.Add,
	}))
}

// quoted quotes rooms under plans.
func quoted(t *testing.T, repo *availability.Repository, rooms ...availability.Room) *availability.Quote {
	t.Helper()
	q, err := repo.Quote(t.Context(), requestUnder(stay, rooms...))
	require.NoError(t, err)
	return q
}

// All lines of a room type are one action for each night.
func TestSaleOfSeveralPlans(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	q := quoted(t, repo, roomsUnder("flex", 1, adults(1)), roomsUnder("flex", 1, adults(2)), roomsUnder("non-ref", 1, adults(1)), roomsUnder("", 1, adults(1)))
	stop := db.Faults.Record()
	sold, err := sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	requests := stop()
	require.Len(t, requests, 1)
	assert.Equal(t, 3, strings.Count(string(requests[0].Body), `"UpdateExpression"`))
	assert.Equal(t, q.Lines, sold.Lines)
	assert.Equal(t, []int{1, 1, 1}, available(t, db))

	q = quoted(t, repo, roomsUnder("early", 1, adults(1)))
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#2026-07-11"},
		"AvailableRooms = :n", dynastay.Item{":n": dynastay.Number(0)})
	_, err = sellAt(t.Context(), db.DB, q)
	assert.Equal(t, []availability.RefusedNight{{RoomTypeID: roomTypeID, Date: date("2026-07-11"), Reason: availability.SoldOut}},
		blame.As[*availability.Refused](t, err).Nights)
	q.Overbook = 1
	sold, err = sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	assert.Equal(t, dates("2026-07-11"), sold.Lines[0].Overbooked)
	assert.Equal(t, []int{0, -1, 0}, available(t, db))
}

// A sale compares the price that its own is computed from, and the restrictions of its own plan, and nothing else.
func TestSaleAssertsTheSource(t *testing.T) {
	t.Parallel()
	priced := func(plan, price string) dynastay.Item {
		return dynastay.Item{plan: mapOf(dynastay.Item{"P": number(price)})}
	}
	changed := func(plan, price string) *availability.RefusedNight {
		return &availability.RefusedNight{RatePlanID: plan, Reason: availability.PriceChanged, Price: money(price)}
	}
	only := func(reason availability.Reason, plan string) *availability.RefusedNight {
		return &availability.RefusedNight{RatePlanID: plan, Reason: reason}
	}
	withStop := func(plan, price string) dynastay.Item {
		rate := dynastay.Item{"S": yes}
		if price != "" {
			rate["P"] = number(price)
		}
		return dynastay.Item{plan: mapOf(rate)}
	}
	for _, test := range []struct {
		name    string
		night   dynastay.Item // the second night, after the quote
		refused map[string]*availability.RefusedNight
	}{
		{"the price of flex", ratesOnSale(priced("flex", "301")), map[string]*availability.RefusedNight{
			"flex": changed("flex", "301.00 USD"), "non-ref": changed("flex", "301.00 USD"),
		}},
		{"the price of early", ratesOnSale(priced("early", "249")), map[string]*availability.RefusedNight{"early": changed("early", "249.00 USD")}},
		{"the price of the night", dynastay.Item{"PricePerNight": number("281"), "Rates": ratesOnSale(nil)["Rates"]}, map[string]*availability.RefusedNight{
			"": changed("", "281.00 USD"), "club": changed("", "281.00 USD"),
		}},
		{"no price of flex any more", ratesOnSale(dynastay.Item{"flex": mapOf(dynastay.Item{})}), map[string]*availability.RefusedNight{
			"flex": only(availability.PriceChanged, "flex"), "non-ref": only(availability.PriceChanged, "flex"),
		}},
		{"a stop-sell of flex", ratesOnSale(withStop("flex", "300")), map[string]*availability.RefusedNight{"flex": only(availability.StopSell, "flex")}},
		{"a stop-sell of non-ref", ratesOnSale(withStop("non-ref", "")), map[string]*availability.RefusedNight{"non-ref": only(availability.StopSell, "non-ref")}},
		{"a stop-sell of club", ratesOnSale(withStop("club", "")), map[string]*availability.RefusedNight{"club": only(availability.StopSell, "club")}},
		{"a price of a derived plan", ratesOnSale(priced("club", "1")), nil},
		{"a plan that nobody knows", ratesOnSale(withStop("other", "1")), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := openForPlans(t)
			quotes := map[string]*availability.Quote{}
			for _, plan := range []string{"", "flex", "early", "non-ref", "club"} {
				quotes[plan] = quoted(t, repo, roomsUnder(plan, 1, adults(1)))
			}
			putNights(t, db, night(roomTypeID, "2026-07-11", test.night))
			for plan, q := range quotes {
				_, err := sellAt(t.Context(), db.DB, q)
				want := test.refused[plan]
				if want == nil {
					require.NoError(t, err, plan)
					continue
				}
				want.RoomTypeID, want.Date = roomTypeID, date("2026-07-11")
				assert.Equal(t, []availability.RefusedNight{*want}, blame.As[*availability.Refused](t, err, plan).Nights, plan)
			}
		})
	}
}

// A refusal has no reason that the sale does not look at: the restrictions of the source, and a price that a derived plan
// has for other software.
func TestRefusalHasOnlyReasonsOfTheSale(t *testing.T) {
	t.Parallel()
	db, repo := openForPlans(t)
	nonRef, club := quoted(t, repo, roomsUnder("non-ref", 1, adults(1))), quoted(t, repo, roomsUnder("club", 1, adults(1)))
	putNights(t, db, night(roomTypeID, "2026-07-11", dynastay.Item{"PricePerNight": number("281")}, ratesOnSale(dynastay.Item{
		"flex": mapOf(dynastay.Item{"P": number("301"), "S": yes}), "club": mapOf(dynastay.Item{"P": number("1")}),
	})))
	for q, want := range map[*availability.Quote]availability.RefusedNight{
		nonRef: {RatePlanID: "flex", Price: money("301.00 USD")}, club: {Price: money("281.00 USD")},
	} {
		want.RoomTypeID, want.Date, want.Reason = roomTypeID, date("2026-07-11"), availability.PriceChanged
		_, err := sellAt(t.Context(), db.DB, q)
		assert.Equal(t, []availability.RefusedNight{want}, blame.As[*availability.Refused](t, err).Nights)
	}
}

// The refusal, written in Go, agrees with DynamoDB's condition for rate plans as well, whatever is stored: a quote is sold
// if and only if the night, its plans and their sources still are as quoted.
func TestRatesAgreeWithTheDatabase(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{
		Clock: fixture.Clock,
		// If a sale neither succeeds nor is refused at once, or once it knows the limit of overbooking, the two disagree.
		Retry: dynastay.Retry{Attempts: 2},
	}))
	repo := availability.New(db.DB)
	drawn, sold, refusedBy := 0, 0, map[availability.Reason]int{}
	scenario := func(t *rapid.T) {
		drawn++
		id := fmt.Sprintf("room_%d", drawn)
		stay := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(rapid.SampledFrom([]int{1, 2, 3, 3}).Draw(t, "nights"))}
		var rooms []availability.Room
		for _, plan := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"flex", "early", "non-ref", "club", ""}), 1, 4, rapid.ID[string]).Draw(t, "plans") {
			r := roomsUnder(plan, rapid.IntRange(1, 2).Draw(t, "rooms"), adults(rapid.IntRange(1, 2).Draw(t, "adults")))
			r.RoomTypeID = id
			rooms = append(rooms, r)
		}
		var items []dynastay.Item
		for d := range stay.Dates() {
			items = append(items, night(id, d.String(), dynastay.Item{"AvailableRooms": dynastay.Number(8), "TotalRooms": dynastay.Number(8)}, ratesOnSale(nil)))
		}
		putNights(t, db, items...)
		req := requestUnder(stay, rooms...)
		q, err := repo.Quote(context.Background(), req)
		require.NoError(t, err)
		require.NoError(t, q.Validate())

		for range rapid.SampledFrom([]int{0, 1, 2, 2, 4, 4}).Draw(t, "spoils") {
			at := rapid.SampledFrom([]int{0, 0, len(items) - 1, len(items) - 1, len(items) / 2}).Draw(t, "night")
			if rapid.IntRange(0, 3).Draw(t, "of the night") == 0 {
				spoil(t, items[at])
			} else {
				spoilRate(t, items[at], rooms)
			}
		}
		putNights(t, db, items...)
		before, err := repo.Check(context.Background(), propertyID, id, 1, stay)
		require.NoError(t, err)
		now, no := repo.Quote(context.Background(), req)
		same := no == nil && slices.EqualFunc(q.Lines, now.Lines, func(a, b availability.Line) bool {
			return slices.EqualFunc(a.Nights, b.Nights, func(a, b availability.NightPrice) bool { return a.Price == b.Price && a.Source == b.Source })
		})
		got, err := sellAt(context.Background(), db.DB, q)
		after, failed := repo.Check(context.Background(), propertyID, id, 1, stay)
		require.NoError(t, failed)
		if same {
			require.NoError(t, err, "%v", items)
			require.Equal(t, now.Lines, got.Lines)
			for i, n := range before.Nights {
				assert.Equal(t, n.Available-roomsOf(rooms), after.Nights[i].Available)
			}
			sold++
			return
		}
		for _, n := range blame.As[*availability.Refused](t, err, "%v", items).Nights {
			if n.RatePlanID != "" {
				refusedBy[n.Reason]++
			}
		}
		assert.Equal(t, before, after, "nothing was written")
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 24 { // 480 scenarios meet every condition
			scenario(t)
		}
	})
	t.Logf("%d of %d were sold; rates refused: %v", sold, drawn, refusedBy)
	if !t.Failed() {
		assert.NotZero(t, sold)
		for _, reason := range []availability.Reason{
			availability.PriceChanged, availability.StopSell, availability.MinStay, availability.MaxStay,
			availability.ClosedToArrival, availability.ClosedToDeparture,
		} {
			assert.NotZero(t, refusedBy[reason], "%s", reason)
		}
	}
}

// roomsOf adds up the rooms of all entries.
func roomsOf(all []availability.Room) (n int) {
	for _, r := range all {
		n += r.Quantity
	}
	return n
}

// spoilRate changes what a night has for a plan to something that other software may store.
func spoilRate(t *rapid.T, item dynastay.Item, rooms []availability.Room) {
	rates := item["Rates"].(*types.AttributeValueMemberM).Value
	ids := []string{"flex", "early", "non-ref", "club"}
	for range 3 { // most often, a plan that is sold
		for _, r := range rooms {
			if r.RatePlanID != "" {
				ids = append(ids, r.RatePlanID)
			}
		}
	}
	id := rapid.SampledFrom(ids).Draw(t, "plan")
	rate := dynastay.Item{}
	if stored, there := rates[id].(*types.AttributeValueMemberM); there {
		for name, v := range stored.Value {
			rate[name] = v
		}
	}
	name := rapid.SampledFrom([]string{"X", "N", "A", "D", "S", "P", "X", "N", "A", "D", "", "entry"}).Draw(t, "spoiled")
	oneOf := func(values ...types.AttributeValue) types.AttributeValue {
		return values[rapid.IntRange(0, len(values)-1).Draw(t, "value")]
	}
	var v types.AttributeValue
	switch name {
	case "P":
		v = oneOf(nil, null, number("300"), number("3E2"), number("250.00"), number("250.01"), number("0"))
	case "N": // the first values are drawn most often
		v = oneOf(number("4"), number("3"), number("2"), number("1"), number("0"), number("-1"), nil, null)
	case "X":
		v = oneOf(number("1"), number("2"), number("1"), number("3"), number("0"), number("-1"), nil, null)
	case "":
		return
	case "entry":
		if rates[id] = oneOf(nil, null, mapOf(dynastay.Item{})); rates[id] == nil {
			delete(rates, id)
		}
		return
	default:
		v = oneOf(flags...)
	}
	if rate[name] = v; v == nil {
		delete(rate, name)
	}
	rates[id] = mapOf(rate)
}

// A night that has the most plans, each with a source of its own and all rules, is within DynamoDB's limits for a
// condition: 4 KB and 300 operators.
func TestConditionOfManyPlans(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	one := oneNight("2026-07-10")
	var plans []availability.RatePlan
	rates := dynastay.Item{}
	var rooms []availability.Room
	for i := range 4 {
		source, plan := fmt.Sprintf("source-id-%02d", i), fmt.Sprintf("plan-id-%04d", i)
		rates[source] = mapOf(dynastay.Item{"P": number("300")})
		plans = append(plans, availability.RatePlan{PropertyID: propertyID, ID: source, Name: "S", Active: true},
			availability.RatePlan{PropertyID: propertyID, ID: plan, Name: "P", Active: true, Derived: &availability.Derivation{From: source}})
		rooms = append(rooms, roomsUnder(plan, 1, adults(1)), roomsUnder(plan, 1, adults(2)))
	}
	rooms = append(rooms, roomsUnder("", 1, adults(1)), roomsUnder("", 1, adults(2)))
	putNights(t, db, night(roomTypeID, "2026-07-10", dynastay.Item{"AvailableRooms": dynastay.Number(9), "Rates": mapOf(rates)}))
	req := requestUnder(one, rooms...)
	req.RatePlans, req.Overbook = plans, 1
	q, err := repo.Quote(t.Context(), req)
	require.NoError(t, err)
	require.Len(t, q.Lines, 10)
	condition := regexp.MustCompile(`"ConditionExpression":"([^"]*)"`)
	stop := db.Faults.Record()
	sold, err := sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	assert.Equal(t, dates("2026-07-10"), sold.Lines[9].Overbooked)
	for _, r := range stop() {
		if found := condition.FindStringSubmatch(string(r.Body)); found != nil {
			var text string
			require.NoError(t, json.Unmarshal([]byte(`"`+found[1]+`"`), &text))
			operators := 0
			for _, operator := range []string{" AND ", " OR ", " = ", "<= ", ">= ", "< ", "attribute_"} {
				operators += strings.Count(text, operator)
			}
			t.Log(len(text), "bytes,", operators, "operators")
			assert.Less(t, len(text), 4096)
			assert.Less(t, operators, 300)
			return
		}
	}
	t.Error("no update was recorded")
}

// While 64 callers buy, the price of their plan changes, or that of the night from which it is derived: whoever paid the old
// price bought before the change, and the rooms are those that are left.
func TestPriceChangesDuringSales(t *testing.T) {
	t.Parallel()
	for plan, change := range map[string]availability.Change{
		"flex": {Rates: rateChanges{"flex": {Price: money("333.00 USD")}}}, "non-ref": {Rates: rateChanges{"flex": {Price: money("333.00 USD")}}},
		"club": {Price: money("333.00 USD")},
	} {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			const rooms, buyers = 50, 64
			db, hotel, repo := openHotel(t, rooms)
			plans := plansOnSale()
			for i := range plans {
				plans[i].PropertyID = hotel.ID
			}
			putPlans(t, db, hotel.ID, plans...)
			update(t, repo, hotel, fixture.Stay, availability.Change{Rates: rateChanges{"flex": {Price: money("300.00 USD")}}})
			req := requestUnder(fixture.Stay, roomsUnder(plan, 1, adults(1)))
			req.Property.ID, req.Rooms[0].RoomTypeID, req.RatePlans = hotel.ID, hotel.RoomTypeID, plans
			old, err := repo.Quote(t.Context(), req)
			require.NoError(t, err)

			var sold, changed atomic.Int64
			var wg sync.WaitGroup
			for i := range buyers {
				if i == buyers/2 {
					wg.Go(func() {
						_, err := repo.Update(context.Background(), availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
							changeOf(hotel.RoomTypeID, fixture.Stay, change),
						}})
						assert.NoError(t, err)
					})
				}
				wg.Go(func() {
					_, err := sellAt(context.Background(), db.DB, old)
					var refused *availability.Refused
					switch {
					case err == nil:
						sold.Add(1)
					case errors.As(err, &refused) && refused.Has(availability.PriceChanged):
						changed.Add(1)
					default:
						assert.Fail(t, "another outcome", "%v", err)
					}
				})
			}
			wg.Wait()
			assert.EqualValues(t, buyers, sold.Load()+changed.Load())
			_, err = sellAt(t.Context(), db.DB, old)
			assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.PriceChanged), "the old price is over")
			calendar, err := repo.Calendar(t.Context(), hotel.ID, fixture.Stay)
			require.NoError(t, err)
			for _, day := range calendar.Days {
				assert.EqualValues(t, rooms-sold.Load(), day.Night(hotel.RoomTypeID).Available)
			}
		})
	}
}

// Buyers under different plans compete for the same rooms, and none is sold twice.
func TestPlansNeverOversell(t *testing.T) {
	t.Parallel()
	const buyers = 64
	db, repo := openForPlans(t)
	other := db.Open(&dynastay.Options{Clock: fixture.Clock})
	var quotes []*availability.Quote
	for _, plan := range []string{"flex", "early", "non-ref", "club", ""} {
		quotes = append(quotes, quoted(t, repo, roomsUnder(plan, 1, adults(1))))
	}
	quotes = append(quotes, quoted(t, repo, roomsUnder("flex", 1, adults(2)), roomsUnder("early", 1, adults(1))))
	var sold atomic.Int64
	var wg sync.WaitGroup
	for i := range buyers {
		wg.Go(func() {
			q := quotes[i%len(quotes)]
			_, err := sellAt(context.Background(), []*dynastay.DB{db.DB, other}[i%2], q)
			if err != nil {
				assert.True(t, blame.As[*availability.Refused](t, err).Has(availability.SoldOut))
				return
			}
			sold.Add(int64(len(q.Lines)))
		})
	}
	wg.Wait()
	left := available(t, db)
	assert.Equal(t, []int{left[0], left[0], left[0]}, left)
	assert.EqualValues(t, 5, sold.Load()+int64(left[0]))
	assert.GreaterOrEqual(t, left[0], 0)
}

// With nine priced plans on each night, a sale costs the same as without plans.
func TestCostOfASaleWithPlans(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	all := dynastay.Item{}
	for i := range 7 {
		all[fmt.Sprintf("plan%d", i)] = mapOf(dynastay.Item{"P": number("128.5"), "N": number("2"), "A": yes})
	}
	for d := range stay.Dates() {
		putNights(t, db, night(roomTypeID, d.String(), ratesOnSale(all)))
		putNights(t, db, night("room_790", d.String()))
	}
	plain := request(stay, room("room_790", 1))
	q, err := repo.Quote(t.Context(), plain)
	require.NoError(t, err)
	without := db.Measure(func() { _, err := sellAt(t.Context(), db.DB, q); require.NoError(t, err) })
	q = quoted(t, repo, roomsUnder("non-ref", 1, adults(2)))
	with := db.Measure(func() { _, err := sellAt(t.Context(), db.DB, q); require.NoError(t, err) })
	assert.Equal(t, without.Bill(), with.Bill())
	assert.Equal(t, 1, with.Bill().Requests)
}

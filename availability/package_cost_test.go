package availability_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	sizes "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// bill is the cost of a call: its operations in order, the read units by table or by table and index, and the tables
// that it is charged for writing to. Local engines do not agree on the number of write units of a transaction.
type bill struct {
	operations []string
	reads      map[string]float64
	writes     []string
}

func TestCosts(t *testing.T) {
	t.Parallel()
	var prefix string
	var got bill
	db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: fixture.Clock, Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		assert.Equal(t, 1, c.Requests())
		assert.NoError(t, c.Err)
		got.operations = append(got.operations, c.Operation)
		for _, u := range c.Usage {
			name := strings.TrimSpace(strings.TrimPrefix(u.Table, prefix) + " " + u.Index)
			if u.ReadUnits > 0 {
				got.reads[name] += u.ReadUnits
			}
			if u.WriteUnits > 0 && u.Index == "" {
				got.writes = append(got.writes, name)
			}
		}
		slices.Sort(got.writes)
	})}))
	prefix = db.TableName(&dynastay.Schema{})
	repo := availability.New(db.DB)
	putRoomType(t, db, roomTypeID)
	putRoomType(t, db, "room_790")
	putProperty(t, db, "America/New_York")

	open := func(o availability.OpenRequest) func() error {
		return func() error { _, err := repo.Open(t.Context(), o); return err }
	}
	quote := func(stay dynastay.Stay, rooms ...availability.Room) func() error {
		return func() error { _, err := repo.Quote(t.Context(), request(stay, rooms...)); return err }
	}
	july, quarter := opening("2026-07-01", "2026-08-01"), opening("2026-07-01", "2026-09-29")
	other := july
	other.RoomTypeID = "room_790"
	openings, both := []string{"BatchGetItem", "Query", "TransactWriteItems"}, []string{"Availability", "Properties"}
	for _, test := range []struct {
		name       string
		call       func() error
		operations []string
		reads      float64 // of Availability; negative if engines differ
		writes     []string
	}{
		{"Open 31 nights", open(july), openings, -1, both},
		{"Open them again", open(july), []string{"BatchGetItem", "Query"}, 3, nil},
		{"Open another room type", open(other), openings, -1, both},
		{"Check 3 nights", func() error {
			_, err := repo.Check(t.Context(), propertyID, roomTypeID, 1, stay)
			return err
		}, []string{"Query"}, 0.5, nil},
		{"Prices of 31 nights", func() error {
			_, err := repo.Prices(t.Context(), roomTypeID, july.Nights)
			return err
		}, []string{"Query"}, 1.5, nil},
		{"Quote one room type", quote(stay, room(roomTypeID, 2)), []string{"Query"}, 0.5, nil},
		{"Quote two room types", quote(stay, room(roomTypeID, 1), room("room_790", 1), room(roomTypeID, 1)), []string{"Query", "Query"}, 1, nil},
		{"Open the rest of 90 nights", open(quarter), openings, 3, both},
		{"Quote 90 nights", quote(quarter.Nights, room(roomTypeID, 2)), []string{"Query"}, 3.5, nil},
	} {
		got = bill{reads: map[string]float64{}}
		require.NoError(t, test.call(), test.name)
		t.Logf("%s: %+v", test.name, got)
		assert.Equal(t, test.operations, got.operations, test.name)
		assert.Equal(t, test.writes, got.writes, test.name)
		if test.reads >= 0 {
			reads := map[string]float64{"Availability": test.reads}
			if slices.Contains(test.operations, "BatchGetItem") {
				reads["Properties"] = 2 // the room type and its property, consistently
			}
			assert.Equal(t, reads, got.reads, test.name)
		}
	}
}

// What the inventory of a hotel costs that has three room types on sale for a year.
func TestCostOfAYear(t *testing.T) {
	t.Parallel()
	const roomTypes, nights, parts = 3, 365, 4 // parts are the transactions of a room type
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	ctx, repo, costs := t.Context(), availability.New(db.DB), page.Costs{DB: db}
	var rooms []properties.RoomType
	for i := range roomTypes {
		rooms = append(rooms, properties.RoomType{
			Name: fmt.Sprint("Room ", i), Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 5,
		})
	}
	hotel, err := properties.New(db.Direct, nil).Create(ctx, properties.Property{
		Name: "Grand Luxury Hotel", Slug: "grand-luxury-hotel", Type: properties.Hotel, OwnerID: "user_1", Status: properties.Approved,
		Address: properties.Address{City: "New York", Country: "USA"},
	}, rooms)
	require.NoError(t, err)
	property, err := db.Direct.Get(ctx, keys.PropertiesTable, dynastay.Key{PK: "PROPERTY#" + hotel.ID, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	kilobytes := float64((sizes.Size(property.Item()) + 1023) / 1024)
	first := date("2026-07-01")
	year := dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)}
	var ids []string
	var checks []availability.CheckRequest
	for _, room := range hotel.Rooms {
		ids = append(ids, room.ID)
		checks = append(checks, availability.CheckRequest{PropertyID: hotel.ID, RoomTypeID: room.ID, Rooms: 1})
	}
	open := func(repo *availability.Repository, id string) error {
		return second(repo.Open(ctx, availability.OpenRequest{
			PropertyID: hotel.ID, RoomTypeID: id, Rooms: 5, Price: fixture.Price, Nights: year,
		}))
	}
	for _, id := range ids[1:] {
		require.NoError(t, open(availability.New(db.Direct), id))
	}
	calendar := func(nights int) func() error {
		return func() error {
			return second(repo.Calendar(ctx, hotel.ID, dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)}))
		}
	}
	update := func() error {
		return second(repo.Update(ctx, availability.UpdateRequest{PropertyID: hotel.ID, Changes: []availability.Change{
			{RoomTypeIDs: ids, Dates: year, Price: money("300.00 USD")},
		}}))
	}
	const all = roomTypes * nights
	for _, test := range []struct {
		what, why string
		want      dyntest.Bill
		call      func() error
	}{
		{
			"Open: a year of a room type",
			"two units for each night, because it is written in a transaction, and one for its row in the index. 2 more for each " +
				"of the 4 transactions, which check a guard. Each reads the nights that are already open",
			dyntest.Bill{Requests: 1 + 2*parts, ReadUnits: 2 + parts, TableUnits: 2*nights + 2*parts, IndexUnits: nights},
			func() error { return open(repo, ids[0]) },
		},
		{
			"A1, A2: a stay of three nights", "half a unit for every 4 KB", dyntest.Bill{Requests: 1, ReadUnits: 0.5},
			func() error { return second(repo.Check(ctx, hotel.ID, ids[0], 1, fixture.Stay)) },
		},
		{
			"A3: three nights of 3 room types of a property",
			"a page of 50 properties takes 50 requests and 25 units. A Query of each room type would take 150 requests and 75 units; " +
				"BatchGetItem, 5 requests and 225 units",
			dyntest.Bill{Requests: 1, ReadUnits: 0.5},
			func() error { return second(repo.CheckAll(ctx, checks, fixture.Stay)) },
		},
		{"A4: a month of 3 room types", "the rows of the index", dyntest.Bill{Requests: 1, ReadUnits: 3}, calendar(31)},
		{
			"A4: a year of 3 room types", "the same. Every MB takes another request",
			dyntest.Bill{Requests: 1, ReadUnits: 30}, calendar(nights),
		},
		{
			"Update: a year of 3 room types, all of 1,095 nights",
			"one unit for each night, and one for its row in the index. One Update for each night would take 3,285 " +
				"requests",
			dyntest.Bill{Requests: 1 + roomTypes + all, ReadUnits: 4 + 111, TableUnits: all, IndexUnits: all}, update,
		},
		{
			"the same update again", "one Query for each room type, and a BatchGetItem of the property and its room types",
			dyntest.Bill{Requests: 1 + roomTypes, ReadUnits: 4 + 111}, update,
		},
		{
			"CloseSales: the same nights",
			"as Open, and 2 more for each of the 3 guards and for each KB of the property, whose status is checked. The nights are " +
				"read twice",
			dyntest.Bill{
				Requests: 1 + 2 + roomTypes*(2+parts), ReadUnits: 4 + 2*112.5,
				TableUnits: 2*all + 2*roomTypes*parts + 2*roomTypes + 2*kilobytes, IndexUnits: all,
			},
			func() error {
				closed, err := repo.CloseSales(ctx, hotel.ID)
				assert.Equal(t, availability.SalesChange{RoomTypes: roomTypes, Nights: all}, closed)
				return err
			},
		},
	} {
		costs.Measure(t, test.what, test.why, test.want, func() { require.NoError(t, test.call(), test.what) })
	}
	costs.Section(t, "inventory")
}

// What the prices of rate plans cost a hotel with 20 room types and three plans with prices of their own.
func TestCostOfRates(t *testing.T) {
	t.Parallel()
	const roomTypes, nights, all = 20, 182, 20 * 182
	db := dyntest.New(t, inventoryTables, dyntest.At(fixture.Now))
	ctx, repo, costs := t.Context(), availability.New(db.DB), page.Costs{DB: db}
	first := date("2026-07-01")
	half := dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)}
	var ids []string
	for i := range roomTypes {
		ids = append(ids, fmt.Sprintf("room_%026d", i)) // as long as drawn ids
		putRoomType(t, db, ids[i])
		_, err := availability.New(db.Direct).Open(ctx, availability.OpenRequest{
			PropertyID: propertyID, RoomTypeID: ids[i], Rooms: 5, Price: fixture.Price, Nights: half,
		})
		require.NoError(t, err)
	}
	plans := []string{"flex", "nonref", "breakfast"}
	for _, id := range plans {
		putPlans(t, db, propertyID, availability.RatePlan{ID: id})
	}
	set := func(price string, plans ...string) func() {
		return func() {
			changes := map[string]availability.RateChange{}
			for _, id := range plans {
				changes[id] = availability.RateChange{Price: money(price)}
			}
			report, err := repo.Update(ctx, availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{
				{RoomTypeIDs: ids, Dates: half, Rates: changes},
			}})
			require.NoError(t, err)
			assert.Equal(t, all, report.Count(availability.Written))
		}
	}
	costs.Measure(t, "Update: half a year of 20 room types, three rate plans at once",
		"one unit for each of 3,640 nights, and one for its row in the index. The first request reads the plans as well",
		dyntest.Bill{Requests: 1 + roomTypes + all, ReadUnits: 24 + roomTypes*16, TableUnits: all, IndexUnits: all}, set("300.00 USD", plans...))
	costs.Measure(t, "the same for one of the plans", "as many writes: what changes together is best written together",
		dyntest.Bill{Requests: 1 + roomTypes + all, ReadUnits: 22 + roomTypes*19, TableUnits: all, IndexUnits: all}, set("310.00 USD", plans[0]))
	costs.Measure(t, "A4: a month of them", "the rows of the index, a quarter larger than without plans",
		dyntest.Bill{Requests: 1, ReadUnits: 19}, func() {
			require.NoError(t, second(repo.Calendar(ctx, propertyID, dynastay.MustStay("2026-07-01", "2026-08-01"))))
		})
	costs.Section(t, "rates of nights")
}

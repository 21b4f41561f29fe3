package availability_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// block stores properties with room types, and nights of each from the first of July 2026.
func block(t *testing.T, db *dyntest.DB, properties, roomTypes, nights, plans int) (reqs []availability.CheckRequest) {
	t.Helper()
	rates := map[string]availability.Rate{}
	for i := range plans {
		rates[fmt.Sprintf("plan%d", i)] = availability.Rate{Price: fixture.Price}
	}
	for p := range properties {
		for r := range roomTypes {
			// As long as generated ids.
			req := availability.CheckRequest{PropertyID: fmt.Sprintf("prop_%026d", p), RoomTypeID: fmt.Sprintf("room_%020d_%05d", p, r), Rooms: 1}
			reqs = append(reqs, req)
			for id := range rates {
				putPlans(t, db, req.PropertyID, availability.RatePlan{ID: id})
			}
			putGuard(t, db, req.RoomTypeID, req.PropertyID, nil)
			raw.Put(t, db, keys.PropertiesTable, dynastay.Item{
				"PK": dynastay.Text("PROPERTY#" + req.PropertyID), "SK": dynastay.Text("ROOM#" + req.RoomTypeID),
				"Currency": dynastay.Text("USD"), "TotalRooms": dynastay.Number(5),
			})
			_, err := direct(db).Open(t.Context(), availability.OpenRequest{
				PropertyID: req.PropertyID, RoomTypeID: req.RoomTypeID, Rooms: 5, Price: fixture.Price, MinStay: 1, MaxStay: 30, Rates: rates,
				Nights: dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(nights)},
			})
			require.NoError(t, err)
		}
	}
	return reqs
}

// CheckAll consumes no more read units than any of the three ways, each measured, and of equal ones it takes the one
// with the fewest requests.
func TestCheckAllCostsLeast(t *testing.T) {
	t.Parallel()
	for _, plans := range []int{0, 9} {
		t.Run(fmt.Sprint(plans, " plans"), func(t *testing.T) { t.Parallel(); costsLeast(t, plans) })
	}
}

func costsLeast(t *testing.T, plans int) {
	db, repo := open(t)
	const properties, roomTypes = 4, 6
	all := block(t, db, properties, roomTypes, 40, plans)
	for _, ask := range []int{1, 2, 6} {
		for _, nights := range []int{1, 2, 3, 7, 40} {
			stay := dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(nights)}
			var reqs []availability.CheckRequest
			var asked []dynastay.Key
			for i, req := range all {
				if i%roomTypes >= ask {
					continue
				}
				req.RoomTypes, req.RatePlans = roomTypes, plans
				reqs = append(reqs, req)
				for date := range stay.Dates() {
					asked = append(asked, dynastay.Key{PK: "ROOM#" + req.RoomTypeID, SK: "DATE#" + date.String()})
				}
			}
			got := db.Measure(func() {
				_, err := repo.CheckAll(t.Context(), reqs, stay)
				require.NoError(t, err)
			})
			ways := map[string]*dyntest.Spent{
				"index": db.Measure(func() {
					for i := range properties {
						_, err := dynastay.QueryAll(t.Context(), db.DB, keys.AvailabilityTable, dynastay.Query{
							Index: keys.PropertyDateIndex, Partition: "PROPERTY#" + all[i*roomTypes].PropertyID,
							Range: dynastay.Range{From: "DATE#" + stay.CheckIn.String(), To: "DATE#" + stay.CheckOut.String()},
						})
						require.NoError(t, err)
					}
				}),
				"room": db.Measure(func() {
					for _, req := range reqs {
						_, err := repo.Check(t.Context(), req.PropertyID, req.RoomTypeID, 1, stay)
						require.NoError(t, err)
					}
				}),
				"batch": db.Measure(func() {
					_, err := db.GetAll(t.Context(), keys.AvailabilityTable, asked)
					require.NoError(t, err)
				}),
			}
			for name, other := range ways {
				assert.LessOrEqual(t, got.ReadUnits, other.ReadUnits, "%d room types, %d nights: %s", ask, nights, name)
				if got.ReadUnits == other.ReadUnits {
					assert.LessOrEqual(t, got.Requests, other.Requests, "%d room types, %d nights: %s", ask, nights, name)
				}
			}
		}
	}
}

// The way that is taken for a page of results, and what it costs.
func TestCheckAllTakesTheCheapestPlan(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		properties, roomTypes, ask, nights int // ask: room types asked for, of each property
		known                              bool
		consistent                         bool
		requests                           int
		units                              float64
		operation                          string
	}{
		{properties: 5, roomTypes: 3, ask: 3, nights: 3, requests: 5, units: 2.5, operation: "index"},
		{properties: 5, roomTypes: 3, ask: 3, nights: 1, requests: 5, units: 2.5, operation: "index"},
		{properties: 5, roomTypes: 3, ask: 1, nights: 1, requests: 1, units: 2.5, operation: "BatchGetItem"},
		{properties: 5, roomTypes: 3, ask: 1, nights: 3, requests: 5, units: 2.5, operation: "index"},
		{properties: 1, roomTypes: 12, ask: 1, nights: 30, known: true, requests: 1, units: 2, operation: "Query"},
		{properties: 1, roomTypes: 12, ask: 2, nights: 30, known: true, requests: 2, units: 4, operation: "Query"},
		{properties: 1, roomTypes: 12, ask: 12, nights: 30, requests: 1, units: 11, operation: "index"},
		{properties: 5, roomTypes: 3, ask: 3, nights: 3, consistent: true, requests: 15, units: 15, operation: "Query"},
		{properties: 5, roomTypes: 3, ask: 3, nights: 1, consistent: true, requests: 1, units: 15, operation: "BatchGetItem"},
	} {
		t.Run(fmt.Sprintf("%d of %d room types of %d properties for %d nights, consistent %t", test.ask, test.roomTypes, test.properties, test.nights, test.consistent), func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			var reqs []availability.CheckRequest
			for i, req := range block(t, db, test.properties, test.roomTypes, test.nights, 0) {
				if i%test.roomTypes < test.ask {
					if test.known && i == 0 { // it is enough that one of the requests says so
						req.RoomTypes = test.roomTypes
					}
					reqs = append(reqs, req)
				}
			}
			var opts []dynastay.ReadOption
			if test.consistent {
				opts = append(opts, dynastay.Consistent)
			}
			stay := dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(test.nights)}
			stop := db.Faults.Record()
			var all []availability.Availability
			spent := db.Measure(func() {
				var err error
				all, err = repo.CheckAll(t.Context(), reqs, stay, opts...)
				require.NoError(t, err)
			})
			assert.Equal(t, test.requests, spent.Requests)
			assert.Equal(t, test.units, spent.ReadUnits)
			for _, r := range stop() {
				assert.Equal(t, test.operation, kindOf(t, r))
			}
			require.Len(t, all, len(reqs))
			for i, got := range all {
				assert.True(t, got.OK())
				one, err := repo.Check(t.Context(), reqs[i].PropertyID, reqs[i].RoomTypeID, 1, stay)
				require.NoError(t, err)
				for i := range one.Nights { // which the index does not project
					if test.operation == "index" {
						one.Nights[i].UpdatedAt, one.Nights[i].ExpiresAt = all[0].Nights[0].UpdatedAt, all[0].Nights[0].ExpiresAt
					}
				}
				assert.Equal(t, one, got)
			}
		})
	}
}

// kindOf returns the operation of a request, or "index" for a Query of the index. It fails if a request that should be
// consistent is not, or the reverse.
func kindOf(t *testing.T, r dyntest.Request) string {
	var body struct{ IndexName string }
	require.NoError(t, json.Unmarshal(r.Body, &body))
	if body.IndexName != "" {
		assert.NotContains(t, string(r.Body), "ConsistentRead")
		return "index"
	}
	return r.Operation
}

func TestCheckAllIsConsistentOnRequest(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	for _, nights := range []int{1, 3} {
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			stop := db.Faults.Record()
			_, err := repo.CheckAll(t.Context(), []availability.CheckRequest{{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 1, RoomTypes: 100}},
				dynastay.Stay{CheckIn: date("2026-07-01"), CheckOut: date("2026-07-01").AddDays(nights)}, opts...)
			require.NoError(t, err)
			sent := stop()
			require.Len(t, sent, 1)
			assert.Equal(t, len(opts) > 0, strings.Contains(string(sent[0].Body), `"ConsistentRead":true`), "%d nights", nights)
		}
	}
}

// The result is in the order of the requests, which may name a room type more than once, with any number of rooms, of
// properties that do not exist, or under the wrong property.
func TestCheckAllAnswersEachRequest(t *testing.T) {
	t.Parallel()
	_, hotel, repo := openHotel(t, 5)
	update(t, repo, hotel, oneNight("2026-07-11"), availability.Change{Rooms: ptr(2)})
	reqs := []availability.CheckRequest{
		{PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 3},
		{PropertyID: "prop_other", RoomTypeID: hotel.RoomTypeID, Rooms: 1},
		{PropertyID: hotel.ID, RoomTypeID: "room_unknown", Rooms: 1},
		{PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 2},
	}
	for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
		all, err := repo.CheckAll(t.Context(), reqs, stay, opts...)
		require.NoError(t, err)
		require.Len(t, all, 4)
		for i, req := range reqs {
			one, err := repo.Check(t.Context(), req.PropertyID, req.RoomTypeID, req.Rooms, stay)
			require.NoError(t, err)
			assert.Equal(t, one.Refused, all[i].Refused)
			assert.Equal(t, []string{req.PropertyID, req.RoomTypeID}, []string{all[i].PropertyID, all[i].RoomTypeID})
		}
		assert.Equal(t, []bool{false, false, false, true}, []bool{all[0].OK(), all[1].OK(), all[2].OK(), all[3].OK()})
		assert.Equal(t, 2, all[0].Refused[0].Left)
		assert.Equal(t, &availability.Refused{Nights: all[0].Refused}, all[0].Err())
		assert.NoError(t, all[3].Err())
		assert.Equal(t, money("840.00 USD"), all[3].Prices().Total)
	}
}

func TestCheckAllRejectsBadInput(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	good := availability.CheckRequest{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 1}
	for field, edit := range map[string]func(*availability.CheckRequest){
		"PropertyID": func(c *availability.CheckRequest) { c.PropertyID = "" },
		"RoomTypeID": func(c *availability.CheckRequest) { c.RoomTypeID = "a#b" },
		"Rooms":      func(c *availability.CheckRequest) { c.Rooms = 0 },
		"RoomTypes":  func(c *availability.CheckRequest) { c.RoomTypes = -1 },
		"RatePlans":  func(c *availability.CheckRequest) { c.RatePlans = 41 },
	} {
		bad := good
		edit(&bad)
		_, err := repo.CheckAll(t.Context(), []availability.CheckRequest{good, bad}, stay)
		blame.Invalid(t, err, "Requests[1]."+field, field)
	}
	none, err := repo.CheckAll(t.Context(), nil, stay)
	require.NoError(t, err)
	assert.Empty(t, none, "a page of search results may be empty")
	many := make([]availability.CheckRequest, 1001)
	for i := range many {
		many[i] = good
	}
	_, err = repo.CheckAll(t.Context(), many, stay)
	blame.Invalid(t, err, "Requests", "too many")
	_, err = repo.CheckAll(t.Context(), []availability.CheckRequest{good}, dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(733)})
	blame.Invalid(t, err, "Stay", "too long")
	assert.Empty(t, stop())
	_, err = repo.CheckAll(t.Context(), many[:1000], stay)
	assert.NoError(t, err)
}

// A night that cannot be read is not on sale, and the other results are complete.
func TestCheckAllWithAnUnreadableNight(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	hotel.Open(t, db.DB, availability.OpenRequest{Nights: dynastay.MustStay("2026-09-01", "2026-09-04"), Rooms: 1, Price: fixture.Price})
	change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + hotel.RoomTypeID, SK: "DATE#2026-09-02"},
		"MinStay = :v", dynastay.Item{":v": dynastay.Text("two")})
	req := availability.CheckRequest{PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID, Rooms: 1}
	for name, test := range map[string]struct {
		stay      dynastay.Stay
		roomTypes int
	}{
		"index": {dynastay.MustStay("2026-09-01", "2026-09-04"), 0},
		"query": {dynastay.MustStay("2026-09-01", "2026-09-04"), 100},
		"batch": {oneNight("2026-09-02"), 0},
	} {
		req.RoomTypes = test.roomTypes
		all, err := repo.CheckAll(t.Context(), []availability.CheckRequest{req}, test.stay)
		assert.ErrorIs(t, err, dynastay.ErrCorrupt, name)
		require.Len(t, all, 1)
		assert.Len(t, all[0].Nights, test.stay.Nights()-1, name)
		assert.Equal(t, []availability.RefusedNight{{RoomTypeID: hotel.RoomTypeID, Date: date("2026-09-02"), Reason: availability.NotOnSale}}, all[0].Refused, name)
	}
}

// One night of the stay is not open; a night outside the stay has an index key inside it.
func TestCheckAllPricesANightOutsideTheStay(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		putNights(t, db,
			night(room, "2026-07-10", indexed("2026-07-10", room)),
			night(room, "2026-08-15", indexed("2026-07-11", room)))
	}
	stay := dynastay.MustStay("2026-07-10", "2026-07-12")
	var reqs []availability.CheckRequest
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		reqs = append(reqs, availability.CheckRequest{PropertyID: propertyID, RoomTypeID: room, Rooms: 1})
	}
	all, err := repo.CheckAll(t.Context(), reqs, stay)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	for _, a := range all {
		assert.False(t, a.OK())
		assert.False(t, a.Prices().Total.IsSet(), "the night of 11 July is not open, so there is no total; got %s", a.Prices().Total)
		for _, n := range a.Nights {
			assert.True(t, stay.Contains(n.Date), n.Date)
		}
	}
}

// A night of a room type that was not asked for cannot be read.
func TestCheckAllIsNotDisturbedByOtherRoomTypes(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	var reqs []availability.CheckRequest
	for _, room := range []string{"room_a", "room_b", "room_c"} {
		putNights(t, db, night(room, "2026-07-10", indexed("2026-07-10", room)))
		reqs = append(reqs, availability.CheckRequest{PropertyID: propertyID, RoomTypeID: room, Rooms: 1})
	}
	putNights(t, db, night("room_x", "2026-07-10", indexed("2026-07-10", "room_x"), dynastay.Item{"MinStay": dynastay.Text("two")}))
	_, err := repo.CheckAll(t.Context(), reqs, oneNight("2026-07-10"))
	assert.NoError(t, err, "room_x was not asked for")
}

// The results of two requests for one room type share no memory.
func TestCheckAllSharesNights(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putNights(t, db, night(roomTypeID, "2026-07-10"))
	all, err := repo.CheckAll(t.Context(), []availability.CheckRequest{
		{PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 1}, {PropertyID: propertyID, RoomTypeID: roomTypeID, Rooms: 2},
	}, oneNight("2026-07-10"))
	require.NoError(t, err)
	all[0].Nights[0].Price = money("1.00 USD")
	assert.Equal(t, money("280.00 USD"), all[1].Nights[0].Price)
}

// parallel is a client that counts the requests in flight.
type parallel struct {
	mu        sync.Mutex
	now, most int
}

func (c *parallel) enter() func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now++
	c.most = max(c.most, c.now)
	return func() { c.mu.Lock(); defer c.mu.Unlock(); c.now-- }
}

func (c *parallel) do(r *fake.Request) (any, error) {
	defer c.enter()()
	return r.Send()
}

// However the nights are read, at most 16 requests are in flight.
func TestCheckAllSends16AtATime(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	client := &parallel{}
	db.Faults.Inject(dyntest.Delay(20*time.Millisecond), dyntest.When{})
	repo := availability.New(dynastay.Open(fake.Client{Next: db.Client, Do: client.do}, &dynastay.Options{TablePrefix: prefixOf(db), Clock: fixture.Clock}))
	var reqs []availability.CheckRequest
	for i := range 900 { // read by BatchGetItem
		reqs = append(reqs, availability.CheckRequest{PropertyID: "prop_" + string(rune('a'+i%26)) + string(rune('A'+i/26)), RoomTypeID: "room_" + string(rune('a'+i%26)) + string(rune('A'+i/26)), Rooms: 1, RoomTypes: 1000})
	}
	for i := range 30 { // read on the index
		for _, room := range []string{"x", "y", "z"} {
			id := string(rune('a' + i))
			if i >= 26 {
				id = "A" + string(rune('a'+i-26))
			}
			reqs = append(reqs, availability.CheckRequest{PropertyID: "all_" + id, RoomTypeID: "room_" + id + room, Rooms: 1})
		}
	}
	_, err := repo.CheckAll(t.Context(), reqs, oneNight("2026-07-10"))
	require.NoError(t, err)
	assert.LessOrEqual(t, client.most, 16)
}

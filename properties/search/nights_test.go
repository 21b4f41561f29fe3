package search_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/internal/market"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// searchTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var searchTables = dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable)

// first is the first night that the market has opened; it has four.
var first = dynastay.DateOf(fixture.Now, nil).AddDays(20)

const openNights = 4

// night is one night of a room type, as the test knows it.
type night struct {
	left, total, minStay, maxStay     int
	price                             dynastay.Money
	blocked, closed, arrival, leaving bool // leaving: closed to departure on the morning after
}

// hotels is a market with nights.
type hotels struct {
	*market.Market
	db     *dyntest.DB
	search *search.Search
	nights map[string]map[dynastay.Date]night // by room type
}

func openHotels(t testing.TB, seed uint64, size int) *hotels {
	t.Helper()
	db := dyntest.New(t, searchTables, dyntest.At(fixture.Now))
	h := &hotels{
		Market: market.Generate(seed, market.Options{Properties: size}), db: db,
		search: search.New(db.DB, properties.New(db.DB, nil)), nights: map[string]map[dynastay.Date]night{},
	}
	h.Load(t, db.Direct)
	r := rand.New(rand.NewPCG(seed, 1))
	var items []dynastay.Item
	for _, p := range h.Properties {
		for _, room := range p.Rooms {
			h.nights[room.ID] = map[dynastay.Date]night{}
			calm := r.IntN(3) > 0 // without restrictions
			for i := range openNights {
				n := night{left: r.IntN(room.Total + 1), total: room.Total, price: room.BasePrice}
				if calm {
					n.left = max(1, n.left)
				} else {
					n.blocked, n.closed, n.arrival, n.leaving = r.IntN(12) == 0, r.IntN(12) == 0, r.IntN(8) == 0, r.IntN(8) == 0
					n.minStay, n.maxStay = r.IntN(4), r.IntN(5)
					if r.IntN(10) == 0 {
						continue
					}
				}
				if r.IntN(2) == 0 {
					n.price = dynastay.MustMoney(fmt.Sprint(r.IntN(300)), room.BasePrice.Currency())
				}
				date := first.AddDays(i)
				h.nights[room.ID][date] = n
				items = append(items, n.item(p.ID, room.ID, date))
			}
		}
	}
	chunks := slices.Collect(slices.Chunk(items, 200))
	require.NoError(t, db.Direct.Each(t.Context(), len(chunks), func(ctx context.Context, i int) error {
		return db.Direct.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for _, item := range chunks[i] {
				if !yield(keys.AvailabilityTable, item) {
					return
				}
			}
		})
	}))
	return h
}

func (n night) item(propertyID, roomTypeID string, date dynastay.Date) dynastay.Item {
	stored, _ := keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date})
	index, _ := keys.Of(keys.NightByProperty{PropertyID: propertyID, Date: date, RoomTypeID: roomTypeID})
	flag := func(yes bool) types.AttributeValue { return &types.AttributeValueMemberBOOL{Value: yes} }
	return dynastay.Item{
		"PK": dynastay.Text(stored.PK), "SK": dynastay.Text(stored.SK), "GSI1PK": dynastay.Text(index.PK), "GSI1SK": dynastay.Text(index.SK),
		"RoomTypeId": dynastay.Text(roomTypeID), "PropertyId": dynastay.Text(propertyID), "Date": dynastay.Text(date.String()),
		"AvailableRooms": dynastay.Number(n.left), "TotalRooms": dynastay.Number(n.total),
		"PricePerNight": &types.AttributeValueMemberN{Value: n.price.Amount()}, "Currency": dynastay.Text(string(n.price.Currency())),
		"MinStay": dynastay.Number(n.minStay), "MaxStay": dynastay.Number(n.maxStay),
		"IsBlocked": flag(n.blocked), "PropertyClosed": flag(n.closed), "ClosedToArrival": flag(n.arrival), "ClosedToDeparture": flag(n.leaving),
	}
}

// price returns the price of one room for a stay, and the rooms that are left; ok is false if none can be sold.
func (h *hotels) price(roomTypeID string, stay dynastay.Stay) (price dynastay.Money, left int, ok bool) {
	left = 1 << 30
	for date := range stay.Dates() {
		n, open := h.nights[roomTypeID][date]
		if !open || n.blocked || n.closed || n.left < 1 {
			return price, 0, false
		}
		if date == stay.CheckIn && (n.arrival || n.minStay > stay.Nights() || n.maxStay > 0 && n.maxStay < stay.Nights()) {
			return price, 0, false
		}
		if date == stay.LastNight() && n.leaving {
			return price, 0, false
		}
		left = min(left, n.left)
		price = must(price.Add(n.price))
	}
	return price, left, true
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

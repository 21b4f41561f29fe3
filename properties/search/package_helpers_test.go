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
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/internal/testing/tariff"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// inns is a city whose properties a test creates itself.
type inns struct {
	*dyntest.DB
	properties *properties.Repository
	nights     *availability.Repository
	search     *search.Search
}

func openInns(t testing.TB, tables dyntest.Option) *inns {
	t.Helper()
	db := dyntest.New(t, tables, dyntest.At(fixture.Now))
	repo := properties.New(db.DB, nil)
	return &inns{db, repo, availability.New(db.DB), search.New(db.DB, repo)}
}

// lisbon is where the inns are.
var lisbon = key.Point{Latitude: 38.7223, Longitude: -9.1393}

// inn is an approved property, in UTC all year round.
func inn(id string, edits ...func(*properties.Property)) properties.Property {
	p := properties.Property{
		ID: id, Name: "Inn " + id, Slug: "inn-" + id, Type: properties.Hotel, Stars: 3, OwnerID: "user_host", Status: properties.Approved,
		Address:     properties.Address{City: "Lisbon", Country: "Portugal", Latitude: lisbon.Latitude, Longitude: lisbon.Longitude},
		CheckInTime: "15:00", CancellationPolicy: availability.FreeCancellation(48),
	}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// room is a room type for a number of adults or children, with 5 rooms.
func room(id string, sleeps int, price string, edits ...func(*properties.RoomType)) properties.RoomType {
	r := properties.RoomType{
		ID: id, Name: "Room " + id, Limits: availability.Limits{MaxOccupancy: sleeps, MaxAdults: sleeps, MaxChildren: sleeps},
		BasePrice: usd(price), Total: 5,
	}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

// stay is three nights, which the inns have opened, and one more after it.
var stay = dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(3)}

// request is for two adults in Lisbon.
func request(edits ...func(*search.Request)) search.Request {
	r := search.Request{City: "Lisbon", Country: "Portugal", Stay: stay, Guests: availability.Guests{Adults: 2}}
	for _, edit := range edits {
		edit(&r)
	}
	return r
}

// create creates a property without nights.
func (n *inns) create(t testing.TB, p properties.Property, rooms ...properties.RoomType) {
	t.Helper()
	_, err := n.properties.Create(t.Context(), p, rooms)
	require.NoError(t, err)
}

// add creates a property, and opens its nights at the base prices.
func (n *inns) add(t testing.TB, p properties.Property, rooms ...properties.RoomType) {
	t.Helper()
	n.create(t, p, rooms...)
	for _, r := range rooms {
		n.open(t, p.ID, r, availability.OpenRequest{})
	}
}

// open opens the nights of a room type.
func (n *inns) open(t testing.TB, propertyID string, r properties.RoomType, o availability.OpenRequest) {
	t.Helper()
	o.PropertyID, o.RoomTypeID, o.Rooms, o.Price = propertyID, r.ID, r.Total, r.BasePrice
	if o.Nights == (dynastay.Stay{}) {
		o.Nights = dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(openNights)}
	}
	_, err := n.nights.Open(t.Context(), o)
	require.NoError(t, err)
}

// change changes nights of one room type.
func (n *inns) change(t testing.TB, propertyID, roomTypeID string, c availability.Change) {
	t.Helper()
	if c.RoomTypeIDs = []string{roomTypeID}; c.Dates == (dynastay.Stay{}) {
		c.Dates = stay
	}
	_, err := n.nights.Update(t.Context(), availability.UpdateRequest{PropertyID: propertyID, Changes: []availability.Change{c}})
	require.NoError(t, err)
}

// set sets an attribute, or a part of one, as other software would.
func (n *inns) set(t testing.TB, s *dynastay.Schema, at dynastay.Key, v types.AttributeValue, path ...string) {
	t.Helper()
	raw.Set(t, n.DB, s, at, v, path...)
}

// onCard sets an attribute of a property's card.
func (n *inns) onCard(t testing.TB, id string, v types.AttributeValue, path ...string) {
	t.Helper()
	n.set(t, keys.PropertiesTable, propertyKey(id), v, append([]string{keys.AttrCard}, path...)...)
}

func propertyKey(id string) dynastay.Key { return must(keys.Of(keys.Property{PropertyID: id})) }

func nightKey(roomTypeID string, date dynastay.Date) dynastay.Key {
	return must(keys.Of(keys.Night{RoomTypeID: roomTypeID, Date: date}))
}

// page returns a page that must not fail.
func (n *inns) page(t testing.TB, r search.Request, p dynastay.Paging) search.Page {
	t.Helper()
	page, err := n.search.Page(t.Context(), r, p)
	require.NoError(t, err)
	return page
}

// all returns the ids of the offers on all pages, and calls between before each page but the first.
func (n *inns) all(t testing.TB, r search.Request, p dynastay.Paging, between func()) (found []string) {
	t.Helper()
	for {
		page := n.page(t, r, p)
		found = append(found, offered(page)...)
		if p.After = page.Next; p.After == "" {
			return found
		}
		between()
	}
}

func offered(p search.Page) (all []string) {
	for _, o := range p.Offers {
		all = append(all, o.Property.PropertyID)
	}
	return all
}

// measured returns the requests of one page, and the units read from the properties and from the nights.
func (n *inns) measured(t testing.TB, s *search.Search, r search.Request, p dynastay.Paging) (page search.Page, requests int, cards, nights float64) {
	t.Helper()
	spent := n.Measure(func() {
		var err error
		page, err = s.Page(t.Context(), r, p)
		require.NoError(t, err)
	})
	for _, call := range spent.Calls {
		for _, u := range call.Usage {
			if u.Table == keys.PropertiesTable.Name {
				cards += u.ReadUnits
			} else {
				nights += u.ReadUnits
			}
		}
	}
	return page, spent.Requests, cards, nights
}

// parallel returns a search that sends so many requests at a time.
func (n *inns) parallel(requests int, see func(context.Context, dynastay.Call)) *search.Search {
	db := n.Open(&dynastay.Options{Parallel: requests, Observer: dynastay.RequestObserver(see)})
	return search.New(db, properties.New(db, nil))
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }

// searchTables are the tables that these tests use. DynamoDB Local becomes slower with every table it has ever had.
var searchTables = dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable, keys.MetadataTable)

// first is the first night that the market has opened; it has four.
var first = dynastay.DateOf(fixture.Now, nil).AddDays(20)

const openNights = 4

// night is one night of a room type, as the test knows it.
type night struct {
	left, total, minStay, maxStay     int
	price                             dynastay.Money
	rates                             map[string]rate // by plan
	blocked, closed, arrival, leaving bool            // leaving: closed to departure on the morning after
}

// hotels is a market with nights.
type hotels struct {
	*market.Market
	db      *dyntest.DB
	search  *search.Search
	nights  map[string]map[dynastay.Date]night // by room type
	plans   map[string][]availability.RatePlan // by property
	charges map[string]*charges.List           // by property
}

func openHotels(t testing.TB, seed uint64, size int) *hotels {
	t.Helper()
	db := dyntest.New(t, searchTables, dyntest.At(fixture.Now))
	h := &hotels{
		Market: market.Generate(seed, market.Options{Properties: size}), db: db,
		search: search.New(db.DB, properties.New(db.DB, nil)), nights: map[string]map[dynastay.Date]night{},
		plans: map[string][]availability.RatePlan{}, charges: map[string]*charges.List{},
	}
	h.Load(t, db.Direct)
	plans := tariff.New(seed) // whose draws are its own
	taxes := rand.New(rand.NewPCG(seed, 2))
	r := rand.New(rand.NewPCG(seed, 1))
	var items []dynastay.Item
	for _, p := range h.Properties {
		h.addPlans(t, plans, p)
		h.addCharges(t, taxes, p)
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
				n.rates = h.rates(plans, p.ID, room.BasePrice.Currency())
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
	item := dynastay.Item{
		"PK": dynastay.Text(stored.PK), "SK": dynastay.Text(stored.SK), "GSI1PK": dynastay.Text(index.PK), "GSI1SK": dynastay.Text(index.SK),
		"RoomTypeId": dynastay.Text(roomTypeID), "PropertyId": dynastay.Text(propertyID), "Date": dynastay.Text(date.String()),
		"AvailableRooms": dynastay.Number(n.left), "TotalRooms": dynastay.Number(n.total),
		"PricePerNight": &types.AttributeValueMemberN{Value: n.price.Amount()}, "Currency": dynastay.Text(string(n.price.Currency())),
		"MinStay": dynastay.Number(n.minStay), "MaxStay": dynastay.Number(n.maxStay),
		"IsBlocked": flag(n.blocked), "PropertyClosed": flag(n.closed), "ClosedToArrival": flag(n.arrival), "ClosedToDeparture": flag(n.leaving),
	}
	if len(n.rates) > 0 {
		item["Rates"] = ratesItem(n.rates)
	}
	return item
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

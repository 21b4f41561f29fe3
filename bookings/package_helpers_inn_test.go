package bookings_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// inn is a property with three room types, whose nights a test writes as it likes. It is in UTC.
type inn struct {
	*dyntest.DB
	repo *bookings.Repository
	id   string
}

// innNights are the nights that an inn opens, with innRooms rooms of each type at innPrices.
var (
	innNights = dynastay.MustStay("2026-07-01", "2026-07-21")
	innPrices = map[string]dynastay.Money{
		"a": dynastay.MustMoney("100", "USD"), "b": dynastay.MustMoney("150.50", "USD"), "c": dynastay.MustMoney("100", "USD"),
	}
)

const innRooms = 5

func newInn(t testing.TB) *inn {
	t.Helper()
	db := dyntest.New(t, dyntest.OnlyTables(keys.BookingsTable, keys.AvailabilityTable, keys.MetadataTable, keys.PropertiesTable), dyntest.At(innNoon))
	i := &inn{db, bookings.New(db.DB, nil), "prop_inn"}
	i.open(t)
	return i
}

// innNoon is the time when a test begins.
var innNoon = innNights.CheckIn.Time().Add(12 * time.Hour)

// next returns another inn in the same tables, for the next one of several tests that run one after another.
func (i *inn) next(t testing.TB) *inn {
	t.Helper()
	i.Clock.Set(innNoon)
	other := &inn{i.DB, i.repo, i.NewID("prop_")}
	other.open(t)
	return other
}

// open writes the nights anew.
func (i *inn) open(t testing.TB) {
	t.Helper()
	for _, room := range slices.Sorted(maps.Keys(innPrices)) {
		require.NoError(t, i.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			for date := range innNights.Dates() {
				if !yield(keys.AvailabilityTable, i.night(room, date)) {
					return
				}
			}
		}))
	}
}

func (i *inn) roomType(room string) string { return i.id + "_" + room }

func (i *inn) night(room string, date dynastay.Date) dynastay.Item {
	item := dynastay.Item{
		"EntityType": dynastay.Text("Availability"), "PropertyId": dynastay.Text(i.id),
		"RoomTypeId": dynastay.Text(i.roomType(room)), "Date": dynastay.Text(date.String()),
		"AvailableRooms": dynastay.Number(innRooms), "TotalRooms": dynastay.Number(innRooms),
		"PricePerNight": amountOf(innPrices[room]), "Currency": dynastay.Text("USD"),
	}
	maps.Copy(item, keys.AvailabilityTable.Key.Of(nightKey(i.roomType(room), date)))
	return item
}

// rooms are quantities by room type, such as {"a": 2}.
type rooms map[string]int

// request asks for rooms for one adult each.
func (i *inn) request(stay dynastay.Stay, want rooms) availability.QuoteRequest {
	req := availability.QuoteRequest{Property: availability.House{ID: i.id, Name: "The Inn"}, Stay: stay}
	for _, room := range slices.Sorted(maps.Keys(want)) {
		req.Guests.Adults += want[room]
		req.Rooms = append(req.Rooms, availability.Room{
			RoomTypeID: i.roomType(room), Name: "Room " + room, Quantity: want[room],
			Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
		})
	}
	return req
}

func (i *inn) book(t testing.TB, stay dynastay.Stay, want rooms) *bookings.Booking {
	t.Helper()
	return i.bookIn(t, "", stay, want)
}

// bookIn books a stay at an inn in a time zone.
func (i *inn) bookIn(t testing.TB, zone string, stay dynastay.Stay, want rooms) *bookings.Booking {
	t.Helper()
	req := i.request(stay, want)
	req.Property.TimeZone = zone
	q, err := availability.New(i.DB.DB).Quote(t.Context(), req)
	require.NoError(t, err)
	b, err := i.repo.Create(t.Context(), bookings.Request{Quote: q, UserID: "user_456", Guest: guest})
	require.NoError(t, err)
	return b
}

var guest = bookings.Guest{FirstName: "John", LastName: "Doe", Email: "john.doe@example.com"}

// quote quotes a modification, which must be possible.
func (i *inn) quote(t testing.TB, id string, stay dynastay.Stay, want rooms) bookings.Modification {
	t.Helper()
	m, err := i.repo.QuoteModification(t.Context(), id, i.request(stay, want))
	require.NoError(t, err)
	return m
}

// taken returns the numbers of rooms that are not left, by room type and date, such as {"a 2026-07-10": 2}.
func (i *inn) taken(t testing.TB) map[string]int {
	t.Helper()
	taken := map[string]int{}
	for room := range innPrices {
		got, err := availability.New(i.Direct).Check(t.Context(), i.id, i.roomType(room), 1, innNights, dynastay.Consistent)
		require.NoError(t, err)
		for _, n := range got.Nights {
			if n.Total != n.Available {
				taken[room+" "+n.Date.String()] = n.Total - n.Available
			}
		}
	}
	return taken
}

// takenBy returns the rooms of a stay as taken does.
func takenBy(stay dynastay.Stay, want rooms) map[string]int {
	taken := map[string]int{}
	for room, n := range want {
		for date := range stay.Dates() {
			taken[room+" "+date.String()] = n
		}
	}
	return taken
}

// set sets an attribute of a night without the library.
func (i *inn) set(t *testing.T, room string, date dynastay.Date, name string, v any) {
	t.Helper()
	var value types.AttributeValue
	switch v := v.(type) {
	case int:
		value = dynastay.Number(v)
	case bool:
		value = &types.AttributeValueMemberBOOL{Value: v}
	case dynastay.Money:
		value = amountOf(v)
	case string:
		value = dynastay.Text(v)
	}
	change(t, i.DB, nightKey(i.roomType(room), date), name+" = :v", dynastay.Item{":v": value})
}

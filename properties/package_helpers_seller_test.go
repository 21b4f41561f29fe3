package properties_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// seller is a property with nights on sale from 2026-07-01 on.
type seller struct {
	t      *testing.T
	db     *dyntest.DB
	repo   *properties.Repository
	direct *properties.Repository // past the faults, as in another process
	nights *availability.Repository
	id     string
	rooms  []string
	opened int // nights for each room type
}

// openSeller creates an approved property with room types, and opens nights of each. Without room types, it creates
// none.
func openSeller(t *testing.T, rooms, nights int) *seller {
	t.Helper()
	db := dyntest.New(t, propertyTables, dyntest.At(fixture.Now))
	s := &seller{
		t: t, db: db, repo: properties.New(db.DB, nil), direct: properties.New(db.Direct, nil), nights: availability.New(db.Direct), opened: nights,
	}
	if rooms > 0 {
		s.create("p1", rooms)
	}
	return s
}

// create creates a property, which the seller's methods are about from now on.
func (s *seller) create(id string, rooms int, edits ...func(*properties.Property)) {
	s.t.Helper()
	var all []properties.RoomType
	s.id, s.rooms = id, nil
	for i := range rooms {
		room := king(fmt.Sprintf("%s_room_%02d", id, i), "250")
		room.Name, room.CancellationPolicy = "R", ""
		s.rooms, all = append(s.rooms, room.ID), append(all, room)
	}
	_, err := s.direct.Create(context.Background(), grand(id, edits...), all)
	require.NoError(s.t, err)
	for _, room := range s.rooms {
		s.open(room, "2026-07-01", s.opened)
	}
}

func (s *seller) open(room, from string, nights int) {
	s.t.Helper()
	if nights == 0 {
		return
	}
	_, err := s.tryOpen(room, from, nights)
	require.NoError(s.t, err)
}

func (s *seller) tryOpen(room, from string, nights int) (availability.Opened, error) {
	first := dynastay.MustDate(from)
	return s.nights.Open(context.Background(), availability.OpenRequest{
		PropertyID: s.id, RoomTypeID: room, Rooms: 5, Price: fixture.Price,
		Nights: dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(nights)},
	})
}

// quote quotes one room of the room type for the first two nights.
func (s *seller) quote(room string) (*availability.Quote, error) {
	found, err := s.direct.GetWithRooms(context.Background(), s.id, dynastay.Consistent)
	require.NoError(s.t, err)
	req, err := found.Card().QuoteRequest(dynastay.MustStay("2026-07-01", "2026-07-03"), availability.Guests{Adults: 2},
		properties.Choice{RoomTypeID: room, Quantity: 1})
	require.NoError(s.t, err)
	return s.nights.Quote(context.Background(), req)
}

func (s *seller) mustQuote(room string) *availability.Quote {
	s.t.Helper()
	q, err := s.quote(room)
	require.NoError(s.t, err)
	return q
}

func (s *seller) book(q *availability.Quote) (*bookings.Booking, error) {
	return bookings.New(s.db.Direct, nil).Create(context.Background(), fixture.Request(q))
}

// assertOffSale asserts that a quote from before is refused because the property is closed.
func (s *seller) assertOffSale(q *availability.Quote, context ...any) {
	s.t.Helper()
	_, err := s.book(q)
	refused := blame.As[*availability.Refused](s.t, err, context...)
	assert.True(s.t, refused.Has(availability.PropertyClosed), "%v", refused)
}

// marks counts the nights that are marked as closed, and those that are not.
func (s *seller) marks() (closed, open int) {
	s.t.Helper()
	for _, room := range s.rooms {
		rows, err := dynastay.QueryAll(context.Background(), s.db.Direct, keys.AvailabilityTable, dynastay.Query{
			Partition: "ROOM#" + room, Consistent: true,
		})
		require.NoError(s.t, err)
		for _, row := range rows {
			if row.Value(keys.AttrPropertyClosed).Bool() {
				closed++
			} else {
				open++
			}
		}
	}
	return closed, open
}

// guards returns the ids of the closings in the guards of the room types, "" for an open one.
func (s *seller) guards() (ids []string) {
	s.t.Helper()
	for _, room := range s.rooms {
		row, err := s.db.Direct.Get(context.Background(), keys.PropertiesTable, dynastay.Key{PK: "ROOM#" + room, SK: "GUARD"}, dynastay.Consistent)
		require.NoError(s.t, err)
		require.True(s.t, row.Exists())
		ids = append(ids, row.Text(keys.AttrClosed))
	}
	return ids
}

func (s *seller) status() properties.Status {
	s.t.Helper()
	p, err := s.direct.Get(context.Background(), s.id, dynastay.Consistent)
	require.NoError(s.t, err)
	return p.Status
}

// assertGuards asserts that the guards agree with the status: none is closed by the status while the property is
// approved, and all are while it is suspended or being deleted.
func (s *seller) assertGuards(context ...any) {
	s.t.Helper()
	want := s.status() == properties.Suspended || s.status() == properties.Deleting
	for _, id := range s.guards() {
		assert.Equal(s.t, want, strings.HasPrefix(id, keys.ClosedByStatus), context...)
	}
}

// assertWhole asserts that the nights agree with the status as well, after a call that succeeded.
func (s *seller) assertWhole(context ...any) {
	s.t.Helper()
	s.assertGuards(context...)
	closed, open := s.marks()
	all := len(s.rooms) * s.opened
	if s.status() == properties.Approved {
		assert.Equal(s.t, []int{0, all}, []int{closed, open}, context...)
	} else {
		assert.Equal(s.t, []int{all, 0}, []int{closed, open}, context...)
	}
	assertKeys(s.t, s.db, s.id, context...)
}

// searchKeys are those that only an approved property has.
var searchKeys = []string{"GSI1", "GSI2", "GSI4", "GSI5", "GSI7", "GSI8", "GSI10"}

// assertKeys asserts that a property has the index keys that follow from its status, and its amenity items as well.
func assertKeys(t raw.T, db *dyntest.DB, id string, context ...any) {
	t.Helper()
	items := partition(t, db, "PROPERTY#"+id)
	status := dynastay.RowOf(items["METADATA"]).Text("Status")
	want := map[string]bool{"GSI3": true, "GSI6": true, "GSI11": status == "pending"}
	for _, index := range searchKeys {
		want[index] = status == "approved"
	}
	for index, there := range want {
		for _, part := range []string{"PK", "SK"} {
			assert.Equal(t, there, items["METADATA"][index+part] != nil, append([]any{index + part + " while " + status}, context...)...)
		}
	}
	amenities := 0
	for sk, item := range items {
		if strings.HasPrefix(sk, "AMENITY#") {
			amenities++
			assert.Equal(t, status == "approved", item["GSI9PK"] != nil && item["GSI9SK"] != nil, sk)
			assert.Equal(t, status != "approved", item["GSI9PK"] == nil && item["GSI9SK"] == nil, sk)
		}
	}
	assert.Equal(t, len(dynastay.RowOf(items["METADATA"]).Value("AmenityList").List()), amenities)
}

// assertStatus asserts that a status refuses the operation.
func assertStatus(t raw.T, err error, op string, status properties.Status) {
	t.Helper()
	refused := blame.As[*properties.StatusError](t, err)
	assert.Equal(t, status, refused.Status)
	failure := blame.As[*dynastay.Error](t, err)
	assert.Equal(t, []string{op, "Property", "Status"}, []string{failure.Op, failure.Entity, failure.Field})
	assert.ErrorContains(t, err, "not allowed while the status is "+string(status))
}

// addTheirs adds a room type with nights as other software would, which leaves the property as it is.
func (s *seller) addTheirs(id string) {
	s.t.Helper()
	item := partition(s.t, s.db, "PROPERTY#"+s.id)["ROOM#"+s.rooms[0]]
	delete(item, "WriteId")
	item["SK"], item["RoomTypeId"] = dynastay.Text("ROOM#"+id), dynastay.Text(id)
	put(s.t, s.db, item)
	rows, err := dynastay.QueryAll(context.Background(), s.db.Direct, keys.AvailabilityTable, dynastay.Query{
		Partition: "ROOM#" + s.rooms[0], Consistent: true,
	})
	require.NoError(s.t, err)
	for _, row := range rows {
		night := row.Item()
		night["PK"], night["RoomTypeId"] = dynastay.Text("ROOM#"+id), dynastay.Text(id)
		s.putNight(night)
	}
}

func (s *seller) putNight(night dynastay.Item) { raw.Put(s.t, s.db, keys.AvailabilityTable, night) }

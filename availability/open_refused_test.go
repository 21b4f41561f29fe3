package availability_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
)

func TestOpenIsRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		unknown bool
		guard   func() dynastay.Item // more attributes of the guard
		owner   string
		kind    error
		field   string
	}{
		{name: "unknown room type", unknown: true, owner: propertyID, kind: dynastay.ErrNotFound},
		{name: "no guard", kind: dynastay.ErrNotFound},
		{name: "different property", owner: "prop_124", kind: dynastay.ErrNotFound, field: "PropertyID"},
		{name: "closed", owner: propertyID, guard: func() dynastay.Item { return dynastay.Item{keys.AttrClosed: yes} }, kind: availability.ErrClosed},
		{name: "closed with a time", owner: propertyID, guard: func() dynastay.Item {
			return dynastay.Item{keys.AttrClosed: dynastay.Text("2026-05-01T00:00:00Z")}
		}, kind: availability.ErrClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db, repo := open(t)
			if !test.unknown {
				putRoom(t, db, roomTypeID)
			}
			if test.owner != "" {
				var more dynastay.Item
				if test.guard != nil {
					more = test.guard()
				}
				putGuard(t, db, roomTypeID, test.owner, more)
			}
			stop := db.Faults.Record()
			got, err := repo.Open(t.Context(), opening("2026-07-01", "2026-11-01"))
			assertKind(t, err, test.kind, test.field)
			failed := blame.As[*dynastay.Error](t, err)
			assert.Equal(t, "availability.Open", failed.Op)
			assert.Equal(t, roomTypeID, failed.ID)
			assert.Empty(t, got)
			writes := 1
			if test.unknown {
				writes = 0
			}
			assert.Equal(t, writes, count(stop(), "TransactWriteItems"), "there is no retry, and no transaction for the remaining nights")
			assert.Equal(t, "RoomType", failed.Entity)
			assert.Empty(t, allPrices(t, repo, dynastay.MustStay("2026-07-01", "2026-11-01")), "nothing was written")
		})
	}
}

func TestOpenTreatsNullAsNotClosed(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	putGuard(t, db, roomTypeID, propertyID, dynastay.Item{keys.AttrClosed: null})
	putRoom(t, db, roomTypeID)
	_, err := repo.Open(t.Context(), opening("2026-07-01", "2026-07-02"))
	assert.NoError(t, err)
}

// If every night has an item, the guard is not checked, but the items name their property.
func TestOpenRejectsNightsOfADifferentProperty(t *testing.T) {
	t.Parallel()
	db, hotel, repo := openHotel(t, 5)
	putRoom(t, db, hotel.RoomTypeID)
	o := opening("2026-07-10", "2026-07-12")
	o.RoomTypeID = hotel.RoomTypeID
	got, err := repo.Open(t.Context(), o)
	assertKind(t, err, dynastay.ErrNotFound, "PropertyID")
	assert.Empty(t, got)
}

// Open and OpenOp both check the request against the room type.
func TestOpenChecksTheRoomType(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, field string // field is "" if the nights are opened
		edit        func(*availability.OpenRequest)
	}{
		{"all rooms", "", func(o *availability.OpenRequest) { o.Rooms = 5 }},
		{"one room too many", "Rooms", func(o *availability.OpenRequest) { o.Rooms = 6 }},
		{"overbooked", "", func(o *availability.OpenRequest) { o.Rooms, o.AboveCapacity = 6, true }},
		{"different currency", "Price.Currency", func(o *availability.OpenRequest) { o.Price = money("280.00 EUR") }},
		{"from today", "", func(o *availability.OpenRequest) { o.Nights.CheckIn = date("2026-06-01") }},
		{"from yesterday", "Nights.CheckIn", func(o *availability.OpenRequest) { o.Nights.CheckIn = date("2026-05-31") }},
	} {
		for method, call := range map[string]func(*dynastay.DB, availability.OpenRequest) error{
			"Open": func(db *dynastay.DB, o availability.OpenRequest) error {
				_, err := availability.New(db).Open(t.Context(), o)
				return err
			},
			"OpenOp": func(db *dynastay.DB, o availability.OpenRequest) error {
				_, err := dynastay.Do(t.Context(), db, availability.New(db).OpenOp(o))
				return err
			},
		} {
			t.Run(test.name+" by "+method, func(t *testing.T) {
				t.Parallel()
				db, _ := open(t)
				putRoomType(t, db, roomTypeID)
				o := opening("2026-07-01", "2026-07-03")
				test.edit(&o)
				stop := db.Faults.Record()
				err := call(db.DB, o)
				requests := stop()
				if test.field == "" {
					require.NoError(t, err)
					assert.Len(t, requests, 3)
					return
				}
				blame.Invalid(t, err, test.field, test.name)
				if test.field == "Price.Currency" {
					assert.ErrorContains(t, err, "must be USD, the currency")
				}
				assert.Len(t, requests, 1)
				assert.Equal(t, 1, count(requests, "BatchGetItem"))
			})
		}
	}
}

// Nights can be opened from today at the property. A property without a time zone, or without an item, is in UTC.
func TestOpenFromTodayAtTheProperty(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 0, 30, 0, 0, time.UTC)
	for _, test := range []struct{ zone, today string }{
		{"none", "2026-06-01"}, {"", "2026-06-01"}, {"America/New_York", "2026-05-31"}, {"Pacific/Kiritimati", "2026-06-01"},
		{"Pacific/Pago_Pago", "2026-05-31"},
	} {
		t.Run(test.zone, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, inventoryTables, dyntest.With(dynastay.Options{Clock: func() time.Time { return now }}))
			repo := availability.New(db.DB)
			putRoomType(t, db, roomTypeID)
			if test.zone != "none" {
				putProperty(t, db, test.zone)
			}
			today := date(test.today)
			o := opening("2026-05-01", "2026-06-02")
			o.Nights.CheckIn = today.AddDays(-1)
			_, err := repo.Open(t.Context(), o)
			blame.Invalid(t, err, "Nights.CheckIn", test.zone)
			assert.ErrorContains(t, err, test.today)
			o.Nights.CheckIn = today
			got, err := repo.Open(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, slices.Collect(o.Nights.Dates()), got.Opened)
		})
	}
	t.Run("unknown zone", func(t *testing.T) {
		t.Parallel()
		db, repo := open(t)
		putRoomType(t, db, roomTypeID)
		putProperty(t, db, "America/Atlantis")
		_, err := repo.Open(t.Context(), opening("2026-07-01", "2026-07-03"))
		assertKind(t, err, dynastay.ErrCorrupt, "")
		assert.ErrorContains(t, err, "Property prop_123")
	})
}

func TestOpenRequestValidate(t *testing.T) {
	t.Parallel()
	db, repo := open(t)
	stop := db.Faults.Record()
	good := opening("2026-07-01", "2026-07-03")
	require.NoError(t, good.Validate())
	for _, test := range []struct {
		name, field string
		edit        func(*availability.OpenRequest)
	}{
		{"no property", "PropertyID", func(o *availability.OpenRequest) { o.PropertyID = "" }},
		{"property with #", "PropertyID", func(o *availability.OpenRequest) { o.PropertyID = "a#b" }},
		{"no room type", "RoomTypeID", func(o *availability.OpenRequest) { o.RoomTypeID = "" }},
		{"room type with #", "RoomTypeID", func(o *availability.OpenRequest) { o.RoomTypeID = "a#b" }},
		{"no check-in", "Nights.CheckIn", func(o *availability.OpenRequest) { o.Nights.CheckIn = dynastay.Date{} }},
		{"no check-out", "Nights.CheckOut", func(o *availability.OpenRequest) { o.Nights.CheckOut = dynastay.Date{} }},
		{"no nights", "Nights.CheckOut", func(o *availability.OpenRequest) { o.Nights.CheckOut = o.Nights.CheckIn }},
		{"too many nights", "Nights", func(o *availability.OpenRequest) { o.Nights.CheckOut = o.Nights.CheckIn.AddDays(733) }},
		{"no rooms", "Rooms", func(o *availability.OpenRequest) { o.Rooms = 0 }},
		{"too many rooms", "Rooms", func(o *availability.OpenRequest) { o.Rooms = availability.MaxRooms + 1 }},
		{"negative rooms", "Rooms", func(o *availability.OpenRequest) { o.Rooms = -1 }},
		{"no price", "Price.Currency", func(o *availability.OpenRequest) { o.Price = dynastay.Money{} }},
		{"negative price", "Price", func(o *availability.OpenRequest) { o.Price = money("-0.01 USD") }},
		{"half a cent", "Price", func(o *availability.OpenRequest) { o.Price = money("280.005 USD") }},
		{"half a yen", "Price", func(o *availability.OpenRequest) { o.Price = money("280.5 JPY") }},
		{"a tenth of a fils", "Price", func(o *availability.OpenRequest) { o.Price = money("280.0001 KWD") }},
		{"negative limit", "OverbookLimit", func(o *availability.OpenRequest) { o.OverbookLimit = -1 }},
		{"limit above the maximum", "OverbookLimit", func(o *availability.OpenRequest) { o.OverbookLimit = 10_001 }},
		{"negative minimum", "MinStay", func(o *availability.OpenRequest) { o.MinStay = -1 }},
		{"negative maximum", "MaxStay", func(o *availability.OpenRequest) { o.MaxStay = -1 }},
		{"maximum below minimum", "MaxStay", func(o *availability.OpenRequest) { o.MinStay, o.MaxStay = 3, 2 }},
	} {
		o := good
		test.edit(&o)
		blame.Invalid(t, o.Validate(), test.field, test.name)
		_, err := repo.Open(t.Context(), o)
		blame.Invalid(t, err, test.field, test.name)
		_, err = dynastay.Do(t.Context(), db.DB, repo.OpenOp(o))
		blame.Invalid(t, err, test.field, test.name)
	}
	assert.Empty(t, stop(), "no request was sent")

	for name, edit := range map[string]func(*availability.OpenRequest){
		"two years of nights":      func(o *availability.OpenRequest) { o.Nights.CheckOut = o.Nights.CheckIn.AddDays(732) },
		"the most rooms":           func(o *availability.OpenRequest) { o.Rooms = availability.MaxRooms },
		"free":                     func(o *availability.OpenRequest) { o.Price = money("0 USD") },
		"fils":                     func(o *availability.OpenRequest) { o.Price = money("280.001 KWD") },
		"yen":                      func(o *availability.OpenRequest) { o.Price = money("280 JPY") },
		"the highest limit":        func(o *availability.OpenRequest) { o.OverbookLimit = 10_000 },
		"minimum only":             func(o *availability.OpenRequest) { o.MinStay = 3 },
		"maximum only":             func(o *availability.OpenRequest) { o.MaxStay = 3 },
		"minimum equal to maximum": func(o *availability.OpenRequest) { o.MinStay, o.MaxStay = 3, 3 },
	} {
		o := good
		edit(&o)
		assert.NoError(t, o.Validate(), name)
	}
}

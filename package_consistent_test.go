package dynastay_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/users"
)

// tableReads returns, for the reads of tables (not of indexes) among requests, in order, whether each is consistent.
func tableReads(t *testing.T, sent []dyntest.Request) (consistent []bool) {
	t.Helper()
	for _, r := range sent {
		var body struct {
			ConsistentRead bool
			IndexName      string
			RequestItems   map[string]struct{ ConsistentRead bool }
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		switch {
		case (r.Operation == "GetItem" || r.Operation == "Query") && body.IndexName == "":
			consistent = append(consistent, body.ConsistentRead)
		case r.Operation == "BatchGetItem":
			for _, table := range body.RequestItems {
				consistent = append(consistent, table.ConsistentRead)
			}
		}
	}
	return consistent
}

// The results of a retry are read consistently in every repository: the first call may have ended a moment ago.
func TestRepeatedCallsReadConsistently(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 8)
	book := func(hold time.Duration) *bookings.Booking {
		req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
		req.Hold = hold
		b, err := bookings.New(db.Direct, nil).Create(ctx, req)
		require.NoError(t, err)
		return b
	}
	booked, held := book(0), []*bookings.Booking{book(time.Hour), book(time.Hour)}
	_, err := catalog.Amenities(db.Direct).Create(ctx, catalog.Amenity{ID: "wifi", Name: "Free WiFi"})
	require.NoError(t, err)
	_, err = properties.New(db.Direct, nil).AddImages(ctx, hotel.ID, []properties.Image{
		{ID: "img_1", URL: "/1.jpg"}, {ID: "img_2", URL: "/2.jpg"}, {ID: "img_5", URL: "/5.jpg"},
	})
	require.NoError(t, err)
	_, err = properties.New(db.Direct, nil).AddAmenities(ctx, hotel.ID, []string{"gym"})
	require.NoError(t, err)
	paid := func(id string) bookings.Payment {
		return bookings.Payment{
			BookingID: id, Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: fixture.Price, Status: bookings.PaymentPaid,
		}
	}
	refunded := book(0)
	_, err = bookings.New(db.Direct, nil).RecordPayment(ctx, paid(refunded.ID))
	require.NoError(t, err)
	for _, code := range []string{"SUMMER", "WINTER"} {
		_, err = bookings.New(db.Direct, nil).CreatePromoCode(ctx, bookings.PromoCode{Code: code, Percent: 1000, Active: true})
		require.NoError(t, err)
	}
	key := dynastay.IdempotencyKey("k")
	for name, call := range map[string]struct {
		reads int // before the write, of the key if the write is refused, and of the result
		op    func() dynastay.Part
	}{
		"bookings.Cancel":  {3, func() dynastay.Part { return bookings.New(db.DB, nil).CancelOp(booked.ID, "", nil) }},
		"bookings.Confirm": {3, func() dynastay.Part { return bookings.New(db.DB, nil).ConfirmOp(held[0].ID, nil) }},
		"bookings.Modify": {3, func() dynastay.Part {
			return bookings.New(db.DB, nil).ModifyOp(bookings.Modification{
				BookingID: held[1].ID, Version: held[1].Version, Quote: hotel.Quote(t, db.Direct, fixture.Stay, 2),
			})
		}},
		"bookings.RecordPayment": {2, func() dynastay.Part { return bookings.New(db.DB, nil).RecordPaymentOp(paid(held[0].ID)) }},
		"bookings.RecordRefund": {2, func() dynastay.Part {
			return bookings.New(db.DB, nil).RecordRefundOp(bookings.Refund{BookingID: refunded.ID, ID: "re_1", Amount: fixture.Price})
		}},
		"bookings.Create": {2, func() dynastay.Part {
			req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
			req.PromoCode = "SUMMER"
			return bookings.New(db.DB, nil).CreateOp(req)
		}},
		"promoCodes.Deactivate": {2, func() dynastay.Part { return bookings.New(db.DB, nil).DeactivatePromoCodeOp("WINTER") }},
		"properties.Create": {1, func() dynastay.Part {
			return properties.New(db.DB, nil).CreateOp(properties.Property{
				Name: "Inn", Slug: "inn", Type: properties.Hotel, OwnerID: "user_host", Address: properties.Address{City: "Rome", Country: "Italy"},
			}, nil)
		}},
		"properties.Update": {2, func() dynastay.Part {
			rename := func(p *properties.Property) error { p.Name = "Inn"; return nil }
			return properties.New(db.DB, nil).UpdateOp(hotel.ID, rename, dynastay.AgreedOn("Inn"))
		}},
		"catalog.Create": {1, func() dynastay.Part {
			return catalog.Locations(db.DB).CreateOp(catalog.Location{City: "Rome", Country: "Italy"})
		}},
		"catalog.Update": {2, func() dynastay.Part {
			rename := func(a *catalog.Amenity) error { a.Name = "WiFi"; return nil }
			return catalog.Amenities(db.DB).UpdateOp("wifi", rename, dynastay.AgreedOn("WiFi"))
		}},
		"properties.AddRoomTypes": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).AddRoomTypesOp(hotel.ID, properties.RoomType{
				Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 1,
			})
		}},
		"properties.UpdateRoomType": {2, func() dynastay.Part {
			rename := func(r *properties.RoomType) error { r.Name = "King"; return nil }
			return properties.New(db.DB, nil).UpdateRoomTypeOp(hotel.ID, hotel.RoomTypeID, rename, dynastay.AgreedOn("King"))
		}},
		"properties.AddImages": {3, func() dynastay.Part {
			return properties.New(db.DB, nil).AddImagesOp(hotel.ID, properties.Image{URL: "/3.jpg"}, properties.Image{URL: "/4.jpg"})
		}},
		"properties.UpdateImage": {2, func() dynastay.Part {
			describe := func(i *properties.Image) error { i.AltText = "Lobby"; return nil }
			return properties.New(db.DB, nil).UpdateImageOp(hotel.ID, "img_1", describe, dynastay.AgreedOn("Lobby"))
		}},
		"properties.SetPrimaryImage": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).SetPrimaryImageOp(hotel.ID, "img_2")
		}},
		"properties.ArrangeImages": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).ArrangeImagesOp(hotel.ID, "img_2")
		}},
		"properties.DeleteImage": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).DeleteImageOp(hotel.ID, "img_5")
		}},
		"properties.AddAmenities": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).AddAmenitiesOp(hotel.ID, "wifi", "pool")
		}},
		"properties.RemoveAmenities": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).RemoveAmenitiesOp(hotel.ID, "gym")
		}},
		"properties.SetAmenities": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).SetAmenitiesOp(hotel.ID, "spa")
		}},
		"properties.Rate": {2, func() dynastay.Part {
			return properties.New(db.DB, nil).RateOp(hotel.ID, 0, 92)
		}},
		"users.Create": {2, func() dynastay.Part {
			return users.New(db.DB, nil).CreateOp(users.User{Email: "john@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer})
		}},
		"availability.Open": {2, func() dynastay.Part {
			return availability.New(db.DB).OpenOp(availability.OpenRequest{
				PropertyID: hotel.ID, RoomTypeID: hotel.RoomTypeID,
				Nights: dynastay.MustStay("2026-09-01", "2026-09-02"), Rooms: 1, Price: fixture.Price,
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, db.Write(ctx, call.op(), key.Of(name)))
			stop := db.Faults.Record()
			require.NoError(t, db.Write(ctx, call.op(), key.Of(name)))
			assert.Equal(t, slices.Repeat([]bool{true}, call.reads), tableReads(t, stop()))
		})
	}
}

// What decides a write of several steps is read consistently in each of them.
func TestStepsReadConsistently(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 2)
	_, err := properties.New(db.Direct, nil).AddRoomTypes(ctx, hotel.ID, []properties.RoomType{
		{ID: "twin", Name: "Twin", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2}, BasePrice: fixture.Price, Total: 1},
	})
	require.NoError(t, err)
	inn, err := properties.New(db.Direct, nil).Create(ctx, properties.Property{
		Name: "Inn", Slug: "inn", Type: properties.Hotel, OwnerID: "user_host", Address: properties.Address{City: "Rome", Country: "Italy"},
	}, nil)
	require.NoError(t, err)
	repo := properties.New(db.DB, nil)
	for _, step := range []struct {
		name string
		call func() error
	}{
		{"Reject", func() error { return second(repo.Reject(ctx, inn.ID)) }},
		{"Resubmit", func() error { return second(repo.Resubmit(ctx, inn.ID)) }},
		{"Suspend", func() error { return second(repo.Suspend(ctx, hotel.ID)) }},
		{"Approve", func() error { return second(repo.Approve(ctx, hotel.ID)) }},
		{"DeleteRoomType", func() error { return repo.DeleteRoomType(ctx, hotel.ID, "twin") }},
		{"Delete", func() error { return repo.Delete(ctx, hotel.ID) }},
		{"Adopt", func() error { return repo.Adopt(ctx, inn.ID) }},
	} {
		stop := db.Faults.Record()
		require.NoError(t, step.call(), step.name)
		reads := tableReads(t, stop())
		assert.Contains(t, reads, true, step.name)
		assert.NotContains(t, reads, false, step.name)
	}
}

// What decides a move of a booking is read consistently: the booking, and after a refusal the nights and the booking
// again.
func TestMovesReadConsistently(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 2)
	repo := bookings.New(db.DB, nil)
	req := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	book := func(hold time.Duration) *bookings.Booking {
		req.Hold = hold
		b, err := bookings.New(db.Direct, nil).Create(ctx, req)
		require.NoError(t, err)
		return b
	}
	held, lost := book(time.Hour), book(time.Second)
	quote := hotel.Quote(t, db.Direct, dynastay.MustStay("2026-07-20", "2026-07-22"), 2)
	_, err := bookings.New(db.Direct, nil).Create(ctx, fixture.Request(quote))
	require.NoError(t, err)
	for _, move := range []struct {
		name  string
		at    time.Time
		reads int
		fails bool
		call  func() error
	}{
		{"a refused modification", fixture.Now, 3, true, func() error {
			return second(repo.Modify(ctx, bookings.Modification{BookingID: held.ID, Version: held.Version, Quote: quote}))
		}},
		{"the quote of a modification", fixture.Now, 1, false, func() error {
			return second(repo.QuoteModification(ctx, held.ID, availability.QuoteRequest{
				Property: quote.Property, Stay: fixture.Stay, Guests: availability.Guests{Adults: 1},
				Rooms: []availability.Room{{RoomTypeID: hotel.RoomTypeID, Quantity: 1, Limits: hotel.Rooms[0].Limits}},
			}))
		}},
		{"Confirm", fixture.Now, 1, false, func() error { return second(repo.Confirm(ctx, held.ID, nil)) }},
		{"Expire", fixture.Now.Add(time.Hour), 1, false, func() error { return second(repo.Expire(ctx, lost.ID)) }},
		{"CheckIn", fixture.Stay.CheckIn.Time().Add(16 * time.Hour), 1, false, func() error {
			return second(repo.CheckIn(ctx, held.ID, bookings.Assigned{hotel.RoomTypeID: {"301"}}))
		}},
		{"CheckOut", fixture.Stay.CheckOut.Time().Add(16 * time.Hour), 1, false, func() error { return second(repo.CheckOut(ctx, held.ID)) }},
	} {
		db.Clock.Set(move.at)
		stop := db.Faults.Record()
		err := move.call()
		assert.Equal(t, move.fails, err != nil, "%s: %v", move.name, err)
		assert.Equal(t, slices.Repeat([]bool{true}, move.reads), tableReads(t, stop()), move.name)
	}
}

// If an index does not contain a unique value yet, its guard and its owner are read consistently.
func TestGuardsAreReadConsistently(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	db.Faults.Inject(dyntest.StaleIndex(), dyntest.When{Operation: "Query", Index: keys.SlugIndex, Nth: 1})
	hotel := fixture.New(t, db.Direct, 1)
	stop := db.Faults.Record()
	got, err := properties.New(db.DB, nil).BySlug(ctx, hotel.Slug)
	require.NoError(t, err)
	assert.Equal(t, hotel.ID, got.ID)
	assert.Equal(t, []bool{true, true}, tableReads(t, stop()))
}

// Whatever reads an item or a partition of a table can be asked to read it consistently, and then asks nothing of an
// index.
func TestConsistentIsHonoured(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, 2)
	booked, err := bookings.New(db.Direct, nil).Create(ctx, fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	_, err = catalog.Amenities(db.Direct).Create(ctx, catalog.Amenity{ID: "wifi", Name: "Free WiFi"})
	require.NoError(t, err)
	setting := catalog.NewSetting(db.DB, "fees", func(f *entity.Fields, v *int) { f.Int("Percent", v) })
	_, err = setting.Create(ctx, 15)
	require.NoError(t, err)
	_, err = properties.New(db.Direct, nil).AddImages(ctx, hotel.ID, []properties.Image{{ID: "img_1", URL: "/1.jpg"}})
	require.NoError(t, err)
	people := users.New(db.DB, nil)
	user, err := people.Create(ctx, users.User{Email: "john@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer})
	require.NoError(t, err)

	for name, read := range map[string]func(opts ...dynastay.ReadOption) error{
		"properties.Get": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).Get(ctx, hotel.ID, o...))
		},
		"properties.GetAll": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetAll(ctx, []string{hotel.ID}, o...))
		},
		"properties.GetWithRooms": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetWithRooms(ctx, hotel.ID, o...))
		},
		"properties.GetWhole": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetWhole(ctx, hotel.ID, o...))
		},
		"properties.GetRoomType": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetRoomType(ctx, hotel.ID, hotel.RoomTypeID, o...))
		},
		"properties.GetImage": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetImage(ctx, hotel.ID, "img_1", o...))
		},
		"properties.GetImages": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).GetImages(ctx, hotel.ID, o...))
		},
		"properties.BySlug": func(o ...dynastay.ReadOption) error {
			return second(properties.New(db.DB, nil).BySlug(ctx, hotel.Slug, o...))
		},
		"catalog.Get": func(o ...dynastay.ReadOption) error {
			return second(catalog.Amenities(db.DB).Get(ctx, "wifi", o...))
		},
		"catalog.Setting.Get": func(o ...dynastay.ReadOption) error { return second(setting.Get(ctx, o...)) },
		"bookings.Get": func(o ...dynastay.ReadOption) error {
			return second(bookings.New(db.DB, nil).Get(ctx, booked.ID, o...))
		},
		"bookings.ByReference": func(o ...dynastay.ReadOption) error {
			return second(bookings.New(db.DB, nil).ByReference(ctx, booked.Reference, o...))
		},
		"users.Get":     func(o ...dynastay.ReadOption) error { return second(people.Get(ctx, user.ID, o...)) },
		"users.ByEmail": func(o ...dynastay.ReadOption) error { return second(people.ByEmail(ctx, user.Email, o...)) },
		"availability.Check": func(o ...dynastay.ReadOption) error {
			return second(availability.New(db.DB).Check(ctx, hotel.ID, hotel.RoomTypeID, 1, fixture.Stay, o...))
		},
		"availability.Prices": func(o ...dynastay.ReadOption) error {
			return second(availability.New(db.DB).Prices(ctx, hotel.RoomTypeID, fixture.Stay, o...))
		},
		"availability.CheckAll": func(o ...dynastay.ReadOption) error {
			return second(availability.New(db.DB).CheckAll(ctx, hotel.Card().CheckRequests(1), fixture.Stay, o...))
		},
	} {
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			stop := db.Faults.Record()
			require.NoError(t, read(opts...), name)
			sent := stop()
			require.NotEmpty(t, sent)
			for _, r := range sent {
				assert.Equal(t, opts != nil, strings.Contains(string(r.Body), `"ConsistentRead":true`), "%s: %s", name, r.Body)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

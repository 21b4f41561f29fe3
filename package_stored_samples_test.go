package dynastay_test

import (
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/listing"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/venue"
	"github.com/dynastay/dynastay/entity"
	tradekeys "github.com/dynastay/dynastay/examples/marketplace/keys"
	travelkeys "github.com/dynastay/dynastay/examples/traveltracker/keys"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/listingkeys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// namedSample is a call with fixed arguments. They set every field that is part of the input of an operation.
type namedSample struct {
	on     any
	method string
	query  string // the name of the query, if the method returns a list
	args   []any  // nil is the zero value
	own    bool   // of an entity of the test
}

func everySchema() []*dynastay.Schema {
	return append(keys.Tables(), listingkeys.Table, venuekeys.Table, tradekeys.Table, travelkeys.Table)
}

// namedSamples returns the samples. Their DB has random ids: none of them may be part of an input.
func namedSamples(db *dynastay.DB) (all []namedSample) {
	var on any
	add := func(method string, args ...any) { all = append(all, namedSample{on: on, method: method, args: args}) }
	list := func(method, query string, args ...any) {
		all = append(all, namedSample{on: on, method: method, query: query, args: args})
	}
	agreed, no := dynastay.AgreedOn("agreed", "values"), true
	usd := func(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }
	day, month := fixture.Stay.CheckIn, dynastay.MonthOf(fixture.Stay.CheckIn)
	few, many := 2, 9

	on = units.New(db)
	add("CreateOp", units.Unit{
		PropertyID: "prop_123", ID: "301", RoomTypeID: "room_789", Name: "The tower", Floor: "3", Features: []string{"sea view"},
		Housekeeping: units.Dirty,
	})
	add("UpdateOp", "prop_123", "301", nil, agreed)
	add("SetHousekeepingOp", "prop_123", "301", units.Inspected, "staff_7")
	list("List", "units.List", "prop_123")
	list("ToBeCleaned", "units.ToBeCleaned", "prop_123")

	on = availability.New(db)
	counted, _ := availability.NightRef("room_789", day)
	add("RecountOp", availability.NightCount{Ref: counted}, 2, 1)
	add("OpenOp", availability.OpenRequest{
		PropertyID: "prop_123", RoomTypeID: "room_789", Nights: fixture.Stay, Weekdays: availability.On(time.Friday, time.Saturday),
		Rooms: 5, Price: fixture.Price, MinStay: few, MaxStay: many, AboveCapacity: true, StopSell: true, StopSellReason: "renovation",
	})
	add("UpdateOp", availability.UpdateRequest{
		PropertyID: "prop_123", OpenOnly: true, Only: []availability.DateReport{{RoomTypeID: "room_789", Date: day, Departure: true}},
		Changes: []availability.Change{{
			RoomTypeIDs: []string{"room_789"}, Dates: fixture.Stay, Weekdays: availability.On(time.Friday), Price: fixture.Price,
			Rooms: &many, AboveCapacity: true, Overbook: 1, MinStay: &few, MaxStay: &many, ClosedToArrival: &no,
			ClosedToDeparture: &no, StopSell: &no, StopSellReason: "renovation",
		}},
	})

	on = listing.New(db)
	add("BookOp", listing.Booking{ListingID: "lst_1", HostID: "host_4", BookingID: "bk_1", Stay: fixture.Stay, Note: "late"})
	add("BlockOp", listing.Block{ListingID: "lst_1", HostID: "host_4", BlockID: "block_1", Stay: fixture.Stay, Note: "new windows"})
	add("DeleteOp", "lst_1", "BLOCK#block_1", agreed)
	add("ModifyOp", "lst_1", "BOOKING#bk_1", fixture.Stay, agreed)
	add("ImportOp", listing.Reservation{
		ListingID: "lst_1", HostID: "host_4", Source: listing.Airbnb, ExternalID: "HM1", Revision: 3, BookingID: "bk_1", Stay: fixture.Stay,
	})
	list("Events", "listing.Events", "lst_1")
	list("ByHost", "listing.ByHost", "host_4")
	list("ByHostBetween", "listing.ByHostBetween", "host_4", month)

	quote := namedQuote()
	guest := fixture.Request(nil).Guest
	on = bookings.New(db, nil)
	add("ImportOp", bookings.Import{
		ID: "bkg_1", Property: quote.Property, Stay: dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(1)}, Guests: availability.Guests{Adults: 1},
		Guest: guest, Status: bookings.Confirmed, CreatedAt: fixture.Now, Rooms: []availability.Room{{
			RoomTypeID: "room_789", Quantity: 1, Limits: availability.Limits{MaxOccupancy: 1, MaxAdults: 1}, Agreed: []dynastay.Money{usd("840")},
		}},
	})
	add("CreateOp", bookings.Request{
		Quote: quote, UserID: "user_456", Guest: guest, TaxesAndFees: usd("84"), Hold: time.Hour, SpecialRequests: "quiet",
		PromoCode: "SUMMER", Discounts: usd("40"),
	})
	text, code := "late", "SUMMER"
	add("ModifyOp", bookings.Modification{
		BookingID: "bkg_1", Version: 3, Quote: quote, TaxesAndFees: usd("84"), Guest: &guest, SpecialRequests: &text, PromoCode: &code,
		Discounts: usd("40"), Kept: usd("10"),
	})
	add("ModifyOp", bookings.Modification{BookingID: "bkg_1", Version: 3, Quote: quote, Waive: true})
	payment := bookings.Payment{
		ID: "pay_1", BookingID: "bkg_1", Provider: "stripe", ProviderTransactionID: "ch_1", Method: "credit_card", Amount: usd("840"),
		Status: bookings.PaymentFailed, Card: bookings.Card{Brand: "visa", Last4: "4242"}, FailureReason: "declined", At: fixture.Now,
	}
	refund := bookings.Refund{
		ID: "re_1", BookingID: "bkg_1", ProviderTransactionID: "ch_1", Amount: usd("40"), Status: bookings.PaymentFailed, Reason: "noise",
		FailureReason: "declined", At: fixture.Now,
	}
	paid, refunded := payment, refund
	paid.Status, paid.FailureReason = bookings.PaymentPaid, ""
	refunded.Status, refunded.FailureReason = bookings.PaymentRefunded, ""
	rooms := bookings.Assigned{"room_789": {"301", "302"}, "room_790": {"401"}}
	add("ApplyPaymentOp", payment)
	add("RecordPaymentOp", payment)
	add("RecordRefundOp", refund)
	due := refunded
	due.Amount = dynastay.Money{}
	add("RefundDueOp", due)
	add("ExtendHoldOp", "bkg_1", time.Hour)
	add("ConfirmOp", "bkg_1", nil)
	add("ConfirmOp", "bkg_1", []bookings.Payment{paid})
	add("CancelOp", "bkg_1", "ill", nil)
	add("CancelOp", "bkg_1", "ill", []bookings.Refund{refunded})
	add("CancelHoldOp", "bkg_1", "declined")
	add("CancelOverdueOp", "bkg_1", fixture.Now, "not paid", nil)
	add("CancelOverdueOp", "bkg_1", fixture.Now, "not paid", []bookings.Refund{refunded})
	add("CheckInOp", "bkg_1", rooms)
	add("AssignRoomsOp", "bkg_1", rooms)
	night := dynastay.Stay{CheckIn: day, CheckOut: day.AddDays(1)}
	inUnits := []bookings.Assignment{{RoomTypeID: "room_789", UnitID: "301"}, {RoomTypeID: "room_789", Line: 2, UnitID: "302", Nights: night}}
	add("AssignUnitsOp", "bkg_1", inUnits)
	add("CheckInToOp", "bkg_1", inUnits)
	add("UnassignUnitsOp", "bkg_1", []string{"301", "302"})
	add("MoveUnitOp", "bkg_1", bookings.UnitMove{From: "301", To: "302", On: day})
	add("SwapUnitsOp", bookings.UnitSwap{
		A: bookings.UnitOf{BookingID: "bkg_1", UnitID: "301"}, B: bookings.UnitOf{BookingID: "bkg_2", UnitID: "302"}, On: day,
	})
	for _, method := range []string{"UndoCheckInOp", "CheckOutOp", "UndoCheckOutOp", "NoShowOp", "ReleaseOp", "ReinstateOp", "ExpireOp"} {
		add(method, "bkg_1")
	}
	add("CreatePromoCodeOp", bookings.PromoCode{
		Code: "SUMMER", Description: "for the summer", Percent: 10_00, MinAmount: usd("100"), MaxDiscount: usd("50"),
		ValidFrom: fixture.Now, ValidUntil: fixture.Now.AddDate(0, 3, 0), UsageLimit: 100, Active: true,
	})
	add("ActivatePromoCodeOp", "SUMMER")
	add("DeactivatePromoCodeOp", "SUMMER")
	list("ByUser", "bookings.ByUser", "user_456")
	list("Upcoming", "bookings.Upcoming", "user_456", day)
	list("Past", "bookings.Past", "user_456", day)
	list("Cancelled", "bookings.Cancelled", "user_456")
	list("ByProperty", "bookings.ByProperty", bookings.PropertyQuery{PropertyID: "prop_123", From: day, To: day.AddDays(7)})
	list("ByStatus", "bookings.ByStatus", bookings.Confirmed)
	list("ByCheckIn", "bookings.ByCheckIn", bookings.CheckInQuery{Date: day, PropertyID: "prop_123"})
	list("Overdue", "bookings.Overdue", fixture.Now.AddDate(0, 0, -1), fixture.Now)
	list("InHouse", "bookings.InHouse", "prop_123")
	list("Departures", "bookings.Departures", bookings.CheckOutQuery{PropertyID: "prop_123", From: day, To: day.AddDays(1)})

	admin, which := venue.Actor{UserID: "user_admin", Role: venue.Admin}, venue.EventRef{Date: day, Slot: venue.Morning, ID: "evt_1"}
	on = venue.New(db, nil)
	add("RequestOp", admin, venue.Request{
		BookingID: "bkg_hall", UserID: "user_hall", Date: day, Slot: venue.Morning, Description: "Yoga", Attendees: 20,
	})
	add("UpdateOp", admin, "bkg_hall", nil, agreed)
	add("ApproveOp", admin, venue.Approval{
		BookingID: "bkg_hall", Version: 1, Title: "Yoga", Code: "4711", ValidFrom: fixture.Now, ValidUntil: fixture.Now.AddDate(0, 0, 1),
	})
	add("RejectOp", admin, venue.Rejection{BookingID: "bkg_hall", Version: 1, Reason: "full"})
	add("CancelOp", admin, venue.Cancellation{BookingID: "bkg_hall", Version: 1, Reason: "ill"})
	add("CreateEventOp", admin, venue.Event{ID: "evt_1", Date: day, Slot: venue.Morning, Type: "concert", Title: "Jazz"})
	add("UpdateEventOp", admin, which, nil, agreed)
	add("DeleteEventOp", admin, which, agreed)
	add("SetLockCodeOp", admin, venue.LockCode{
		EventID: "evt_1", Date: day, Slot: venue.Morning, Code: "4711", ValidFrom: fixture.Now, ValidUntil: fixture.Now.AddDate(0, 0, 1),
	})
	add("NotifyOp", venue.Notification{UserID: "user_hall", ID: "ntf_1", BookingID: "bkg_hall", Title: "Welcome", Text: "Come in"})
	add("MarkReadOp", venue.Notification{UserID: "user_hall", ID: "ntf_1", CreatedAt: fixture.Now})
	add("RecordPaymentOp", venue.Payment{BookingID: "bkg_hall", ID: "ch_1", Amount: usd("50"), Status: venue.PaymentPaid, Method: "card"})
	add("CreateUserOp", venue.User{ID: "user_hall", Email: "hall@example.com", Name: "Ann", Phone: "+15551234567"})
	add("UpdateUserOp", "user_hall", nil, agreed)
	add("SetRoleOp", admin, "user_hall", venue.Admin)
	add("RecountOp", "user_hall")
	list("Audit", "venue.Audit", day)
	list("BookingsOf", "venue.BookingsOf", "user_hall")
	list("Pending", "venue.Pending")
	list("NotificationsOf", "venue.NotificationsOf", "user_hall")
	list("PaymentsOf", "venue.PaymentsOf", "bkg_hall")

	hotels := properties.New(db, nil)
	room := properties.RoomType{
		ID: "room_789", Name: "Deluxe King", Description: "quiet", Limits: availability.Limits{MaxOccupancy: 2, MaxAdults: 2, MaxChildren: 1},
		SizeSqm: 30.5, Beds: []properties.Bed{{Type: "king", Count: 1}}, BasePrice: fixture.Price, Amenities: []string{"minibar"},
		Images: []string{"https://example.com/room.jpg"}, Total: 5, CancellationPolicy: availability.NonRefundable,
	}
	image := properties.Image{ID: "img_1", URL: "https://example.com/1.jpg", AltText: "the front", Category: "exterior"}
	on = hotels
	add("ImportOp", properties.Property{
		ID: "prop_123", Name: "Grand", Slug: "grand", Type: properties.Hotel, OwnerID: "user_host", CreatedAt: fixture.Now,
		Address: properties.Address{City: "New York", Country: "USA"},
	}, nil)
	add("CreateOp", properties.Property{
		ID: "prop_123", Name: "Grand Luxury Hotel", Slug: "grand", Type: properties.Hotel, Stars: 5, Description: "grand",
		OwnerID: "user_host", Status: properties.Approved, TimeZone: "America/New_York", CheckInTime: "15:00", CheckOutTime: "11:00",
		CancellationPolicy: availability.FreeCancellation(48), PrimaryImageURL: "https://example.com/1.jpg",
		Address: properties.Address{
			Line1: "1 Main Street", Line2: "2nd floor", City: "New York", State: "NY", Country: "USA", PostalCode: "10001",
			Latitude: 40.7589, Longitude: -73.9851,
		},
		Contact:    properties.Contact{Phone: "+15551234567", Email: "stay@example.com", Website: "https://example.com"},
		AmenityIDs: []string{"wifi", "pool"}, Featured: true, FeaturedScore: 95,
	}, []properties.RoomType{room})
	add("UpdateOp", "prop_123", nil, agreed)
	for _, method := range []string{"AddAmenitiesOp", "RemoveAmenitiesOp", "SetAmenitiesOp"} {
		add(method, "prop_123", "wifi", "pool")
	}
	add("AddImagesOp", "prop_123", image)
	add("UpdateImageOp", "prop_123", "img_1", nil, agreed)
	add("SetPrimaryImageOp", "prop_123", "img_1")
	add("ArrangeImagesOp", "prop_123", "img_2", "img_1")
	add("DeleteImageOp", "prop_123", "img_1")
	add("AddRoomTypesOp", "prop_123", room)
	add("UpdateRoomTypeOp", "prop_123", "room_789", nil, agreed)
	add("CreateRatePlanOp", availability.RatePlan{PropertyID: "prop_123", ID: "flex", Name: "Flexible", Active: true})
	add("UpdateRatePlanOp", "prop_123", "flex", nil, agreed)
	add("OrderRatePlansOp", "prop_123", []string{"flex"})
	add("UpdateChargesOp", "prop_123", nil, agreed)
	add("RateOp", "prop_123", dynastay.Rating(80), dynastay.Rating(92))
	add("RecountOp", "prop_123", func(context.Context) (properties.RatingTotals, error) { return properties.RatingTotals{}, nil })
	for _, method := range []string{"ApproveOp", "RejectOp", "ResubmitOp", "SuspendOp"} {
		add(method, "prop_123")
	}
	list("InArea", "properties.InArea", properties.AreaQuery{Latitude: 40.7589, Longitude: -73.9851})
	byAmenities := properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"}}
	list("ByAmenities", "properties.ByAmenities", byAmenities)
	list("IDsByAmenities", "properties.ByAmenities", byAmenities)
	list("ByCity", "properties.ByCity", properties.CityQuery{City: "New York", Country: "USA", MinRating: 80})
	list("ByPrice", "properties.ByPrice", properties.PriceQuery{
		City: "New York", Country: "USA", Currency: "USD", Min: usd("100"), Max: usd("280"),
	})
	list("ByStars", "properties.ByStars", properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: 80})
	list("ByType", "properties.ByType", properties.TypeQuery{Type: properties.Hotel, MinRating: 80})
	list("Featured", "properties.Featured")
	list("ByOwner", "properties.ByOwner", "user_host")
	list("PendingApprovals", "properties.PendingApprovals")

	on = catalog.Amenities(db)
	add("CreateOp", catalog.Amenity{ID: "wifi", Name: "Wi-Fi", Category: "basic", Icon: "wifi", DisplayOrder: 1, Aliases: []string{"internet"}})
	add("UpdateOp", "wifi", nil, agreed)
	add("DeleteOp", "wifi", agreed)
	list("All", "amenities.All")
	list("Find", "amenities.Find", "Wi-Fi")
	list("Complete", "amenities.Complete", "wi")
	on = catalog.Locations(db)
	add("CreateOp", catalog.Location{
		ID: "new-york-usa", City: "New York", Country: "USA", State: "NY", Aliases: []string{"NYC"}, Latitude: 40.7589, Longitude: -73.9851,
	})
	list("All", "locations.All")
	on = catalog.NewSetting(db, "currency", func(f *entity.Fields, v *string) { f.String("Value", v) })
	add("CreateOp", "USD")
	add("UpdateOp", nil, agreed)
	add("DeleteOp", agreed)

	opinions := reviews.New(db, hotels, nil)
	on = opinions
	add("ImportOp", reviews.Review{
		ID: "rev_999", BookingID: "bkg_1", UserID: "user_456", PropertyID: "prop_123", Ratings: reviews.Ratings{Overall: 92}, CreatedAt: fixture.Now,
	})
	add("CreateOp", reviews.Review{
		ID: "rev_999", BookingID: "bkg_1", UserID: "user_456", PropertyID: "prop_123",
		Ratings: reviews.Ratings{Overall: 92, Cleanliness: 90, Comfort: 91, Location: 93, Facilities: 94, Staff: 95, Value: 96},
		Title:   "Nice", Text: "A nice stay.", Pros: "the view", Cons: "the noise", TripType: reviews.Couple, StayDate: day,
		GuestName: "John D.", GuestCountry: "USA",
	})
	add("UpdateOp", "rev_999", nil, agreed)
	add("ApproveOp", "rev_999", 1)
	add("RejectOp", "rev_999", 1, "spam")
	add("RespondOp", reviews.Response{ReviewID: "rev_999", ResponderID: "user_host", ResponderName: "Hotel Manager", Text: "Thank you."})
	add("UpdateResponseOp", "rev_999", nil, agreed)
	add("DeleteResponseOp", "rev_999", dynastay.IfVersion(1), agreed)
	add("VoteOp", "rev_999", "user_7")
	add("UnvoteOp", "rev_999", "user_7")
	list("ByProperty", "reviews.ByProperty", "prop_123")
	list("ByUser", "reviews.ByUser", "user_456")
	list("Pending", "reviews.Pending")
	on = opinions.Public()
	list("ByProperty", "reviews.ByProperty", "prop_123")
	list("ByUser", "reviews.ByUser", "user_456")

	movement := users.Movement{UserID: "user_456", ReasonID: "bkg_1", Points: 840, Note: "stay"}
	on = users.New(db, nil)
	add("ImportOp", users.User{
		ID: "user_456", Email: "john.doe@example.com", FirstName: "John", LastName: "Doe", Role: users.Customer, CreatedAt: fixture.Now,
	})
	add("CreateOp", users.User{
		ID: "user_456", Email: "john.doe@example.com", EmailVerified: true, FirstName: "John", LastName: "Doe", Phone: "+15551234567",
		PhoneVerified: true, PhotoURL: "https://example.com/john.jpg", Role: users.Customer, Country: "USA", PreferredCurrency: "USD",
		PreferredLanguage: "en",
	})
	add("UpdateOp", "user_456", nil, agreed)
	add("VerifyEmailOp", "user_456", "john.doe@example.com")
	add("ReplaceEmailOp", "user_456", "john.doe@example.com", "john@example.com")
	add("VerifyPhoneOp", "user_456", "+15551234567")
	add("RecordLoginOp", "user_456")
	add("NotErasedOp", "user_456")
	add("UpdatePreferencesOp", "user_456", nil, agreed)
	add("EarnOp", movement)
	add("RedeemOp", movement)
	add("ReverseOp", "user_456", "bkg_1")
	add("CreateWishlistOp", users.Wishlist{ID: "wl_1", UserID: "user_456", Name: "Summer", Public: true, PropertyIDs: []string{"prop_123"}})
	add("UpdateWishlistOp", "user_456", "wl_1", nil, agreed)
	add("AddToWishlistOp", "user_456", "wl_1", "prop_123")
	add("RemoveFromWishlistOp", "user_456", "wl_1", "prop_123")
	add("DeleteWishlistOp", "user_456", "wl_1", agreed)
	list("LoyaltyEntries", "users.LoyaltyEntries", "user_456")
	list("Wishlists", "wishlists.ByUser", "user_456")
	list("PublicWishlists", "wishlists.PublicByUser", "user_456")

	on = entity.NewTable(db, entity.New(entity.Spec[named]{
		Name: "Thing", Operations: "things", Schema: keys.MetadataTable, ID: "Id", Prefix: "thing_",
		Key: func(v *named) (dynastay.Key, error) { return dynastay.Key{PK: "THING#" + v.ID, SK: "METADATA"}, nil },
		Codec: entity.Declare(func(f *entity.Fields, v *named) {
			f.String("Id", &v.ID)
			f.String("Note", &v.Note)
		}),
	}))
	at, first := dynastay.Key{PK: "THING#1", SK: "METADATA"}, len(all)
	add("CreateOp", &named{ID: "1", Note: "new"})
	add("CreateFromOp", func() (*named, error) { return &named{}, nil }, "agreed")
	add("PutOp", &named{ID: "1", Note: "new"})
	add("UpdateOp", at, nil, agreed)
	add("DeleteOp", at, agreed)
	list("List", "things.List", dynastay.Query{Name: "things.List", Partition: at.PK})
	for i := range all[first:] {
		all[first+i].own = true
	}
	return all
}

// named is an entity of the test.
type named struct{ ID, Note string }

// namedQuote is a quote of one room.
func namedQuote() *availability.Quote {
	line := availability.Line{
		RoomTypeID: "room_789", Name: "Deluxe King", Quantity: 1, CancellationPolicy: availability.FreeCancellation(48),
		Subtotal: dynastay.MustMoney("840.00", "USD"),
	}
	for date := range fixture.Stay.Dates() {
		line.Nights = append(line.Nights, availability.NightPrice{Date: date, Price: fixture.Price})
	}
	return &availability.Quote{
		Property: availability.House{ID: "prop_123", Name: "Grand Luxury Hotel", TimeZone: "America/New_York", CheckInTime: "15:00"},
		Stay:     fixture.Stay, Guests: availability.Guests{Adults: 2, Children: 1}, Overbook: 1, Lines: []availability.Line{line},
		Sleeps: availability.Limits{MaxAdults: 2, MaxChildren: 1, MaxOccupancy: 3}, Total: line.Subtotal, At: fixture.Now,
	}
}

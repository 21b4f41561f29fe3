package keys

import (
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

// The indexes of [BookingsTable].
const (
	UserBookingsIndex     = "GSI1-UserBookingsIndex"
	PropertyBookingsIndex = "GSI2-PropertyBookingsIndex"
	BookingStatusIndex    = "GSI3-StatusIndex"
	ReferenceIndex        = "GSI4-ReferenceIndex"
	CheckInDateIndex      = "GSI5-CheckInDateIndex"
	HoldIndex             = "GSI6-HoldIndex"
	HouseIndex            = "GSI7-HouseIndex"
)

// bookingSummary is what a list of bookings shows. A booking is larger than 1 KB, so an index that projected all of it
// would cost twice as much for every change, and more with long special requests. An index may name 20 attributes, and
// the indexes of a table 100 in total, counting repeats: these are 4 × 18 = 72.
var bookingSummary = []string{
	"BookingReference", "UserId", "PropertyId", "PropertyName", "Channel", "ExternalReference", "GuestInfo",
	"CheckInDate", "CheckOutDate", "NumberOfAdults", "NumberOfChildren", "NumberOfRooms", "Status", "PaymentStatus", "TotalAmount", "Currency",
	"HoldExpiresAt", "CreatedAt",
}

// BookingsTable contains the bookings with their rooms, payments and refunds. The indexes that lists are read from
// project a booking's summary instead of the whole booking.
var BookingsTable = &dynastay.Schema{
	Name: "Bookings",
	Key:  primaryKey,
	Indexes: []dynastay.Index{
		index(UserBookingsIndex, dynastay.ProjectInclude, bookingSummary...),
		index(PropertyBookingsIndex, dynastay.ProjectInclude, bookingSummary...),
		index(BookingStatusIndex, dynastay.ProjectInclude, bookingSummary...),
		index(ReferenceIndex, dynastay.ProjectKeys),
		index(CheckInDateIndex, dynastay.ProjectInclude, bookingSummary...),
		index(HoldIndex, dynastay.ProjectKeys),
		index(HouseIndex, dynastay.ProjectKeys),
	},
	Stream: true,
}

// Booking is the item of a booking: BOOKING#{BookingID} / METADATA.
type Booking struct{ BookingID string }

func (k *Booking) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("METADATA")
}

// Payment is the item with the state of a booking's payment: BOOKING#{BookingID} / PAYMENT.
type Payment struct{ BookingID string }

func (k *Payment) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("PAYMENT")
}

// PaymentAttempt is the item of one transaction at the payment provider:
// BOOKING#{BookingID} / PAYMENT#{ProviderTransactionID}. The provider's id makes its notifications idempotent.
type PaymentAttempt struct{ BookingID, ProviderTransactionID string }

func (k *PaymentAttempt) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("PAYMENT#", key.Text("ProviderTransactionID", &k.ProviderTransactionID))
}

// Refund is the item of one refund: BOOKING#{BookingID} / REFUND#{RefundID}.
type Refund struct{ BookingID, RefundID string }

func (k *Refund) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("REFUND#", key.ID("RefundID", &k.RefundID))
}

// BookingRoom is the item of the first line that a booking has for a room type: BOOKING#{BookingID} / ROOM#{RoomTypeID}.
type BookingRoom struct{ BookingID, RoomTypeID string }

func (k *BookingRoom) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID))
}

// BookingRoomLine is the item of a further line for the room type, with a number from 2 to 99:
// BOOKING#{BookingID} / ROOM#{RoomTypeID}#LINE#{Number}.
type BookingRoomLine struct {
	BookingID, RoomTypeID string
	Number                int
}

func (k *BookingRoomLine) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("ROOM#", key.ID("RoomTypeID", &k.RoomTypeID), "#LINE#", key.Whole("Number", &k.Number, 2, 99))
}

// BookingCharges is the item with the charges of a booking: BOOKING#{BookingID} / CHARGES.
type BookingCharges struct{ BookingID string }

func (k *BookingCharges) Form(f *key.Form) {
	f.PK("BOOKING#", key.ID("BookingID", &k.BookingID))
	f.SK("CHARGES")
}

// ReferenceGuard reserves a booking reference for one booking: REFERENCE#{Reference} / GUARD.
type ReferenceGuard struct{ Reference string }

func (k *ReferenceGuard) Form(f *key.Form) {
	f.PK("REFERENCE#", key.Text("Reference", &k.Reference))
	f.SK("GUARD")
}

// ExternalReferenceGuard reserves the reference that a channel has for a booking:
// CHANNEL#{Channel}#REFERENCE#{ExternalReference} / GUARD.
type ExternalReferenceGuard struct{ Channel, ExternalReference string }

func (k *ExternalReferenceGuard) Form(f *key.Form) {
	f.PK("CHANNEL#", key.Text("Channel", &k.Channel), "#REFERENCE#", key.Text("ExternalReference", &k.ExternalReference))
	f.SK("GUARD")
}

// BookingByUser is the row of a booking in [UserBookingsIndex]:
// USER#{UserID} / CHECKIN#{CheckIn}#BOOKING#{BookingID}.
type BookingByUser struct {
	UserID    string
	CheckIn   dynastay.Date
	BookingID string
}

func (k *BookingByUser) Form(f *key.Form) {
	f.PK("USER#", key.ID("UserID", &k.UserID))
	f.SK("CHECKIN#", key.Date("CheckIn", &k.CheckIn), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingByProperty is the row of a booking in [PropertyBookingsIndex]:
// PROPERTY#{PropertyID} / CHECKIN#{CheckIn}#BOOKING#{BookingID}.
type BookingByProperty struct {
	PropertyID string
	CheckIn    dynastay.Date
	BookingID  string
}

func (k *BookingByProperty) Form(f *key.Form) {
	f.PK("PROPERTY#", key.ID("PropertyID", &k.PropertyID))
	f.SK("CHECKIN#", key.Date("CheckIn", &k.CheckIn), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingByStatus is the row of a booking in [BookingStatusIndex], oldest first:
// STATUS#{Status} / CREATED#{Created}#BOOKING#{BookingID}. The partition may be sharded, see [key.ShardOf].
type BookingByStatus struct {
	Status    string
	Shard     int
	Created   time.Time
	BookingID string
}

func (k *BookingByStatus) Form(f *key.Form) {
	f.PK("STATUS#", key.Word("Status", &k.Status), key.Shard("Shard", &k.Shard))
	f.SK("CREATED#", key.Instant("Created", &k.Created), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingByReference is the row of a booking in [ReferenceIndex]: REFERENCE#{Reference} / BOOKING.
type BookingByReference struct{ Reference string }

func (k *BookingByReference) Form(f *key.Form) {
	f.PK("REFERENCE#", key.Text("Reference", &k.Reference))
	f.SK("BOOKING")
}

// BookingByCheckIn is the row of a booking in [CheckInDateIndex]: CHECKIN#{CheckIn} /
// PROPERTY#{PropertyID}#BOOKING#{BookingID}. A cancelled or expired booking has no row. The index serves the arrivals
// of a day, both all of them and those at one property. The partition may be sharded, see [key.ShardOf].
type BookingByCheckIn struct {
	CheckIn    dynastay.Date
	Shard      int
	PropertyID string
	BookingID  string
}

func (k *BookingByCheckIn) Form(f *key.Form) {
	f.PK("CHECKIN#", key.Date("CheckIn", &k.CheckIn), key.Shard("Shard", &k.Shard))
	f.SK("PROPERTY#", key.ID("PropertyID", &k.PropertyID), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingByHold is the row of a pending booking in [HoldIndex], in the order of expiry:
// HOLDS / EXPIRES#{Expires}#BOOKING#{BookingID}. The partition may be sharded, see [key.ShardOf].
type BookingByHold struct {
	Shard     int
	Expires   time.Time
	BookingID string
}

func (k *BookingByHold) Form(f *key.Form) {
	f.PK("HOLDS", key.Shard("Shard", &k.Shard))
	f.SK("EXPIRES#", key.Instant("Expires", &k.Expires), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingByDue is the row in [HoldIndex] of a confirmed booking, or one of guests who have checked in, of which a part is due
// before the arrival and has not been paid: DUE / DUE#{Due}#BOOKING#{BookingID}. The partition may be sharded, as that of
// the holds.
type BookingByDue struct {
	Shard     int
	Due       time.Time
	BookingID string
}

func (k *BookingByDue) Form(f *key.Form) {
	f.PK("DUE", key.Shard("Shard", &k.Shard))
	f.SK("DUE#", key.Instant("Due", &k.Due), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

// BookingInHouse is the row in [HouseIndex] of a booking whose guests have checked in and not checked out, next departure
// first: HOUSE#{PropertyID} / OUT#{CheckOut}#BOOKING#{BookingID}.
type BookingInHouse struct {
	PropertyID string
	CheckOut   dynastay.Date
	BookingID  string
}

func (k *BookingInHouse) Form(f *key.Form) {
	f.PK("HOUSE#", key.ID("PropertyID", &k.PropertyID))
	f.SK("OUT#", key.Date("CheckOut", &k.CheckOut), "#BOOKING#", key.ID("BookingID", &k.BookingID))
}

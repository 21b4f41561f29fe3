package bookings

import (
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/keys"
)

// Booking is a sold stay. One that was read from an index has no Lines; [Repository.Get] reads them along.
type Booking struct {
	ID         string
	Reference  string // what the guest quotes, such as "BKG-2026-7K3QX9"
	UserID     string
	PropertyID string
	Status     Status

	Stay   dynastay.Stay
	Guests availability.Guests
	Guest  Guest

	Total         dynastay.Money
	Breakdown     Breakdown
	PaymentStatus PaymentStatus

	SpecialRequests string
	// CancellationPolicy is the one that all lines share, "" where they differ.
	CancellationPolicy availability.CancellationPolicy

	// What the quote said of the property, so that a confirmation can be written without reading it.
	PropertyName string
	TimeZone     string
	CheckInTime  string

	HoldExpiresAt      time.Time // of a pending booking
	CreatedAt          time.Time
	UpdatedAt          time.Time
	ConfirmedAt        time.Time
	CancelledAt        time.Time
	CancellationReason string

	Version int
	Lines   []Line
}

// Guest is the person whom the property expects.
type Guest struct {
	FirstName string
	LastName  string
	Email     string
	Phone     string // E.164, spaces and hyphens allowed; "" for none
	Country   string
}

// Breakdown is what the total is made of: Rooms + TaxesAndFees − Discounts.
type Breakdown struct {
	Rooms        dynastay.Money
	TaxesAndFees dynastay.Money
	Discounts    dynastay.Money
}

var bookingEntity = &dynastay.Entity[Booking]{
	Name:    "Booking",
	ID:      func(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "BOOKING#") },
	Schema:  keys.BookingsTable,
	Version: keys.AttrVersion,
	Touched: "UpdatedAt",
	Key: func(b *Booking) (dynastay.Key, error) {
		return keys.Of(keys.Booking{BookingID: b.ID})
	},
	Codec: dynastay.Declare(func(f *dynastay.Fields, b *Booking) {
		f.Const(keys.AttrEntityType, "Booking")
		f.String("BookingId", &b.ID)
		f.String("BookingReference", &b.Reference)
		f.String("UserId", &b.UserID)
		f.String("PropertyId", &b.PropertyID)
		dynastay.Text(f, "Status", &b.Status)
		f.Date("CheckInDate", &b.Stay.CheckIn)
		f.Date("CheckOutDate", &b.Stay.CheckOut)
		nights := b.Stay.Nights()
		f.Int("NumberOfNights", &nights)
		f.Int("NumberOfAdults", &b.Guests.Adults)
		f.Int("NumberOfChildren", &b.Guests.Children)
		f.Map("GuestInfo", func(f *dynastay.Fields) {
			f.String("FirstName", &b.Guest.FirstName)
			f.String("LastName", &b.Guest.LastName)
			f.String("Email", &b.Guest.Email)
			f.String("Phone", &b.Guest.Phone)
			f.String("Country", &b.Guest.Country)
		})
		f.Money("TotalAmount", "Currency", &b.Total)
		f.Map("PriceBreakdown", func(f *dynastay.Fields) {
			f.Amount("RoomTotal", b.Total.Currency(), &b.Breakdown.Rooms)
			f.Amount("TaxesAndFees", b.Total.Currency(), &b.Breakdown.TaxesAndFees)
			f.Amount("Discounts", b.Total.Currency(), &b.Breakdown.Discounts)
		})
		dynastay.Text(f, "PaymentStatus", &b.PaymentStatus)
		f.String("SpecialRequests", &b.SpecialRequests)
		dynastay.Text(f, "CancellationPolicy", &b.CancellationPolicy)
		f.String("PropertyName", &b.PropertyName)
		f.String("TimeZone", &b.TimeZone)
		f.String("CheckInTime", &b.CheckInTime)
		f.Time("HoldExpiresAt", &b.HoldExpiresAt)
		f.Time("CreatedAt", &b.CreatedAt)
		f.Time("UpdatedAt", &b.UpdatedAt)
		f.Time("ConfirmedAt", &b.ConfirmedAt)
		f.Time("CancelledAt", &b.CancelledAt)
		f.String("CancellationReason", &b.CancellationReason)
		f.IfSet().Int(keys.AttrVersion, &b.Version)
	}),
	Derived: bookingIndexes(),
}

func bookingIndexes() (all []dynastay.Derived[Booking]) {
	index := func(name string, key func(*Booking) (dynastay.Key, error)) {
		all = append(all, dynastay.IndexKey(keys.BookingsTable, name, key)...)
	}
	index(keys.UserBookingsIndex, func(b *Booking) (dynastay.Key, error) {
		return keys.Of(keys.BookingByUser{UserID: b.UserID, CheckIn: b.Stay.CheckIn, BookingID: b.ID})
	})
	index(keys.PropertyBookingsIndex, func(b *Booking) (dynastay.Key, error) {
		return keys.Of(keys.BookingByProperty{PropertyID: b.PropertyID, CheckIn: b.Stay.CheckIn, BookingID: b.ID})
	})
	index(keys.BookingStatusIndex, func(b *Booking) (dynastay.Key, error) {
		return keys.Of(keys.BookingByStatus{Status: string(b.Status), Created: b.CreatedAt, BookingID: b.ID})
	})
	index(keys.ReferenceIndex, func(b *Booking) (dynastay.Key, error) {
		return keys.Of(keys.BookingByReference{Reference: b.Reference})
	})
	index(keys.CheckInDateIndex, func(b *Booking) (dynastay.Key, error) {
		if b.Status.gone() {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.BookingByCheckIn{CheckIn: b.Stay.CheckIn, PropertyID: b.PropertyID, BookingID: b.ID})
	})
	index(keys.HoldIndex, func(b *Booking) (dynastay.Key, error) {
		if b.Status != Pending || b.HoldExpiresAt.IsZero() {
			return dynastay.Key{}, nil
		}
		return keys.Of(keys.BookingByHold{Expires: b.HoldExpiresAt, BookingID: b.ID})
	})
	return all
}

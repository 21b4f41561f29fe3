package bookings

import (
	"context"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Summary is the part of a booking that lists return; [Repository.Get] reads the rest.
type Summary struct {
	ID           string
	Reference    string // the reference that the guest quotes, such as "BKG-2026-7K3QX9"
	UserID       string // "" for a guest without an account, or if the booking was anonymised
	PropertyID   string
	PropertyName string // as in the quote
	Source

	Guest  Guest               `json:",omitzero"`
	Stay   dynastay.Stay       `json:",omitzero"`
	Guests availability.Guests `json:",omitzero"`
	Rooms  int                 // in all lines; 0 if other software created the booking

	Status        Status
	PaymentStatus PaymentStatus
	Total         dynastay.Money `json:",omitzero"`
	HoldExpiresAt time.Time      `json:",omitzero"` // of a pending booking
	CreatedAt     time.Time      `json:",omitzero"`
}

// holdEnded reports whether the rooms of a pending booking are held no longer. Other software may have stored a pending
// booking without the end of its hold, which then never ends.
func (s *Summary) holdEnded(now time.Time) bool {
	return !s.HoldExpiresAt.IsZero() && !now.Before(s.HoldExpiresAt)
}

// Booking is a sold stay.
type Booking struct {
	Summary

	Breakdown       Breakdown `json:",omitzero"`
	Data            Data      `json:",omitzero"`
	PromoCode       string    // the code that gave the discounts, as it is stored; "" for none
	SpecialRequests string
	// CancellationPolicy is the policy that all lines share, or "" if they differ.
	CancellationPolicy availability.CancellationPolicy

	// Copied from the quote, like PropertyName, so that a confirmation can be written without reading the property.
	TimeZone    string
	CheckInTime string
	// PolicyCheckIn is the date of check-in from which the hours of the policies count, if that is not the one of the
	// stay: see [Repository.ModifyOp].
	PolicyCheckIn dynastay.Date `json:",omitzero"`

	UpdatedAt          time.Time `json:",omitzero"`
	ConfirmedAt        time.Time `json:",omitzero"`
	CheckedInAt        time.Time `json:",omitzero"`
	CheckedOutAt       time.Time `json:",omitzero"`
	CancelledAt        time.Time `json:",omitzero"`
	CancellationReason string
	// Released are the nights whose rooms are not this booking's any more, because [Repository.Release] returned them: of
	// a no-show all from a date on, of guests who arrived later those before; and because [Repository.Import] has never taken
	// them. It is the zero Stay if there are none.
	Released dynastay.Stay `json:",omitzero"`
	// DueAt is by when the first part of the total was or is to be paid that has not been paid, see [Instalment]; the zero time
	// if nothing is due before the arrival. Once the booking does not take place any more, it means nothing.
	DueAt time.Time `json:",omitzero"`
	// AnonymisedAt is when [Eraser.Erase] removed the user and the guest from the booking; the zero time means never.
	// Nothing about a person is stored in the booking after that.
	AnonymisedAt time.Time `json:",omitzero"`

	Version int
	Lines   []Line `json:",omitzero"`
	// Charges are its taxes, fees and deposits, if it was quoted with the charges of the property; nil otherwise. Those that are
	// added are the TaxesAndFees of Breakdown. What is due at the property and the deposits are in no total.
	Charges *charges.Bill `json:",omitzero"`
	// LastLine is the highest number that a line has had; 0 if no room type has had more than one line.
	LastLine int

	unique bool // no other booking has its channel and external reference
}

// Breakdown is the composition of the total: Rooms + TaxesAndFees − Discounts + Kept.
type Breakdown struct {
	Rooms        dynastay.Money `json:",omitzero"`
	TaxesAndFees dynastay.Money `json:",omitzero"`
	Discounts    dynastay.Money `json:",omitzero"`
	// Kept is what the property keeps of the price of nights and rooms that modifications have given up, by their
	// cancellation policies. It is the zero Money if there is nothing.
	Kept dynastay.Money `json:",omitzero"`
}

// addUp sets the total to the sum of the breakdown, whose missing parts become 0.
func (b *Booking) addUp() error {
	nothing, err := b.Breakdown.Rooms.Times(0)
	if err != nil {
		return err
	}
	for _, amount := range []*dynastay.Money{&b.Breakdown.TaxesAndFees, &b.Breakdown.Discounts} {
		if !amount.IsSet() {
			*amount = nothing
		}
	}
	total, err := b.Breakdown.Rooms.Add(b.Breakdown.TaxesAndFees)
	if err != nil {
		return err
	}
	if total, err = total.Sub(b.Breakdown.Discounts); err != nil {
		return err
	}
	b.Total, err = total.Add(b.Breakdown.Kept)
	return err
}

// price returns the total without what is kept of what was given up: the price of what the booking has.
func (b *Booking) price() (dynastay.Money, error) { return b.Total.Sub(b.Breakdown.Kept) }

// unpaid is the payment status of a booking for which nothing has been recorded.
func (b *Booking) unpaid() PaymentStatus {
	if b.Total.IsSet() && b.Total.Sign() == 0 {
		return PaymentPaid
	}
	return PaymentPending
}

// today returns the current date at the property. An unknown time zone, which only other software can have stored,
// counts as UTC: the booking must not become impossible to cancel.
func (b *Booking) today(now time.Time) dynastay.Date {
	today, _ := availability.House{TimeZone: b.TimeZone}.Today(now)
	return today
}

// declare declares the attributes that Booking and Summary share. These are the ones that the indexes hold, as listed
// in keys.BookingsTable, so the id is not among them.
func (s *Summary) declare(f *entity.Fields) {
	f.String("BookingReference", &s.Reference)
	f.String("UserId", &s.UserID)
	f.String("PropertyId", &s.PropertyID)
	f.String("PropertyName", &s.PropertyName)
	s.Source.declare(f)
	f.Map("GuestInfo", s.Guest.declare)
	f.Date("CheckInDate", &s.Stay.CheckIn)
	f.Date("CheckOutDate", &s.Stay.CheckOut)
	f.Int("NumberOfAdults", &s.Guests.Adults)
	f.Int("NumberOfChildren", &s.Guests.Children)
	f.IfSet().Int("NumberOfRooms", &s.Rooms)
	entity.String(f, "Status", &s.Status)
	entity.String(f, "PaymentStatus", &s.PaymentStatus)
	f.Money("TotalAmount", "Currency", &s.Total)
	f.Time("HoldExpiresAt", &s.HoldExpiresAt)
	f.Time("CreatedAt", &s.CreatedAt)
}

var summaryCodec = entity.Declare(func(f *entity.Fields, s *Summary) { s.declare(f) })

// summaryOf decodes the row of an index. The id is only in the key.
func summaryOf(_ context.Context, row dynastay.Row) (*Summary, error) {
	key, err := keys.Parse[keys.Booking](keys.BookingsTable.Key.From(row))
	if err != nil {
		return nil, err
	}
	s, err := entity.Read("Booking", key.BookingID, summaryCodec, row)
	if err != nil {
		return nil, err
	}
	s.ID = key.BookingID
	return s, nil
}

// idOf returns the booking's id, for errors.
func idOf(k dynastay.Key) string { return strings.TrimPrefix(k.PK, "BOOKING#") }

func newEntity(o Options) *entity.Entity[Booking] {
	return entity.New(entity.Spec[Booking]{
		Name: "Booking", Operations: "bookings", Schema: keys.BookingsTable, IDOf: idOf,
		ID: "BookingId", Prefix: "bkg_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Kept: []string{"PaymentStatus", "DueAt"},
		Key:  func(b *Booking) (dynastay.Key, error) { return keys.Of(keys.Booking{BookingID: b.ID}) },
		Codec: entity.Declare(func(f *entity.Fields, b *Booking) {
			f.Const(keys.AttrEntityType, "Booking")
			f.String("BookingId", &b.ID)
			b.declare(f)
			nights := b.Stay.Nights()
			f.Int("NumberOfNights", &nights)
			f.Map("PriceBreakdown", func(f *entity.Fields) {
				f.Amount("RoomTotal", b.Total.Currency(), &b.Breakdown.Rooms)
				f.Amount("TaxesAndFees", b.Total.Currency(), &b.Breakdown.TaxesAndFees)
				f.Amount("Discounts", b.Total.Currency(), &b.Breakdown.Discounts)
				f.Amount("Kept", b.Total.Currency(), &b.Breakdown.Kept)
			})
			b.Data.declare(f)
			f.IfSet().Bool("UniqueReference", &b.unique)
			f.String("PromoCode", &b.PromoCode)
			f.String("SpecialRequests", &b.SpecialRequests)
			entity.String(f, "CancellationPolicy", &b.CancellationPolicy)
			f.String("TimeZone", &b.TimeZone)
			f.String("CheckInTime", &b.CheckInTime)
			f.Date("PolicyCheckInDate", &b.PolicyCheckIn)
			f.Time("UpdatedAt", &b.UpdatedAt)
			f.Time("ConfirmedAt", &b.ConfirmedAt)
			f.Time("CheckedInAt", &b.CheckedInAt)
			f.Time("CheckedOutAt", &b.CheckedOutAt)
			f.Time("CancelledAt", &b.CancelledAt)
			f.String("CancellationReason", &b.CancellationReason)
			f.Date("ReleasedFrom", &b.Released.CheckIn)
			f.Date("ReleasedTo", &b.Released.CheckOut)
			f.Time("DueAt", &b.DueAt)
			f.Time("AnonymisedAt", &b.AnonymisedAt)
			f.IfSet().Int("LastLine", &b.LastLine)
			f.IfSet().Int(keys.AttrVersion, &b.Version)
		}),
		Indexes: map[string]func(*Booking) (dynastay.Key, error){
			keys.UserBookingsIndex: func(b *Booking) (dynastay.Key, error) {
				if b.UserID == "" { // of a guest without an account, an anonymised booking, or one of other software
					return dynastay.Key{}, nil
				}
				return keys.Of(keys.BookingByUser{UserID: b.UserID, CheckIn: b.Stay.CheckIn, BookingID: b.ID})
			},
			keys.PropertyBookingsIndex: func(b *Booking) (dynastay.Key, error) {
				return keys.Of(keys.BookingByProperty{PropertyID: b.PropertyID, CheckIn: b.Stay.CheckIn, BookingID: b.ID})
			},
			keys.BookingStatusIndex: func(b *Booking) (dynastay.Key, error) {
				return keys.Of(keys.BookingByStatus{Status: string(b.Status), Shard: o.StatusShards.Of(b.ID), Created: b.CreatedAt, BookingID: b.ID})
			},
			keys.ReferenceIndex: func(b *Booking) (dynastay.Key, error) {
				return keys.Of(keys.BookingByReference{Reference: b.Reference})
			},
			keys.CheckInDateIndex: func(b *Booking) (dynastay.Key, error) {
				if b.Status.gone() {
					return dynastay.Key{}, nil
				}
				return keys.Of(keys.BookingByCheckIn{CheckIn: b.Stay.CheckIn, Shard: o.CheckInShards.Of(b.ID), PropertyID: b.PropertyID, BookingID: b.ID})
			},
			keys.HoldIndex: func(b *Booking) (dynastay.Key, error) {
				switch shard := o.HoldShards.Of(b.ID); {
				case b.Status == Pending && !b.HoldExpiresAt.IsZero():
					return keys.Of(keys.BookingByHold{Shard: shard, Expires: b.HoldExpiresAt, BookingID: b.ID})
				case (b.Status == Confirmed || b.Status == CheckedIn) && !b.DueAt.IsZero():
					return keys.Of(keys.BookingByDue{Shard: shard, Due: b.DueAt, BookingID: b.ID})
				}
				return dynastay.Key{}, nil
			},
			keys.HouseIndex: func(b *Booking) (dynastay.Key, error) {
				if b.Status != CheckedIn {
					return dynastay.Key{}, nil
				}
				return keys.Of(keys.BookingInHouse{PropertyID: b.PropertyID, CheckOut: b.Stay.CheckOut, BookingID: b.ID})
			},
		},
		Unique: []entity.Unique[Booking]{{
			Field: "Reference", Owner: []string{"BookingId"}, Mark: map[string]string{keys.AttrEntityType: "Guard"},
			Guard: func(b *Booking) (dynastay.Key, error) { return keys.Of(keys.ReferenceGuard{Reference: b.Reference}) },
			Index: keys.ReferenceIndex,
			Partition: func(b *Booking) (string, error) {
				return keys.Partition(keys.BookingByReference{Reference: b.Reference})
			},
			// A different booking already has this reference: the next preparation draws a new one.
			Taken: func(b *Booking) error {
				b.Reference = ""
				return dynastay.ErrOvertaken
			},
		}, {
			Field: "ExternalReference", Owner: []string{"BookingId"}, Mark: map[string]string{keys.AttrEntityType: "Guard"},
			Guard: func(b *Booking) (dynastay.Key, error) {
				if !b.unique {
					return dynastay.Key{}, nil
				}
				return keys.Of(keys.ExternalReferenceGuard{Channel: b.Channel, ExternalReference: b.ExternalReference})
			},
		}},
	})
}

package bookings

import (
	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of bookings and promo codes. One transaction changes several items, each of
// which has a change of its own. Those are handled in any order, and a handler that reads another item may find a later
// state of it.
//
//   - A booking is made: Bookings, Created; Status is Pending or Confirmed
//   - It is confirmed, also by Create: Bookings, Became: Status is Confirmed
//   - Its guests check in, check out or do not arrive, it is cancelled, it expires: Bookings, Became: Status
//   - Nights are released: Bookings, Became: Released is set and Status is NoShow
//   - It is modified: Bookings; Stay, Rooms, Guests, Guest, Data or Total differs
//   - It is paid, or a refund is recorded, also one that is pending: Bookings, Became: PaymentStatus
//   - A payment is reported: PaymentAttempts, Became: Status
//   - A refund is reported: Refunds, Became: Status
//   - Its user or its guest is erased: Bookings, Became: AnonymisedAt is set
//
// A booking's own item is written together with each of its lines, payments and refunds, so a change of Bookings may
// have an Old that is equal to New: use [stream.Change.Became], or compare fields. A handler that needs the lines too
// can call [Repository.Get] for a change of Bookings.
type Changes struct {
	// Bookings is a booking without its Lines and Charges, which are items of their own; the rest is as [Repository.Get]
	// returns it. Every write of a booking produces a change, also if it only changes lines, payments or refunds. The library
	// never deletes a booking.
	Bookings stream.Decoder[Booking]
	// Lines is one line of a booking, named by RoomTypeID and Number. Its Plan has no PropertyID. Its amounts have no currency,
	// because only the booking's item has one: their Digits and Sign are right, but IsSet is false, and String and JSON are
	// empty. [dynastay.MoneyOfDigits] returns an amount in the currency of Booking.Total. [Repository.Create] produces a change
	// for each line, [Repository.Modify] for each that it adds, changes or removes, and [Repository.CheckIn],
	// [Repository.AssignRooms] and [Repository.UndoCheckIn] for each that gets or loses rooms. Other writes do not change
	// lines: a cancelled booking keeps them.
	Lines stream.Decoder[Line]
	// Charges are the charges of a booking, by the names of its lines and by date. [Repository.Create] produces a change if the
	// quote has charges, and [Repository.Modify] if they differ. Other writes do not change them: what is kept of a cancelled
	// booking follows from their rules.
	Charges stream.Decoder[BookingCharges]
	// Payments is the summary of all payments of a booking, as [Repository.Payment] returns it. It is written together
	// with every payment and refund, so its changes show the new totals. Erasing a user removes the card.
	Payments stream.Decoder[PaymentSummary]
	// PaymentAttempts is one payment, as [Repository.PaymentHistory] returns it. [Repository.RecordPayment] and
	// [Repository.Confirm] produce a change; so does erasing a user, which removes the card and the reason of a
	// failure. A notification that is repeated changes nothing. If other software stored only the summary, the next
	// payment or refund also creates its payment.
	PaymentAttempts stream.Decoder[Payment]
	// Refunds is one refund, as [Repository.PaymentHistory] returns it. [Repository.RecordRefund] and
	// [Repository.Cancel] produce a change; so does erasing a user, which removes the reasons.
	Refunds stream.Decoder[Refund]
	// PromoCodes is a promo code, as [Repository.PromoCode] returns it. Creating, activating and deactivating it
	// produce a change; so does every booking that uses it or gives its use back, which changes UsageCount only. Its
	// table is [keys.MetadataTable], whose schema enables no stream: enable one with the view type NEW_AND_OLD_IMAGES.
	// Package consumer must then store its positions in another table.
	PromoCodes stream.Decoder[PromoCode]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	line := lineCodec("")
	return Changes{
		Bookings: stream.NewDecoder(r.db, keys.BookingsTable, keys.Is[keys.Booking], r.entity.Value),
		Lines:    stream.NewDecoder(r.db, keys.BookingsTable, isLine, func(row dynastay.Row) (*Line, error) { return readLine(line, row) }),
		Charges:  stream.NewDecoder(r.db, keys.BookingsTable, keys.Is[keys.BookingCharges], chargesEntity.Value),
		Payments: stream.NewDecoder(r.db, keys.BookingsTable, keys.Is[keys.Payment], func(row dynastay.Row) (*PaymentSummary, error) {
			return readSummary(row, "")
		}),
		PaymentAttempts: stream.NewDecoder(r.db, keys.BookingsTable, keys.Is[keys.PaymentAttempt], paymentEntity.Value),
		Refunds:         stream.NewDecoder(r.db, keys.BookingsTable, keys.Is[keys.Refund], refundEntity.Value),
		PromoCodes:      stream.NewDecoder(r.db, keys.MetadataTable, keys.Is[keys.PromoCode], promoEntity.Value),
	}
}

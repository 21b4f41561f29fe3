package bookings

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Modification is the input of [Repository.Modify]; [Repository.QuoteModification] creates it. Show the guest what is
// Kept, the new total, which is Quote.Total + TaxesAndFees − Discounts + Kept + the Breakdown.Kept that the booking has (with
// charges, Quote.Charges.Added takes the place of TaxesAndFees),
// and the policies of the lines, and keep the Modification on the server until the guest has agreed, or seal it with
// package bookings/offer.
type Modification struct {
	BookingID string
	Version   int                 // of the booking for which the quote was made, or of which the guest was shown the details
	Quote     *availability.Quote // nil if the stay, the rooms and the numbers of guests stay as they are
	// TaxesAndFees replaces that of the booking, from which QuoteModification copies it: set it to that of the new
	// stay. Whole minor units of the quote's currency, zero Money for none. Requires Quote, without charges: if the quote has
	// charges, those are added instead.
	TaxesAndFees    dynastay.Money
	Guest           *Guest  // nil leaves the guest as it is
	SpecialRequests *string // nil leaves them as they are; at most entity.MaxNote bytes, no card data
	Data            Data    // nil leaves it as it is; any other replaces all of it
	// LineData are those of all lines of the quote, in its order, which need not be that of the lines in the booking. Nil
	// leaves them as they are. Requires Quote.
	LineData []Data
	// PromoCode is another code, as the guest types it, or "" for none; nil keeps the one that the booking has.
	PromoCode *string
	// Discounts is the discount that the guest was told; QuoteModification sets it to that of the code which the
	// booking has. For another code, set it to [PromoCode.Discount] of the quote's total. If Modify computes a different
	// one, it refuses the modification. The zero Money accepts any.
	// Requires Quote or PromoCode.
	Discounts dynastay.Money
	// Kept is what the guest was told that the property keeps of the price of what is given up; QuoteModification sets
	// it. If it is not what is kept when Modify is called, perhaps because a deadline has passed, the modification is
	// refused. Zero means nothing. Requires Quote.
	Kept dynastay.Money
	// Waive keeps nothing of what is given up, whatever Kept is, and counts the hours of the policies from the new check-in.
	// It is for staff: never take it from a guest's request. Requires Quote.
	Waive bool
}

// Modified is the result of [Repository.Modify].
type Modified struct {
	Booking *Booking `json:",omitzero"`
	// Missing lists the nights whose rooms could not be returned, because the item of the night no longer exists or has no
	// number of available rooms.
	Missing []MissingNight `json:",omitzero"`
}

// modify checks whether a booking can be modified; it keeps its status.
var modify = move{
	name: "bookings.Modify", verb: "modify", from: []Status{Pending, Confirmed, CheckedIn},
	ready: func(b *Booking, now time.Time) error {
		return cmp.Or(awaited(b), holdOpen(b, now), notOver(b, now))
	},
}

// QuoteModification returns the price of a booking with another stay, other rooms or another number of guests. The
// request lists everything that the booking is to have, including rooms and guests that remain the same, and the
// policies: to keep those that were agreed, copy them from the lines of the booking. It reserves nothing.
//
// The booking's own rooms count as available. The nights that the booking keeps keep their price, also with fewer rooms;
// if it gets more rooms of a room type, all nights of that room type have their current price. A line under a rate plan or with
// a party keeps its terms and the stored prices, rooms that are added to it are a line of their own, and who changes the plan
// gives up the line; see [availability.Repository.Requote].
//
// Rooms that are added must meet the restrictions of the first and the last night, as a new booking must. Otherwise,
// those of the first night hold only if the arrival moves, and that of the last night only if the departure moves. If
// only the departure moves, a stay that gets shorter must meet the minimum stay, and one that gets longer the maximum
// stay, as long as the guests have not checked in and the date of check-in is not over.
//
// A booking can be modified up to and including its date of check-out at the property, a pending one only until its
// hold ends; otherwise, QuoteModification returns a [*StatusError]. Once the guests have checked in, a different date of
// check-in, room type or quantity is refused with a [*dynastay.InvalidError] for the field "Stay.CheckIn" or "Rooms",
// and at any time rooms of a night before today, or the request's business date, for the field "Stay". Nights that cannot be sold are listed in a
// [*Refused]. For a policy whose terms nobody knows, it returns a [*PolicyError]. Whether the modification fits into one
// transaction is known only to Modify.
//
// The charges of the request are computed with the discount of the booking's code or, if the guest uses another one, with the
// request's Discounts, which are 0, and not unset, to remove the code. Charges are required if the booking has some: all of
// them are computed anew.
//
// 1 request, a consistent Query of the booking, 1 for each room type if the stay changes, otherwise for each that gets
// more rooms or another plan, and 1 for a promo code.
func (r *Repository) QuoteModification(ctx context.Context, bookingID string, req availability.QuoteRequest) (_ Modification, err error) {
	ctx, end := r.db.Begin(ctx, "bookings.QuoteModification")
	defer func() { end(err) }()
	b, err := r.Get(ctx, bookingID, dynastay.Consistent)
	if err != nil {
		return Modification{}, err
	}
	now := r.db.Now()
	if err := modify.check(b, now); err != nil {
		return Modification{}, err
	}
	rooms := map[string]int{}
	for _, room := range req.Rooms {
		rooms[room.RoomTypeID] += room.Quantity
	}
	if err := b.allows(req.Property, req.Stay, rooms, "Rooms"); err != nil {
		return Modification{}, err
	}
	if b.Charges != nil && req.Charges == nil {
		return Modification{}, errNoCharges("Charges")
	}
	has, err := b.booked(now)
	if err != nil {
		return Modification{}, err
	}
	q, err := r.nights.Requote(ctx, req, has)
	if err != nil {
		return Modification{}, err
	}
	if err := b.keepsLines(q, has, "Rooms"); err != nil {
		return Modification{}, err
	}
	if b.Total.IsSet() && q.Total.Currency() != b.Total.Currency() {
		return Modification{}, dynastay.Invalid("Rooms", "must have prices in %s, the currency of the booking", b.Total.Currency())
	}
	m := Modification{BookingID: bookingID, Version: b.Version, Quote: q}
	if req.Charges == nil {
		m.TaxesAndFees = b.Breakdown.TaxesAndFees
	}
	if m.Discounts = req.Discounts; !req.Discounts.IsSet() { // not that of another code, or of none
		if m.Discounts, err = r.discountOf(ctx, *b, m); err != nil {
			return Modification{}, err
		}
		if req.Charges != nil {
			if err := q.Charge(req.Charges, m.Discounts); err != nil {
				return Modification{}, err
			}
		}
	}
	up, err := r.giveUp(b, q, has, now)
	m.Kept = up.kept
	return m, err
}

// discountOf returns the discount that the code of a booking gives for the rooms of a modification, or none if it cannot be used
// any more: unless the guest uses another code, Modify then refuses it.
func (r *Repository) discountOf(ctx context.Context, b Booking, m Modification) (dynastay.Money, error) {
	b.Breakdown.Rooms = m.Quote.Total
	_, err := r.rediscount(ctx, &b, m)
	var unusable *PromoError
	if errors.As(err, &unusable) {
		return dynastay.Money{}, nil
	}
	return b.Breakdown.Discounts, err
}

// ModifyOp gives a booking the stay, the rooms and the numbers of guests of a quote, another guest, other special
// requests, other data or another promo code. In one transaction, it returns the nights that are dropped, takes those that are
// added, under the conditions of the quote, and leaves those that the booking keeps alone. If a night cannot be sold as
// quoted, it fails with [*Refused], and the booking stays as it is. If the booking has changed since the quote was
// made, ModifyOp fails with [dynastay.ErrVersion]: call QuoteModification again. If its status or the time does not
// allow a modification, it fails with a [*StatusError].
//
// The lines and the names are those of the quote, with its cancellation policies. The rooms assigned at check-in, the
// end of a hold and the status stay as they are. The payment status follows from the new total: collect or refund the
// difference.
//
// What is given up, such as a night that is dropped, or a room for one night, is settled by the policy of its line, as a
// cancellation would settle it at this time: what is not refundable of its share of the price, with taxes, fees and
// discounts, is kept, and added to Breakdown.Kept and so to the total. No later modification or cancellation refunds it.
// A hold gives up nothing, and nor does a line for which no policy was agreed; for a policy whose terms nobody knows,
// ModifyOp fails with a [*PolicyError]. If the arrival moves to a later date, nights that stay in the booking do not become
// refundable again: once their deadline has passed, hours count from the earlier check-in, in Booking.PolicyCheckIn.
// Staff can do without all of this with Modification.Waive. The amount must be Modification.Kept, what the guest was told;
// otherwise ModifyOp fails with a [*dynastay.InvalidError] for the field "Kept".
//
// The booking keeps the use of its promo code, even if the code has ended since, and the discount is computed anew;
// while the rooms cost less than the code's minimum, it is 0. Another code returns the use of the old one, and takes
// one of the new code, with the errors of [Repository.CreateOp].
//
// It needs at most one action for each night that is added, returned, changes its quantity or gets another plan; one for the
// first and one for the last night of each room type, if a restriction holds anew and the night is not among these; one for
// each line that changes; one for the charges if they change, one for the booking, one for each promo code whose use is taken
// or returned, one for the summary of the payments if the payment status changes, and one for an idempotency key. A transaction
// has at most 100 actions: a modification that needs more fails with a [*dynastay.TooLargeError], and so does one after which
// the booking would have more than 96 nights (nights × room types), or 95 with a promo code, because it could not be cancelled
// any more.
//
// With an idempotency key, the input is the booking, the property, the stay, the numbers of guests, the lines with
// their numbers, plans, payment terms, parties, agreed prices, policies and subtotals, the limit of overbooking, the taxes and fees, the
// charges, what is kept, whether it is waived, the guest, the special requests, the data, also of lines, the promo code and the
// discounts. A replay returns no Missing nights.
func (r *Repository) ModifyOp(m Modification) *dynastay.Operation[Modified] {
	key, err := keys.Of(keys.Booking{BookingID: m.BookingID})
	if err == nil {
		err = m.validate()
	}
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[Modified]{Name: modify.name, Invalid: err})
	}
	m = m.clone()
	return dynastay.NewOp(dynastay.OpSpec[Modified]{
		Name:  modify.name,
		Owned: true,
		Input: func(in *dynastay.Input) {
			in.Field("booking", m.BookingID)
			if m.Quote != nil {
				agreedQuote(in, m.Quote)
				in.Field("taxes and fees", m.TaxesAndFees.String())
				if m.Kept.Sign() != 0 {
					in.Field("kept", m.Kept.String())
				}
				if m.Waive {
					in.Field("waive", "")
				}
			}
			if m.Guest != nil {
				m.Guest.agreed(in)
			}
			if m.SpecialRequests != nil {
				in.Field("requests", *m.SpecialRequests)
			}
			if m.Data != nil {
				in.Field("data", strconv.Itoa(len(m.Data)))
				m.Data.agreed(in)
			}
			agreedLineData(in, m.LineData)
			if m.PromoCode != nil {
				in.Field("promo code", promoInput(*m.PromoCode))
			}
			if m.Discounts.IsSet() {
				in.Field("discounts", m.Discounts.String())
			}
		},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Modified, error) { return r.modify(ctx, tx, key, m) },
		Restore: func(ctx context.Context, _ map[string]string) (Modified, error) {
			b, err := r.Get(ctx, m.BookingID, dynastay.Consistent)
			return Modified{Booking: b}, err
		},
	})
}

// Modify runs [Repository.ModifyOp]. 2 requests: a consistent Query of the booking, and the transaction; 1 more for a
// promo code, 1 more for each room type if the quote allows overbooking, and 2 more if nights are overbooked within their
// limits only. After a refusal, 1 more for each room type, 1 to see whether the booking has changed, and 1 to look for the
// record of an idempotency key.
func (r *Repository) Modify(ctx context.Context, m Modification, opts ...dynastay.WriteOption) (Modified, error) {
	return dynastay.Do(ctx, r.db, r.ModifyOp(m), opts...)
}

func (m Modification) validate() error {
	switch {
	case m.Quote != nil:
		if err := m.Quote.Validate(); err != nil {
			return dynastay.Within("Quote", err)
		}
		if err := checkFees(m.TaxesAndFees, m.Quote); err != nil {
			return err
		}
	case m.TaxesAndFees.IsSet():
		return dynastay.Invalid("TaxesAndFees", "requires Quote")
	case m.Kept.IsSet():
		return dynastay.Invalid("Kept", "requires Quote")
	case m.Waive:
		return dynastay.Invalid("Waive", "requires Quote")
	case m.LineData != nil:
		return dynastay.Invalid("LineData", "requires Quote")
	case m.Guest == nil && m.SpecialRequests == nil && m.Data == nil && m.PromoCode == nil:
		return dynastay.Invalid("Quote", "is required, unless Guest, SpecialRequests, Data or PromoCode is set")
	case m.Discounts.IsSet() && m.PromoCode == nil:
		return dynastay.Invalid("Discounts", "requires Quote or PromoCode")
	}
	if m.PromoCode != nil {
		if _, err := spellingsOf(*m.PromoCode, dynastay.Money{}); err != nil {
			return err
		}
	}
	if m.Guest != nil {
		if err := m.Guest.Validate(); err != nil {
			return dynastay.Within("Guest", err)
		}
	}
	if m.SpecialRequests != nil {
		if err := checkText(*m.SpecialRequests, entity.MaxNote); err != nil {
			return dynastay.Within("SpecialRequests", err)
		}
	}
	if err := m.Data.validate(); err != nil {
		return err
	}
	return checkLineData(m.LineData, m.Quote)
}

// clone returns a copy that the caller cannot change any more.
func (m Modification) clone() Modification {
	if m.Quote != nil {
		m.Quote = m.Quote.Clone()
	}
	if m.Guest != nil {
		guest := *m.Guest
		m.Guest = &guest
	}
	if m.SpecialRequests != nil {
		requests := *m.SpecialRequests
		m.SpecialRequests = &requests
	}
	m.Data, m.LineData = maps.Clone(m.Data), cloneData(m.LineData)
	if m.PromoCode != nil {
		code := *m.PromoCode
		m.PromoCode = &code
	}
	return m
}

// fits checks the quote against the booking.
func (m Modification) fits(b *Booking) error {
	if b.Total.IsSet() && m.Quote.Total.Currency() != b.Total.Currency() {
		return dynastay.Invalid("Quote.Total", "must be in %s, the currency of the booking", b.Total.Currency())
	}
	rooms := map[string]int{}
	for _, line := range m.Quote.Lines {
		rooms[line.RoomTypeID] += line.Quantity
	}
	if b.Charges != nil && m.Quote.Charges == nil {
		return errNoCharges("Quote.Charges")
	}
	return dynastay.Within("Quote", b.allows(m.Quote.Property, m.Quote.Stay, rooms, "Lines"))
}

func errNoCharges(field string) error {
	return dynastay.Invalid(field, "is required, because the booking has charges: the list of a property without any is empty")
}

// allows checks what a modification would make of the booking. Field is the one that has the rooms, for the error.
func (b *Booking) allows(property availability.House, stay dynastay.Stay, rooms map[string]int, field string) error {
	has := map[string]int{}
	for _, line := range b.Lines {
		has[line.RoomTypeID] += line.Quantity
	}
	switch {
	case property.ID != b.PropertyID:
		return dynastay.Invalid("Property.ID", "must be that of the booking")
	case b.Status != CheckedIn:
		return nil
	case stay.CheckIn != b.Stay.CheckIn:
		return dynastay.Invalid("Stay.CheckIn", "must be %s, because the guests have checked in", b.Stay.CheckIn)
	case stay.CheckOut.Before(b.Released.CheckOut): // the last of these nights may be that of the business date
		return dynastay.Invalid("Stay.CheckOut", "must be at least %s, because the nights before have been released", b.Released.CheckOut)
	case !maps.Equal(rooms, has):
		return dynastay.Invalid(field, "must have the room types and quantities of the booking, because the guests have checked in")
	}
	return nil
}

// keepsLines returns an error if guests who have checked in would get other lines than they have: the rooms that they
// were assigned are those of a line.
func (b *Booking) keepsLines(q *availability.Quote, has availability.Booked, field string) error {
	if b.Status != CheckedIn {
		return nil
	}
	for i, with := range has.GoesOn(q.Lines) {
		if with < 0 || has.Lines[with].Quantity != q.Lines[i].Quantity {
			return dynastay.Invalid(field, "must have the lines and quantities of the booking, because the guests have checked in")
		}
	}
	return nil
}

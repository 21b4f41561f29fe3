package house

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/properties"
)

// Changing is what a change of a booking would come to.
type Changing struct {
	Booking *bookings.Booking // as it is
	Total   dynastay.Money    // that it would have, with what is kept
	Kept    dynastay.Money    // by the property, of what the guest gives up
	Token   string
}

// Changing returns what other dates would cost. The rooms, the plans and the policies stay those that were agreed. 3 requests, 1 for each
// room type, and 1 for charges.
func (h *House) Changing(ctx context.Context, userID, bookingID string, stay dynastay.Stay) (*Changing, error) {
	b, err := h.Own(ctx, userID, bookingID)
	if err != nil {
		return nil, err
	}
	hotel, err := h.Hotels.GetWithRooms(ctx, b.PropertyID)
	if err != nil {
		return nil, err
	}
	var choices []properties.Choice
	for _, l := range b.Lines {
		choice := properties.Choice{RoomTypeID: l.RoomTypeID, Quantity: l.Quantity, Party: l.Party}
		if l.Plan != nil {
			choice.RatePlanID = l.Plan.ID
		}
		choices = append(choices, choice)
	}
	req, err := hotel.Card().QuoteRequest(stay, b.Guests, choices...)
	if err != nil {
		return nil, err
	}
	for i, l := range b.Lines {
		req.Rooms[i].CancellationPolicy = l.CancellationPolicy
	}
	if req.Charges = nil; b.Charges != nil {
		if req.Charges, err = h.Hotels.Charges(ctx, b.PropertyID); err != nil {
			return nil, err
		}
	}
	m, err := h.Bookings.QuoteModification(ctx, bookingID, req)
	if err != nil {
		return nil, err
	}
	total, err := totalOf(m, b)
	if err != nil {
		return nil, err
	}
	token, err := h.sealer.Seal(offer.Offer{
		Quote: m.Quote, UserID: userID, TaxesAndFees: m.TaxesAndFees, Discounts: m.Discounts, Kept: m.Kept,
		BookingID: m.BookingID, Version: m.Version, Expires: m.Quote.At.Add(offersLast),
	})
	return &Changing{b, total, m.Kept, token}, err
}

// totalOf returns the total of a booking after a modification.
func totalOf(m bookings.Modification, b *bookings.Booking) (total dynastay.Money, err error) {
	total = m.Quote.Total
	parts := []dynastay.Money{m.TaxesAndFees, m.Kept, b.Breakdown.Kept}
	if m.Quote.Charges != nil {
		parts[0] = m.Quote.Charges.Added
	}
	for _, part := range parts {
		if err == nil && part.IsSet() {
			total, err = total.Add(part)
		}
	}
	if err == nil && m.Discounts.IsSet() {
		total, err = total.Sub(m.Discounts)
	}
	return total, err
}

// Change carries out a change that the guest was shown, and pays back what has been paid too much. 3 or 4 requests, or more with a promo
// code.
func (h *House) Change(ctx context.Context, userID, bookingID, token, key string) (*bookings.Booking, error) {
	o, err := h.sealer.Open(token, userID, h.DB.Now())
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	m, err := o.Modification()
	if err != nil {
		return nil, dynastay.Within("Offer", err)
	}
	if m.BookingID != bookingID {
		return nil, dynastay.Invalid("Offer", "must be one for this booking")
	}
	done, err := h.Bookings.Modify(ctx, m, dynastay.IfUser(userID), dynastay.IdempotencyKey(key).Of(userID))
	if err != nil {
		return nil, err
	}
	return done.Booking, h.RefundDue(ctx, done.Booking, dynastay.Money{}) // of what the guest has paid too much now
}

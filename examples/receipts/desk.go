package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/properties"
)

// desk has the repositories of the platform.
type desk struct {
	properties *properties.Repository
	nights     *availability.Repository
	bookings   *bookings.Repository
}

// receipt opens the hotel of a place, books a stay there, and returns the receipt.
func (d *desk) receipt(ctx context.Context, at place) (*receipt, error) {
	if err := d.open(ctx, at); err != nil {
		return nil, err
	}
	b, err := d.book(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := d.pay(ctx, at, b); err != nil {
		return nil, err
	}
	if at.then != nil {
		if err := at.then(d, ctx, at, b); err != nil {
			return nil, err
		}
	}
	r, err := d.bookings.Receipt(ctx, b.ID)
	if err != nil {
		return nil, err
	}
	return receiptOf(at, b.Guest, r)
}

func (at place) propertyID() string { return "prop_" + at.id }

func (at place) roomID(i int) string { return fmt.Sprintf("room_%s_%d", at.id, i+1) }

func (at place) stay(nights int) dynastay.Stay {
	return dynastay.Stay{CheckIn: arrival, CheckOut: arrival.AddDays(nights)}
}

// open creates the hotel with its charges, and puts its rooms on sale.
func (d *desk) open(ctx context.Context, at place) error {
	p := properties.Property{
		ID: at.propertyID(), Name: at.hotel, Slug: "hotel-" + at.id, Type: properties.Hotel, Stars: at.stars, OwnerID: "user_owner",
		Status: properties.Approved, CancellationPolicy: at.policy, TimeZone: at.zone, CheckInTime: "15:00", CheckOutTime: "11:00",
		Address: properties.Address{Line1: "1 Station Square", City: at.city, Country: at.country},
	}
	var rooms []properties.RoomType
	for i, r := range at.rooms {
		rooms = append(rooms, properties.RoomType{
			ID: at.roomID(i), Name: r.name, Limits: availability.Limits{MaxOccupancy: 4, MaxAdults: 3, MaxChildren: 2},
			BasePrice: at.price(r), Total: 10,
		})
	}
	if _, err := d.properties.Create(ctx, p, rooms); err != nil {
		return err
	}
	if _, err := d.properties.UpdateCharges(ctx, p.ID, func(l *charges.List) error {
		l.Charges = world.ChargesIn(at.city, at.country, at.stars)
		return nil
	}); err != nil {
		return err
	}
	for i, r := range at.rooms {
		if _, err := d.nights.Open(ctx, availability.OpenRequest{
			PropertyID: p.ID, RoomTypeID: at.roomID(i), Rooms: 10, Price: at.price(r), Nights: at.stay(at.nights),
		}); err != nil {
			return err
		}
	}
	return nil
}

func (at place) price(r room) dynastay.Money { return dynastay.MustMoney(r.price, at.currency) }

// ask returns the request for a quote of a place's rooms, with the charges of the hotel and their names.
func (d *desk) ask(ctx context.Context, at place, nights int) (availability.QuoteRequest, error) {
	var ask availability.QuoteRequest
	p, err := d.properties.GetWithRooms(ctx, at.propertyID())
	if err != nil {
		return ask, err
	}
	var guests availability.Guests
	var choices []properties.Choice
	for i, r := range at.rooms {
		guests.Adults += r.guests.Adults
		guests.Children += r.guests.Children
		choices = append(choices, properties.Choice{RoomTypeID: at.roomID(i), Quantity: 1, Party: &r.guests})
	}
	if ask, err = p.Card().QuoteRequest(at.stay(nights), guests, choices...); err != nil {
		return ask, err
	}
	ask.Charges, err = d.properties.Charges(ctx, p.ID)
	return ask, err
}

// book books the rooms of a place. Percentages are of what is left after the discount, so the charges are computed again with it.
func (d *desk) book(ctx context.Context, at place) (*bookings.Booking, error) {
	ask, err := d.ask(ctx, at, at.nights)
	if err != nil {
		return nil, err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return nil, err
	}
	if at.code != "" {
		code, err := d.bookings.CreatePromoCode(ctx, bookings.PromoCode{Code: at.code, Percent: at.off, Active: true})
		if err != nil {
			return nil, err
		}
		discount, err := code.Discount(quote.Total)
		if err != nil {
			return nil, err
		}
		if err := quote.Charge(ask.Charges, discount); err != nil {
			return nil, err
		}
	}
	return d.bookings.Create(ctx, bookings.Request{
		Quote: quote, UserID: "user_ada", PromoCode: at.code,
		Guest: bookings.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
	})
}

func (d *desk) pay(ctx context.Context, at place, b *bookings.Booking) (err error) {
	amount := b.Total
	if at.pays > 0 {
		if amount, err = b.Total.Portion(at.pays, 100); err != nil {
			return err
		}
	}
	_, err = d.bookings.RecordPayment(ctx, bookings.Payment{
		BookingID: b.ID, Provider: "stripe", ProviderTransactionID: "pi_" + strings.ToUpper(at.id), Method: "credit_card",
		Amount: amount, Status: bookings.PaymentPaid,
	})
	return err
}

// cancel cancels a booking, and refunds what the guest does not owe.
func (d *desk) cancel(ctx context.Context, at place, b *bookings.Booking) error {
	_, err := d.bookings.Cancel(ctx, b.ID, "illness", []bookings.Refund{{ID: "re_" + at.id, Status: bookings.PaymentPending}})
	return err
}

// shorten gives up the last night of a booking, and refunds what the guest does not owe.
func (d *desk) shorten(ctx context.Context, at place, b *bookings.Booking) error {
	ask, err := d.ask(ctx, at, at.nights-1)
	if err != nil {
		return err
	}
	quoted, err := d.bookings.QuoteModification(ctx, b.ID, ask)
	if err != nil {
		return err
	}
	if _, err := d.bookings.Modify(ctx, quoted); err != nil {
		return err
	}
	_, err = d.bookings.RefundDue(ctx, bookings.Refund{ID: "re_" + at.id, BookingID: b.ID, Reason: "a night less"})
	return err
}

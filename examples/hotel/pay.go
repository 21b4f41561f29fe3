package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
)

// code is a promo code for one guest.
const code = "EARLYBIRD"

// sealOffer creates a promo code, and gives a guest an offer that the browser keeps.
func (d *desk) sealOffer(ctx context.Context, out *report.Findings) error {
	early, err := d.bookings.CreatePromoCode(ctx, bookings.PromoCode{
		Code: code, Percent: 1000, MaxDiscount: dynastay.MustMoney("50", "USD"), UsageLimit: 1, Active: true,
	})
	if err != nil {
		return err
	}
	ask, err := d.ask(shorter)
	if err != nil {
		return err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return err
	}
	discount, err := early.Discount(quote.Total)
	if err != nil {
		return err
	}
	d.token, err = d.sealer.Seal(offer.Offer{
		Quote: quote, UserID: "user_grace", PromoCode: code, Discounts: discount, Expires: d.clock.Add(time.Hour),
	})
	if err != nil {
		return err
	}
	out.Row(quote.Stay, quote.Total, "− "+discount.String(), fmt.Sprintf("a token of %d bytes", len(d.token)))
	return nil
}

// openOffer refuses the token when another guest sends it, accepts it from its own guest, and holds the room.
func (d *desk) openOffer(ctx context.Context, out *report.Findings) error {
	_, err := d.sealer.Open(d.token, "user_mallory", d.clock)
	if !errors.Is(err, offer.ErrOtherUser) {
		return fmt.Errorf("the token of another guest must be refused, got %v", err)
	}
	out.Row("mallory", "refused: "+offer.ErrOtherUser.Error())
	opened, err := d.sealer.Open(d.token, "user_grace", d.clock)
	if err != nil {
		return err
	}
	request, err := opened.Request(bookings.Guest{FirstName: "Guest", LastName: "grace", Email: "grace@example.com"})
	if err != nil {
		return err
	}
	request.Hold = 15 * time.Minute
	if d.booking, err = d.bookings.Create(ctx, request); err != nil {
		return err
	}
	b := d.booking
	out.Row(b.Reference, string(b.Status)+" until "+b.HoldExpiresAt.Format("15:04"), b.Total)
	request.UserID = "user_late"
	_, err = d.bookings.Create(ctx, request)
	if !errors.Is(err, bookings.ErrPromoUsedUp) {
		return fmt.Errorf("the code must be used up, got %v", err)
	}
	out.Row("another guest", "refused: "+bookings.ErrPromoUsedUp.Error())
	return nil
}

func payment(id string, amount dynastay.Money) bookings.Payment {
	return bookings.Payment{
		Provider: "stripe", ProviderTransactionID: id, Method: "credit_card", Amount: amount, Status: bookings.PaymentPaid,
		Card: bookings.Card{Brand: "visa", Last4: "4242"},
	}
}

// pay confirms the booking with a payment, which the provider reports three times.
func (d *desk) pay(ctx context.Context, out *report.Findings) error {
	paid := payment("ch_1", d.booking.Total)
	paid.BookingID = d.booking.ID
	done, err := d.bookings.ApplyPayment(ctx, paid)
	if err != nil {
		return err
	}
	b := done.Booking
	out.Row(b.Reference, b.Status, b.PaymentStatus, b.Stay, b.Total)
	for range 2 {
		if _, err := d.bookings.ApplyPayment(ctx, paid); err != nil {
			return err
		}
	}
	return d.showPayments(ctx, out)
}

func (d *desk) showPayments(ctx context.Context, out *report.Findings) error {
	s, err := d.bookings.Payment(ctx, d.booking.ID)
	if err != nil {
		return err
	}
	out.Row("payments", s.Paid, plain(s.Status))
	return nil
}

// payMore pays the difference that the longer stay costs.
func (d *desk) payMore(ctx context.Context, out *report.Findings) error {
	before, err := d.bookings.Payment(ctx, d.booking.ID)
	if err != nil {
		return err
	}
	due, err := d.booking.Total.Sub(before.Paid)
	if err != nil {
		return err
	}
	more := payment("ch_2", due)
	more.BookingID = d.booking.ID
	if _, err := d.bookings.RecordPayment(ctx, more); err != nil {
		return err
	}
	return d.showPayments(ctx, out)
}

// cancelLate cancels a paid booking after the free cancellation has ended for one of its rooms.
func (d *desk) cancelLate(ctx context.Context, out *report.Findings) error {
	ask, err := d.orchard.Card().QuoteRequest(dynastay.MustStay("2026-06-08", "2026-06-10"), availability.Guests{Adults: 3},
		properties.Choice{RoomTypeID: king, Quantity: 1}, properties.Choice{RoomTypeID: single, Quantity: 1})
	if err != nil {
		return err
	}
	for i := range ask.Rooms {
		if ask.Rooms[i].RoomTypeID == single {
			ask.Rooms[i].CancellationPolicy = availability.PartialRefund(50, 24)
		}
	}
	if ask.Charges, err = d.properties.Charges(ctx, d.orchard.ID); err != nil {
		return err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return err
	}
	b, err := d.bookings.Create(ctx, someone("alan", quote))
	if err != nil {
		return err
	}
	paid := payment("ch_3", b.Total)
	paid.BookingID = b.ID
	if _, err := d.bookings.RecordPayment(ctx, paid); err != nil {
		return err
	}
	for _, line := range b.Lines {
		out.Row(line.Name, plain(line.CancellationPolicy), line.Subtotal)
	}
	out.Row("taxes", "", b.Breakdown.TaxesAndFees)
	d.booking = b
	d.clock = time.Date(2026, 6, 7, 12, 0, 0, 0, time.UTC)
	cancelled, err := d.bookings.Cancel(ctx, b.ID, "illness", []bookings.Refund{{ID: "re_1", Status: bookings.PaymentPending}})
	if err != nil {
		return err
	}
	out.Row("paid", cancelled.Payment.Paid)
	out.Row("refund", cancelled.Payment.Refunded, plain(cancelled.Booking.PaymentStatus))
	return nil
}

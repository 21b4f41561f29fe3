package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
)

// The stay of the last steps: two nights, and then a third one.
var (
	shorter = dynastay.MustStay("2026-06-02", "2026-06-04")
	longer  = dynastay.MustStay("2026-06-02", "2026-06-05")
)

func (d *desk) ask(stay dynastay.Stay) (availability.QuoteRequest, error) {
	return d.orchard.Card().QuoteRequest(stay, two, properties.Choice{RoomTypeID: king, Quantity: 1})
}

func (d *desk) hold(ctx context.Context, out *report.Findings) error {
	ask, err := d.ask(shorter)
	if err != nil {
		return err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return err
	}
	request := someone("grace", quote)
	request.Hold = 15 * time.Minute
	if d.booking, err = d.bookings.Create(ctx, request); err != nil {
		return err
	}
	b := d.booking
	out.Row(b.Reference, b.Status, "until "+b.HoldExpiresAt.Format("15:04"), b.Stay, b.Total)
	return nil
}

// payLate tries to confirm a hold after its end, which is refused.
func (d *desk) payLate(ctx context.Context, out *report.Findings) error {
	d.clock = d.clock.Add(20 * time.Minute)
	_, err := d.bookings.Confirm(ctx, d.booking.ID, nil)
	if !errors.Is(err, bookings.ErrHoldEnded) {
		return fmt.Errorf("a hold that has ended must not be confirmed, got %v", err)
	}
	out.Row("confirm", "refused: "+bookings.ErrHoldEnded.Error())
	swept, err := d.bookings.ExpireHolds(ctx)
	if err != nil {
		return err
	}
	out.Row("expired", len(swept.Expired))
	return nil
}

func (d *desk) modify(ctx context.Context, out *report.Findings) error {
	ask, err := d.ask(longer)
	if err != nil {
		return err
	}
	offer, err := d.bookings.QuoteModification(ctx, d.booking.ID, ask)
	if err != nil {
		return err
	}
	modified, err := d.bookings.Modify(ctx, offer)
	if err != nil {
		return err
	}
	d.booking = modified.Booking
	b := d.booking
	out.Row(b.Reference, b.Status, b.PaymentStatus, b.Stay, b.Total)
	return nil
}

// checkIn checks the guests in on the day of arrival, after which they cannot cancel.
func (d *desk) checkIn(ctx context.Context, out *report.Findings) error {
	d.clock = longer.CheckIn.Time().Add(20 * time.Hour)
	b, err := d.arrive(ctx, out, d.booking)
	if err != nil {
		return err
	}
	_, err = d.bookings.Cancel(ctx, b.ID, "too late", nil)
	var refused *bookings.StatusError
	if !errors.As(err, &refused) {
		return fmt.Errorf("guests who have checked in must not cancel, got %v", err)
	}
	out.Row("cancel", "refused: its status is "+plain(refused.Status))
	return nil
}

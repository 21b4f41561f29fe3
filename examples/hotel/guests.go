package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/users"
)

func (d *desk) signUp(ctx context.Context, out *report.Findings) error {
	guest, err := d.users.Create(ctx, users.User{
		ID: "user_ada", Email: "Ada@Example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer,
		Phone: "+44 20 7946 0958", Country: "United Kingdom",
	})
	if err != nil {
		return err
	}
	d.guest = guest
	out.Row("user", guest.ID, guest.FirstName+" "+guest.LastName, guest.Email)
	return nil
}

func (d *desk) book(ctx context.Context, out *report.Findings) error {
	booking, err := d.bookings.Create(ctx, bookings.Request{
		Quote:  d.offer,
		UserID: d.guest.ID,
		Guest: bookings.Guest{
			FirstName: d.guest.FirstName,
			LastName:  d.guest.LastName,
			Email:     d.guest.Email,
			Phone:     d.guest.Phone,
			Country:   d.guest.Country,
		},
		SpecialRequests: "A quiet room, please",
	}, dynastay.IdempotencyKey("request-1").Of(d.guest.ID))
	if err != nil {
		return err
	}
	d.booking = booking
	line := booking.Lines[0]
	out.Row(booking.Reference, booking.Status, booking.PropertyName, line.Name, booking.Total)
	return nil
}

func (d *desk) find(ctx context.Context, out *report.Findings) error {
	found, err := d.bookings.ByReference(ctx, d.booking.Reference)
	if err != nil {
		return err
	}
	out.Row("reference", found.Reference, found.Status, found.Stay, found.Total)

	page, err := d.bookings.ByUser(d.guest.ID).Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, b := range page.Items {
		out.Row("user "+b.UserID, b.Reference, b.Status, b.Stay, b.Total)
	}
	return nil
}

// race has every guest book the same offer at the same time, each with a request and an idempotency key of its own.
func (d *desk) race(ctx context.Context, out *report.Findings) error {
	var wg sync.WaitGroup
	start := make(chan struct{})
	errs := make([]error, racers)
	for i := range racers {
		wg.Go(func() {
			<-start
			request := someone(fmt.Sprintf("racer_%d", i), d.offer)
			_, errs[i] = d.bookings.Create(ctx, request, dynastay.IdempotencyKey("request-1").Of(request.UserID))
		})
	}
	close(start)
	wg.Wait()

	booked, err := tally(out, errs, whyNot)
	if err == nil && booked != lastRooms {
		err = fmt.Errorf("%d guests got a room, want %d", booked, lastRooms)
	}
	return err
}

// tally prints how many guests booked, and how many were refused for each reason. Any other error is returned.
func tally(out *report.Findings, errs []error, why func(error) string) (booked int, err error) {
	told := make(map[string]int)
	for _, err := range errs {
		refusal := why(err)
		switch {
		case err == nil:
			booked++
		case refusal != "":
			told[refusal]++
		default:
			return booked, err
		}
	}
	out.Row(booked, "booked")
	for _, refusal := range slices.Sorted(maps.Keys(told)) {
		out.Row(told[refusal], "refused: "+refusal)
	}
	return booked, nil
}

func (d *desk) cancel(ctx context.Context, out *report.Findings) error {
	cancelled, err := d.bookings.Cancel(ctx, d.booking.ID, "plans changed", nil)
	if err != nil {
		return err
	}
	b := cancelled.Booking
	out.Row(b.Reference, b.Status, b.CancellationReason)

	line := b.Lines[0]
	back, err := d.nights.Check(ctx, b.PropertyID, line.RoomTypeID, line.Quantity, b.Stay)
	if err != nil {
		return err
	}
	for _, night := range back.Nights {
		out.Row(line.Name, night.Date, fmt.Sprintf("%d left", night.Available))
	}
	if !back.OK() {
		return fmt.Errorf("the rooms of the cancelled booking were not returned: %v", back.Refused)
	}
	return nil
}

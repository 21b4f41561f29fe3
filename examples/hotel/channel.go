package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
)

// deliver books what a channel has sold at its own price, to a guest without an account. The channel delivers it twice.
func (d *desk) deliver(ctx context.Context, out *report.Findings) error {
	home, err := d.properties.GetWithRooms(ctx, inn)
	if err != nil {
		return err
	}
	ask, err := home.Card().QuoteRequest(reunion, two, properties.Choice{RoomTypeID: doubleRoom, Quantity: 1})
	if err != nil {
		return err
	}
	ask.Rooms[0].Agreed = slices.Repeat([]dynastay.Money{usd("205.00")}, reunion.Nights())
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return err
	}
	request := someone("from_afar", quote)
	request.UserID, request.NoUser = "", true
	request.Source, request.UniqueReference = bookings.Source{Channel: "expedia", ExternalReference: "E-118-72"}, true
	request.Data = bookings.Data{"commission": "15 %"}
	if _, err := d.bookings.Create(ctx, request); err != nil {
		return err
	}
	if _, err := d.bookings.Create(ctx, request); !errors.Is(err, dynastay.ErrAlreadyExists) {
		return fmt.Errorf("a reservation must not be booked twice, got %v", err)
	}
	b, err := d.bookings.ByExternalReference(ctx, request.Source)
	if err != nil {
		return err
	}
	out.Row("delivered again", "refused: it is booked as "+b.Reference)
	out.Row(b.Channel, b.ExternalReference, b.Total, "commission "+b.Data["commission"])
	return nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
)

func (d *desk) openHotels(ctx context.Context, out *report.Findings) error {
	for _, h := range hotels() {
		made, err := d.properties.Create(ctx, h.property, h.rooms)
		if err != nil {
			return err
		}
		nights, err := d.openNights(ctx, made, h)
		if err != nil {
			return err
		}
		if made.ID == orchard {
			d.orchard = made
		}
		at := made.Address
		out.Row(made.Name, at.Line1, fmt.Sprintf("%.4f, %.4f", at.Latitude, at.Longitude),
			fmt.Sprintf("%d room types", len(made.Rooms)), fmt.Sprintf("%d nights", nights))
	}
	return nil
}

// openNights puts every room of a property on sale for the season.
func (d *desk) openNights(ctx context.Context, p *properties.WithRooms, h hotel) (nights int, err error) {
	for _, room := range p.Rooms {
		opening, own := h.seasons[room.ID]
		if !own {
			opening = season
		}
		made, err := d.nights.Open(ctx, availability.OpenRequest{
			PropertyID: p.ID,
			RoomTypeID: room.ID,
			Nights:     opening,
			Rooms:      room.Total,
			Price:      room.BasePrice,
			MinStay:    h.minStay,
		})
		if err != nil {
			return nights, err
		}
		nights += len(made.Opened)
	}
	return nights, nil
}

func nameOf(p *properties.WithRooms, roomTypeID string) string {
	for _, room := range p.Rooms {
		if room.ID == roomTypeID {
			return room.Name
		}
	}
	return roomTypeID
}

// update sends the hotelier's changes for the month. Nights that already have the values, such as the prices of the
// weekdays, are not written.
func (d *desk) update(ctx context.Context, out *report.Findings) error {
	updated, err := d.nights.Update(ctx, availability.UpdateRequest{PropertyID: orchard, Changes: changes()})
	if err != nil {
		return err
	}
	out.Row(fmt.Sprintf("%d dates", len(updated.Dates)), fmt.Sprintf("%d written", updated.Count(availability.Written)),
		fmt.Sprintf("%d unchanged", updated.Count(availability.Unchanged)))
	for _, date := range updated.Overbooked() {
		out.Row(nameOf(d.orchard, date.RoomTypeID), date.Date, fmt.Sprintf("overbooked by %d", date.Overbooked))
	}
	return nil
}

// fillMonth has parties ask for stays at random; the seed makes them the same every time.
func (d *desk) fillMonth(ctx context.Context, out *report.Findings) error {
	random, card := rand.New(rand.NewPCG(2, 6)), d.orchard.Card()
	errs := make([]error, parties)
	for i := range errs {
		arrival := month.CheckIn.AddDays(1 + random.IntN(month.Nights()-1))
		room := d.orchard.Rooms[random.IntN(len(d.orchard.Rooms))]
		quantity := 1 + random.IntN(max(1, room.Total/3))
		ask, err := card.QuoteRequest(
			dynastay.Stay{CheckIn: arrival, CheckOut: arrival.AddDays(1 + random.IntN(5))},
			availability.Guests{Adults: quantity},
			properties.Choice{RoomTypeID: room.ID, Quantity: quantity},
		)
		if err != nil {
			return err
		}
		quote, err := d.nights.Quote(ctx, ask)
		if err == nil {
			_, err = d.bookings.Create(ctx, someone(fmt.Sprintf("party_%d", i), quote))
		}
		errs[i] = err
	}
	_, err := tally(out, errs, firstReason)
	return err
}

// firstReason returns the first of the reasons why a stay cannot be sold, or "" if err is not a refusal.
func firstReason(err error) string {
	var refused *availability.Refused
	if errors.As(err, &refused) {
		return plain(refused.Nights[0].Reason)
	}
	return ""
}

// showMonth draws the month as the index shows it: one request for all room types. The index may lag a moment behind
// the table.
func (d *desk) showMonth(ctx context.Context, out *report.Findings) error {
	calendar, err := d.nights.Calendar(ctx, orchard, month)
	if err != nil {
		return err
	}
	for _, line := range draw(calendar, d.orchard.Rooms) {
		out.Row(line)
	}
	return nil
}

// closeSales takes the whole property off sale. Until it is reopened, no stay there gets a quote.
func (d *desk) closeSales(ctx context.Context, out *report.Findings) error {
	change, err := d.nights.CloseSales(ctx, orchard)
	if err != nil {
		return err
	}
	out.Row("closed", fmt.Sprintf("%d room types", change.RoomTypes), fmt.Sprintf("%d nights", change.Nights))

	_, err = d.quoteLater(ctx)
	refusal := whyNot(err)
	if refusal == "" {
		return fmt.Errorf("a closed property must refuse a quote, got %v", err)
	}
	out.Row("quote", later, nameOf(d.orchard, king), "refused: "+refusal)
	return nil
}

// reopenSales puts the property back on sale, with the stop-sells and restrictions as they were.
func (d *desk) reopenSales(ctx context.Context, out *report.Findings) error {
	change, err := d.nights.ReopenSales(ctx, orchard)
	if err != nil {
		return err
	}
	out.Row("reopened", fmt.Sprintf("%d room types", change.RoomTypes), fmt.Sprintf("%d nights", change.Nights))

	quote, err := d.quoteLater(ctx)
	if err != nil {
		return err
	}
	out.Row("quote", later, quote.Lines[0].Name, quote.Total)
	return nil
}

func (d *desk) quoteLater(ctx context.Context) (*availability.Quote, error) {
	ask, err := d.orchard.Card().QuoteRequest(later, two, properties.Choice{RoomTypeID: king, Quantity: 1})
	if err != nil {
		return nil, err
	}
	return d.nights.Quote(ctx, ask)
}

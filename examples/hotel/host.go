package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/catalog"
)

// addDestinations fills the catalogue of destinations, and looks up what people type.
func (d *desk) addDestinations(ctx context.Context, out *report.Findings) error {
	locations := catalog.Locations(d.db)
	for _, location := range []catalog.Location{
		{ID: "new-york", City: "New York", State: "NY", Country: "USA", Aliases: []string{"NYC", "Big Apple"}, Latitude: 40.7128, Longitude: -74.0060},
		{ID: "newport", City: "Newport", State: "RI", Country: "USA", Latitude: 41.4901, Longitude: -71.3128},
		{ID: "zurich", City: "Zürich", Country: "Switzerland", Latitude: 47.3769, Longitude: 8.5417},
	} {
		if _, err := locations.Create(ctx, location); err != nil {
			return err
		}
	}
	for _, typed := range []string{"new york", "New York, USA", "zurich", "NYC"} {
		page, err := locations.Find(typed).Page(ctx, dynastay.Paging{})
		if err != nil {
			return err
		}
		for _, found := range page.Items {
			d.city = properties.CityQuery{City: found.City, Country: found.Country}
			out.Row(typed, "is", found.City, found.Country)
		}
	}
	page, err := locations.Complete("new").Page(ctx, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, found := range page.Items {
		out.Row("new…", "may be", found.City, found.Country)
	}
	return nil
}

// register creates a property in the way that a host fills in the pages of a form: first the property with one room
// type, then the rest.
func (d *desk) register(ctx context.Context, out *report.Findings) error {
	p, rooms := harbour()
	made, err := d.properties.Create(ctx, p, rooms[:1])
	if err != nil {
		return err
	}
	if _, err := d.properties.AddRoomTypes(ctx, made.ID, rooms[1:]); err != nil {
		return err
	}
	if _, err := d.properties.AddImages(ctx, made.ID, []properties.Image{
		{ID: "img_lobby", URL: "https://images.example.com/harbour/lobby.jpg", Category: "lobby"},
		{ID: "img_front", URL: "https://images.example.com/harbour/front.jpg", Category: "exterior", Primary: true},
	}); err != nil {
		return err
	}
	if _, err := d.properties.AddAmenities(ctx, made.ID, []string{"wifi", "pool"}); err != nil {
		return err
	}
	whole, err := d.properties.GetWhole(ctx, made.ID)
	if err != nil {
		return err
	}
	out.Row(whole.Name, whole.Status, fmt.Sprintf("%d room types", len(whole.Rooms)), fmt.Sprintf("from %s", whole.Prices.Min),
		fmt.Sprintf("%d images", whole.ImageCount), strings.Join(whole.AmenityIDs, ", "))
	return nil
}

// approve is what an admin does with the oldest property that waits for approval.
func (d *desk) approve(ctx context.Context, out *report.Findings) error {
	page, err := d.properties.PendingApprovals().Page(ctx, dynastay.Paging{Limit: 1})
	if err != nil {
		return err
	}
	for _, waiting := range page.Items {
		out.Row("waits", waiting.Name, waiting.CreatedAt.Format("since Jan 2, 15:04"))
		approved, err := d.properties.Approve(ctx, waiting.PropertyID)
		if err != nil {
			return err
		}
		out.Row("now", approved.Name, approved.Status)
	}
	return nil
}

// suspend takes a property off sale while a guest still holds a quote.
func (d *desk) suspend(ctx context.Context, out *report.Findings) error {
	p, rooms := harbour()
	if _, err := d.nights.Open(ctx, availability.OpenRequest{
		PropertyID: p.ID, RoomTypeID: rooms[0].ID, Nights: month, Rooms: rooms[0].Total, Price: rooms[0].BasePrice,
	}); err != nil {
		return err
	}
	blocked := true
	if _, err := d.nights.Update(ctx, availability.UpdateRequest{PropertyID: p.ID, Changes: []availability.Change{{
		RoomTypeIDs: []string{rooms[0].ID}, Dates: stay, StopSell: &blocked, StopSellReason: "painting",
	}}}); err != nil {
		return err
	}
	quote, err := d.quoteHarbour(ctx, later)
	if err != nil {
		return err
	}
	out.Row("quoted", quote.Stay, quote.Total)

	suspended, err := d.properties.Suspend(ctx, p.ID)
	if err != nil {
		return err
	}
	out.Row("now", suspended.Name, suspended.Status)
	_, err = d.bookings.Create(ctx, someone("late", quote))
	var refused *bookings.Refused
	if !errors.As(err, &refused) {
		return fmt.Errorf("a suspended property must refuse a booking, got %v", err)
	}
	out.Row("book with the quote", quote.Stay, "refused: "+reasons(refused))
	return nil
}

// resume approves the property again. The stop-sells that its host set still apply.
func (d *desk) resume(ctx context.Context, out *report.Findings) error {
	if _, err := d.properties.Approve(ctx, harbourHouse); err != nil {
		return err
	}
	for _, wanted := range []dynastay.Stay{later, stay} {
		quote, err := d.quoteHarbour(ctx, wanted)
		switch refusal := whyNot(err); {
		case refusal != "":
			out.Row("quote", wanted, "refused: "+refusal)
		case err != nil:
			return err
		default:
			out.Row("quote", wanted, quote.Total)
		}
	}
	return nil
}

// remove deletes a property. A property with rooms that are sold for tonight or later is refused.
func (d *desk) remove(ctx context.Context, out *report.Findings) error {
	err := d.properties.Delete(ctx, orchard)
	var sold *availability.SoldAheadError
	if !errors.As(err, &sold) {
		return fmt.Errorf("a hotel with upcoming bookings must not be deleted, got %v", err)
	}
	out.Row(d.orchard.Name, fmt.Sprintf("refused: rooms are sold on %d upcoming nights", len(sold.Nights)))

	p, _ := harbour()
	if err := d.properties.Delete(ctx, p.ID); err != nil {
		return err
	}
	if _, err := d.properties.BySlug(ctx, p.Slug); !errors.Is(err, dynastay.ErrNotFound) {
		return fmt.Errorf("a deleted property must not be found, got %v", err)
	}
	out.Row(p.Name, "deleted")
	return nil
}

func (d *desk) quoteHarbour(ctx context.Context, wanted dynastay.Stay) (*availability.Quote, error) {
	p, rooms := harbour()
	card := properties.CardOf(&p, rooms)
	ask, err := card.QuoteRequest(wanted, two, properties.Choice{RoomTypeID: rooms[0].ID, Quantity: 1})
	if err != nil {
		return nil, err
	}
	return d.nights.Quote(ctx, ask)
}

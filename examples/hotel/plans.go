package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

const (
	inn        = "prop_bryant"
	doubleRoom = "room_bryant_double"
	familyRoom = "room_bryant_family"
)

// summer is when the inn sells under rate plans, and reunion a stay in it.
var (
	summer  = dynastay.MustStay("2026-07-01", "2026-07-31")
	reunion = dynastay.MustStay("2026-07-10", "2026-07-13")
)

// ratePlans are how the inn sells its rooms in summer: flexible, non-refundable at 15 % less, which is paid at booking, and with
// half board, of which 20 % are paid at booking and the rest a week before the arrival.
func ratePlans() []availability.RatePlan {
	return []availability.RatePlan{
		{
			ID: "flex", Name: "Flexible", CancellationPolicy: availability.FreeCancellation(24),
			Party: &availability.PartyPrices{SingleUse: availability.Supplement{Amount: usd("-40.00")}},
		},
		{
			ID: "saver", Name: "Saver", CancellationPolicy: availability.NonRefundable,
			Payment: availability.PaymentTerms{Percent: 100_00},
			Derived: &availability.Derivation{From: "flex", Percent: -15_00},
		},
		{
			ID: "board", Name: "Half board", CancellationPolicy: availability.FreeCancellation(24),
			Payment: availability.PaymentTerms{Percent: 20_00, RestDays: 7},
			Derived: &availability.Derivation{From: "flex"},
			Meals: availability.Meals{
				Plan: availability.HalfBoard, Added: true, Adult: usd("38.00"),
				Bands: []availability.MealBand{{Through: 5, Amount: usd("0.00")}, {Through: 12, Amount: usd("19.00")}},
			},
		},
	}
}

// The parties of the reunion.
var (
	withChildren = availability.Party{Guests: availability.Guests{Adults: 2, Children: 2}, ChildAges: []int{4, 9}}
	alone        = availability.Party{Guests: availability.Guests{Adults: 1}}
	couple       = availability.Party{Guests: two}
)

// addPlans creates the plans, and opens the summer under them: one price for each night, from which all three follow.
func (d *desk) addPlans(ctx context.Context, out *report.Findings) error {
	for i, plan := range ratePlans() {
		plan.PropertyID, plan.Active, plan.Advertised, plan.DisplayOrder = inn, true, true, i
		if _, err := d.properties.CreateRatePlan(ctx, plan); err != nil {
			return err
		}
	}
	updated, err := d.nights.Update(ctx, availability.UpdateRequest{PropertyID: inn, Changes: []availability.Change{{
		RoomTypeIDs: []string{familyRoom}, Dates: summer,
		Rates: map[string]availability.RateChange{"flex": {Price: usd("340.00")}},
	}}})
	if err != nil {
		return err
	}
	out.Row("3 rate plans", fmt.Sprintf("%d nights with prices", updated.Count(availability.Written)))
	return nil
}

// searchPlans finds what the family can book: the inn has a quote for every plan that it advertises.
func (d *desk) searchPlans(ctx context.Context, out *report.Findings) error {
	found, err := d.offers.Page(ctx, search.Request{
		City: d.city.City, Country: d.city.Country, Stay: reunion, Guests: withChildren.Guests, ChildAges: withChildren.ChildAges,
	}, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, offer := range found.Offers {
		if offer.Property.PropertyID != inn {
			continue
		}
		for _, q := range offer.Quotes {
			night := q.Lines[0].Nights[0]
			var steps []string
			for _, step := range night.Steps {
				steps = append(steps, fmt.Sprintf("%s %s", plain(step.Kind), step.Amount))
			}
			out.Row(q.Lines[0].Plan.Name, q.Total, night.Price, strings.Join(steps, ", "))
		}
	}
	return nil
}

// askInn asks for a family room under one plan for the family, and under another one for a friend.
func (d *desk) askInn(ctx context.Context, friend availability.Party) (availability.QuoteRequest, error) {
	home, err := d.properties.GetWithRooms(ctx, inn)
	if err != nil {
		return availability.QuoteRequest{}, err
	}
	guests := availability.Guests{Adults: withChildren.Adults + friend.Adults, Children: withChildren.Children}
	ask, err := home.Card().QuoteRequest(reunion, guests, properties.Choice{RoomTypeID: familyRoom, Quantity: 2})
	if err != nil {
		return ask, err
	}
	if ask.RatePlans, err = d.properties.RatePlans(ctx, inn); err != nil {
		return ask, err
	}
	room := ask.Rooms[0]
	room.Quantity = 1
	ask.Rooms = []availability.Room{room, room}
	ask.Rooms[0].RatePlanID, ask.Rooms[0].Party = "board", &withChildren
	ask.Rooms[1].RatePlanID, ask.Rooms[1].Party = "saver", &friend
	return ask, nil
}

func (d *desk) bookPlans(ctx context.Context, out *report.Findings) error {
	ask, err := d.askInn(ctx, alone)
	if err != nil {
		return err
	}
	quote, err := d.nights.Quote(ctx, ask)
	if err != nil {
		return err
	}
	if d.reunion, err = d.bookings.Create(ctx, someone("the_family", quote)); err != nil {
		return err
	}
	showLines(out, d.reunion)
	return nil
}

// joinFriend changes who stays in the second room, after prices have risen: both rooms keep the prices that they were
// booked at, and the terms of their plans.
func (d *desk) joinFriend(ctx context.Context, out *report.Findings) error {
	if _, err := d.nights.Update(ctx, availability.UpdateRequest{PropertyID: inn, Changes: []availability.Change{{
		RoomTypeIDs: []string{familyRoom}, Dates: reunion,
		Rates: map[string]availability.RateChange{"flex": {Price: usd("420.00")}},
	}}}); err != nil {
		return err
	}
	ask, err := d.askInn(ctx, couple)
	if err != nil {
		return err
	}
	offer, err := d.bookings.QuoteModification(ctx, d.reunion.ID, ask)
	if err != nil {
		return err
	}
	modified, err := d.bookings.Modify(ctx, offer)
	if err != nil {
		return err
	}
	showLines(out, modified.Booking)
	return nil
}

// payDeposit pays what is due of the two rooms now, and asks who will owe something by the day of arrival.
func (d *desk) payDeposit(ctx context.Context, out *report.Findings) error {
	r, err := d.bookings.Receipt(ctx, d.reunion.ID)
	if err != nil {
		return err
	}
	for _, one := range r.Instalments {
		out.Row(plain(one.When), one.DueAt.Format("Jan 2, 15:04"), one.Amount)
	}
	paid := payment("ch_reunion", r.DueNow)
	paid.BookingID = d.reunion.ID
	if _, err := d.bookings.RecordPayment(ctx, paid); err != nil {
		return err
	}
	out.Row("paid", r.DueNow)
	for one, err := range d.bookings.Overdue(d.clock, reunion.CheckIn.Time()).All(ctx) {
		if err != nil {
			return err
		}
		if r, err = d.bookings.Receipt(ctx, one.BookingID); err != nil {
			return err
		}
		out.Row("will be due", r.Reference, one.Since.Format("Jan 2, 15:04"), r.Balance)
	}
	return nil
}

func showLines(out *report.Findings, b *bookings.Booking) {
	for _, line := range b.Lines {
		out.Row(b.Reference, fmt.Sprintf("line %d", line.Number), line.Plan.Name,
			fmt.Sprintf("%d + %d", line.Party.Adults, line.Party.Children), line.Nights[0].Price, line.Subtotal, plain(line.CancellationPolicy))
	}
	out.Row(b.Reference, "total", b.Total)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/properties/search"
)

// search finds offers for two, cheapest first: 1 request for the city, and 1 for each hotel.
func (d *desk) search(ctx context.Context, out *report.Findings) error {
	found, err := d.offers.Page(ctx, search.Request{
		City: d.city.City, Country: d.city.Country, Stay: stay, Guests: two, Sort: search.LowestTotal, Currency: "USD",
	}, dynastay.Paging{})
	if err != nil {
		return err
	}
	show(out, found)
	if len(found.Offers) == 0 {
		return errors.New("the search found no offer")
	}
	d.offer = found.Offers[0].Quotes[0]
	return nil
}

func (d *desk) searchWithFilters(ctx context.Context, out *report.Findings) error {
	found, err := d.offers.Page(ctx, search.Request{
		City: d.city.City, Country: d.city.Country, Stay: stay, Guests: two, Sort: search.BestRated,
		Filter: search.Filter{Stars: []int{4}, FreeCancellation: true},
	}, dynastay.Paging{})
	if err != nil {
		return err
	}
	show(out, found)
	return nil
}

// searchForFamily is for a party that no single room holds. It is offered the cheapest combination of each hotel.
func (d *desk) searchForFamily(ctx context.Context, out *report.Findings) error {
	found, err := d.offers.Page(ctx, search.Request{
		City: d.city.City, Country: d.city.Country, Stay: stay, Guests: family, Sort: search.LowestTotal, Currency: "USD",
	}, dynastay.Paging{})
	if err != nil {
		return err
	}
	show(out, found)
	return nil
}

func (d *desk) searchAround(ctx context.Context, out *report.Findings) error {
	found, err := d.offers.Page(ctx, search.Request{
		Point: &park, Radius: 5_000, Stay: stay, Guests: two, Sort: search.Nearest,
	}, dynastay.Paging{})
	if err != nil {
		return err
	}
	for _, offer := range found.Offers {
		out.Row(offer.Property.Name, fmt.Sprintf("%.0f m", offer.Distance), "from", offer.Quotes[0].Total)
	}
	return nil
}

func show(out *report.Findings, found search.Page) {
	for _, offer := range found.Offers {
		for _, q := range offer.Quotes {
			out.Row(offer.Property.Name, rooms(q), q.Total, plain(q.Lines[0].CancellationPolicy))
		}
	}
	for _, refusal := range found.Refused {
		out.Row(refusal.Property.Name, "-", "-", whyNot(refusal.Err))
	}
}

// rooms names the rooms of a quote.
func rooms(q *availability.Quote) string {
	names := make([]string, len(q.Lines))
	for i, line := range q.Lines {
		if names[i] = line.Name; line.Quantity > 1 {
			names[i] = fmt.Sprintf("%d × %s", line.Quantity, line.Name)
		}
	}
	return strings.Join(names, " + ")
}

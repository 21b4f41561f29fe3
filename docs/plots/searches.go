package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/properties/search"
)

// hotels is the number of hotels of the city in which the searches are.
const hotels = 150

// drawSearches draws what the first page of a search costs: 50 hotels of a city that has more.
func drawSearches(ctx context.Context, client *dynamodb.Client, prefix string) error {
	var requests, units float64
	db := open(client, prefix, func(_ context.Context, c dynastay.Call) {
		requests += float64(c.Requests())
		units += c.ReadUnits()
	})
	for i := range hotels {
		p := properties.Property{
			Name: fmt.Sprint("Hotel ", i), Slug: fmt.Sprint("lisbon-", i), AmenityIDs: []string{"wifi"},
			Address: properties.Address{City: "Lisbon", Country: "Portugal", Latitude: 38.70 + float64(i)/10_000, Longitude: -9.14},
		}
		if i%2 == 0 {
			p.AmenityIDs = append(p.AmenityIDs, "pool")
		}
		if _, err := hotel(ctx, db, p, []properties.RoomType{room("Single", 4, 100+i), room("Double", 4, 120+i), room("Suite", 4, 200+i)}); err != nil {
			return err
		}
	}
	offers := search.New(db, properties.New(db, nil))
	read, sent := chart{title: "Read units of a page"}, chart{title: "Requests of a page"}
	for _, plan := range []struct {
		name       string
		sort       search.Sort
		amenities  []string
		candidates int // 0 is the default: 50 in the order of an index, otherwise 100
	}{
		{"by rating", search.BestRated, nil, 0},
		{"by base price", search.LowestPrice, nil, 0},
		{"by rating,\nwith a pool", search.BestRated, []string{"pool"}, 100}, // half of the hotels have one
		{"recommended", search.Recommended, nil, 0},
		{"by distance", search.Nearest, nil, 0},
		{"by price\nof the stay", search.LowestTotal, nil, 0},
	} {
		requests, units = 0, 0
		page, err := offers.Page(ctx, search.Request{
			City: "Lisbon", Country: "Portugal", Point: &key.Point{Latitude: 38.70, Longitude: -9.14},
			Stay: stay, Guests: guests, Currency: "EUR", Sort: plan.sort, Filter: search.Filter{AmenityIDs: plan.amenities},
			Candidates: plan.candidates,
		}, dynastay.Paging{})
		if err != nil {
			return err
		}
		if len(page.Offers) != 50 {
			return fmt.Errorf("%s: %d offers", plan.name, len(page.Offers))
		}
		read.add(plan.name, units)
		sent.add(plan.name, requests)
	}
	return save("search", nil, read, sent)
}

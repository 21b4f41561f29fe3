package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// document holds items of the hotel-booking document, unchanged, by table.
//
//go:embed document.json
var document []byte

func documentItems() (map[string][]dynastay.Item, error) {
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // a price keeps its digits
	var tables map[string][]map[string]any
	if err := decoder.Decode(&tables); err != nil {
		return nil, fmt.Errorf("document.json: %w", err)
	}
	items := make(map[string][]dynastay.Item)
	for table, rows := range tables {
		for _, row := range rows {
			item, err := attributevalue.MarshalMap(row)
			if err != nil {
				return nil, fmt.Errorf("document.json, %s: %w", table, err)
			}
			items[table] = append(items[table], item)
		}
	}
	return items, nil
}

// loadDocument puts raw items, past the validation of the repositories, which sell no stay in the past. A custom
// operation can write any items, alone or together with operations of the repositories.
func (d *desk) loadDocument(ctx context.Context, out *report.Findings) error {
	items, err := documentItems()
	if err != nil {
		return err
	}
	for _, schema := range keys.Tables() {
		for _, item := range items[schema.Name] {
			row := dynastay.RowOf(item)
			out.Row(schema.Name, row.Text(keys.AttrEntityType), schema.Key.From(row))
		}
	}
	return d.db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "hotel.LoadDocument",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			for _, schema := range keys.Tables() {
				for _, item := range items[schema.Name] {
					tx.Put(schema, item)
				}
			}
			return struct{}{}, nil
		},
	}))
}

func (d *desk) readDocument(ctx context.Context, out *report.Findings) error {
	guest, err := d.users.ByEmail(ctx, "John.Doe@example.com")
	if err != nil {
		return err
	}
	out.Row("user", guest.ID, guest.FirstName+" "+guest.LastName, guest.Email)

	booking, err := d.bookings.ByReference(ctx, "BKG-2024-XYZ123")
	if err != nil {
		return err
	}
	out.Row("booking", booking.ID, booking.Stay, booking.Status, booking.Total)

	line := booking.Lines[0]
	prices, err := d.nights.Prices(ctx, line.RoomTypeID, booking.Stay)
	if err != nil {
		return err
	}
	for _, night := range prices.Nights {
		out.Row("night", line.RoomTypeID, night.Date, line.Name, night.Price)
	}
	return nil
}

// adoptDocument makes the first update of the property that other software stored. It gets what it lacks: a card, the
// keys of the indexes, guards, and the items of its amenities.
func (d *desk) adoptDocument(ctx context.Context, out *report.Findings) error {
	found, err := d.properties.Update(ctx, "prop_123", func(p *properties.Property) error {
		p.Contact.Website = "https://stay.grandluxury.example"
		return nil
	})
	if err != nil {
		return err
	}
	for card, err := range d.properties.ByCity(d.city).All(ctx) {
		if err != nil {
			return err
		}
		if card.PropertyID == found.ID {
			out.Row("found by city", card.Name, card.Rating, fmt.Sprintf("%d amenities", len(card.AmenityIDs)), card.Rooms[0].Name)
		}
	}
	return nil
}

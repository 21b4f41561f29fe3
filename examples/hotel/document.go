package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
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
func (d *desk) loadDocument(ctx context.Context, out *details) error {
	items, err := documentItems()
	if err != nil {
		return err
	}
	for _, schema := range keys.Tables() {
		for _, item := range items[schema.Name] {
			row := dynastay.RowOf(item)
			out.row(schema.Name, row.Text(keys.AttrEntityType), schema.Key.From(row))
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

func (d *desk) readDocument(ctx context.Context, out *details) error {
	guest, err := d.users.ByEmail(ctx, "John.Doe@example.com")
	if err != nil {
		return err
	}
	out.row("user", guest.ID, guest.FirstName+" "+guest.LastName, guest.Email)

	booking, err := d.bookings.ByReference(ctx, "BKG-2024-XYZ123")
	if err != nil {
		return err
	}
	out.row("booking", booking.ID, booking.Stay, booking.Status, booking.Total)

	line := booking.Lines[0]
	prices, err := d.nights.Prices(ctx, line.RoomTypeID, booking.Stay)
	if err != nil {
		return err
	}
	for _, night := range prices.Nights {
		out.row("night", line.RoomTypeID, night.Date, line.Name, night.Price)
	}
	return nil
}

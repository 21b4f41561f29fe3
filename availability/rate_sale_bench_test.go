package availability_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// taken is a client that accepts every transaction, so that a benchmark measures only what the library does.
type taken struct{ dynastay.Client }

func (taken) TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

// What the transaction of a sale of 30 nights takes to prepare, with plans as without: the conditions are built once. The nights
// have the prices of no, two or nine plans.
//
//	go test ./availability -run '^$' -bench Sale
func BenchmarkSale(b *testing.B) {
	db := dynastay.Open(taken{}, &dynastay.Options{Clock: fixture.Clock})
	two := rates{"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")}}
	nine := maps.Clone(two)
	for n := range 7 {
		nine[fmt.Sprint("plan-", n)] = availability.Rate{Price: money("310.00 USD")}
	}
	for _, sale := range []struct {
		plans []string
		rates rates // of each night
	}{
		{[]string{""}, nil}, {[]string{""}, nine}, {[]string{"flex"}, two}, {[]string{"flex"}, nine}, {[]string{"non-ref"}, nine},
		{[]string{"flex", "early", "non-ref", "club"}, two}, {[]string{"flex", "early", "non-ref", "club"}, nine},
	} {
		b.Run(fmt.Sprintf("%v of %d", sale.plans, len(sale.rates)), func(b *testing.B) {
			stay := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(30)}
			var rooms []availability.Room
			for _, plan := range sale.plans {
				rooms = append(rooms, roomsUnder(plan, 1, adults(1)))
			}
			checked := availability.Availability{PropertyID: propertyID, RoomTypeID: roomTypeID, Stay: stay}
			for d := range stay.Dates() {
				checked.Nights = append(checked.Nights, availability.Night{
					PropertyID: propertyID, RoomTypeID: roomTypeID, Date: d, Available: 5, Total: 5, Price: fixture.Price,
					Rates: sale.rates,
				})
			}
			q, err := availability.New(db).QuoteOf(requestUnder(stay, rooms...), []availability.Availability{checked})
			require.NoError(b, err)
			for b.Loop() {
				_, err := sellAt(context.Background(), db, q)
				require.NoError(b, err)
			}
		})
	}
}

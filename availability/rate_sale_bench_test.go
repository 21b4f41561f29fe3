package availability_test

import (
	"context"
	"fmt"
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

// What the transaction of a sale of 30 nights takes to prepare, with plans as without: the conditions are built once.
//
//	go test ./availability -run '^$' -bench Sale
func BenchmarkSale(b *testing.B) {
	db := dynastay.Open(taken{}, &dynastay.Options{Clock: fixture.Clock})
	for _, plans := range [][]string{{""}, {"flex"}, {"non-ref"}, {"flex", "early", "non-ref", "club"}} {
		b.Run(fmt.Sprint(plans), func(b *testing.B) {
			stay := dynastay.Stay{CheckIn: stay.CheckIn, CheckOut: stay.CheckIn.AddDays(30)}
			var rooms []availability.Room
			for _, plan := range plans {
				rooms = append(rooms, roomsUnder(plan, 1, adults(1)))
			}
			checked := availability.Availability{PropertyID: propertyID, RoomTypeID: roomTypeID, Stay: stay}
			for d := range stay.Dates() {
				checked.Nights = append(checked.Nights, availability.Night{
					PropertyID: propertyID, RoomTypeID: roomTypeID, Date: d, Available: 5, Total: 5, Price: fixture.Price,
					Rates: rates{"flex": {Price: money("300.00 USD")}, "early": {Price: money("250.00 USD")}},
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

package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
)

type Order struct{ ID, Status string }

type orderKey struct{ ID string }

func (k *orderKey) Form(f *key.Form) { f.PK("ORDER#", key.ID("ID", &k.ID)) }

var (
	ordersTable = &dynastay.Schema{Name: "Orders", Key: dynastay.KeyNames{Partition: "PK"}, Stream: true}
	orders      = entity.New(entity.Spec[Order]{
		Name: "Order", Schema: ordersTable, ID: "OrderId",
		Key: func(o *Order) (dynastay.Key, error) { return key.Of(orderKey{o.ID}) },
		Codec: entity.Declare(func(f *entity.Fields, o *Order) {
			f.String("OrderId", &o.ID)
			f.String("Status", &o.Status)
		}),
	})
)

// A router for an entity of a service's own handles a record that was stored as JSON. Repositories of this module
// return their decoders from their Changes methods; package consumer or package lambda passes the records.
func Example() {
	db := dynastay.Open(dynamodb.NewFromConfig(aws.Config{}), nil)
	router := stream.NewRouter(
		stream.On(stream.NewDecoder(db, ordersTable, key.Is[orderKey], orders.Value),
			func(ctx context.Context, c stream.Change[Order]) error {
				if c.Became(func(o *Order) bool { return o.Status == "shipped" }) {
					fmt.Println("notify the customer of", c.New.ID)
				}
				return nil
			}),
		stream.Otherwise(func(ctx context.Context, r stream.Record) error {
			fmt.Println("not an order:", r)
			return nil
		}),
	)

	for _, data := range []string{
		`{"Table": "Orders", "Label": "2026-03-01T10:15:00.123", "Sequence": "421500000000017450439091",
			"At": "2026-03-01T10:20:00Z", "Keys": {"PK": {"S": "ORDER#o1"}},
			"Old": {"PK": {"S": "ORDER#o1"}, "OrderId": {"S": "o1"}, "Status": {"S": "paid"}},
			"New": {"PK": {"S": "ORDER#o1"}, "OrderId": {"S": "o1"}, "Status": {"S": "shipped"}}}`,
		`{"Table": "Orders", "Label": "2026-03-01T10:15:00.123", "Sequence": "421500000000017450439092",
			"At": "2026-03-01T10:20:00Z", "Keys": {"PK": {"S": "COUNTER#orders"}},
			"New": {"PK": {"S": "COUNTER#orders"}, "Count": {"N": "1"}}}`,
	} {
		var record stream.Record
		if err := json.Unmarshal([]byte(data), &record); err != nil {
			log.Fatal(err)
		}
		if err := router.Handle(context.Background(), record); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// notify the customer of o1
	// not an order: Orders/2026-03-01T10:15:00.123/0000000000000000421500000000017450439092 of COUNTER#orders
}

package lambda_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/lambda"
)

// A function tells the front desk about bookings. Its test calls the handler with a recorded event.
func ExampleHandler() {
	db := dynastay.Open(dynamodb.NewFromConfig(aws.Config{}), nil)
	router := stream.NewRouter(
		stream.On(bookings.New(db, nil).Changes().Bookings, func(ctx context.Context, c stream.Change[bookings.Booking]) error {
			for _, status := range []bookings.Status{bookings.Confirmed, bookings.CheckedIn} {
				if c.Became(func(b *bookings.Booking) bool { return b.Status == status }) {
					fmt.Println(c.New.Guest.LastName, status)
				}
			}
			return nil
		}),
	)
	handler := lambda.Handler(router, &lambda.Options{
		PartialBatch: true, // the event source mapping has ReportBatchItemFailures
		DeadLetter: func(_ context.Context, r stream.Record, _ error) error {
			letter, err := json.Marshal(r)
			if err != nil {
				return err
			}
			return os.WriteFile("/mnt/letters/"+r.Sequence, letter, 0o600) // contains personal data
		},
	})
	// In the function: awslambda.Start(handler)

	data, err := os.ReadFile("testdata/Bookings.json")
	if err != nil {
		log.Fatal(err)
	}
	var event events.DynamoDBEvent
	if err := json.Unmarshal(data, &event); err != nil {
		log.Fatal(err)
	}
	out, err := handler(context.Background(), event)
	fmt.Println(len(out.BatchItemFailures), err)
	// Output:
	// Lovelace confirmed
	// Lovelace checked_in
	// 0 <nil>
}

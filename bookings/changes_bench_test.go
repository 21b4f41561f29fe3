package bookings_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/draw"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// documented is the document's booking for attributevalue. It takes its amounts as floats and its dates as texts.
type documented struct {
	BookingId, BookingReference, UserId, PropertyId, Status string
	CheckInDate, CheckOutDate                               string
	NumberOfNights, NumberOfAdults, NumberOfChildren        int
	GuestInfo                                               struct{ FirstName, LastName, Email, Phone, Country string }
	TotalAmount                                             float64
	Currency, PaymentStatus                                 string
	PriceBreakdown                                          struct{ RoomTotal, TaxesAndFees, Discounts float64 }
	SpecialRequests, CancellationPolicy                     string
	CreatedAt, UpdatedAt, ConfirmedAt                       time.Time
	CancelledAt                                             *time.Time
	CancellationReason                                      string
}

// BenchmarkChange compares decoding a change of the document's booking, before and after, with the SDK's decoding.
func BenchmarkChange(b *testing.B) {
	item := draw.Streamed(raw.Document(b, "testdata/booking.json"))
	record := streams.Record{Dynamodb: &streams.StreamRecord{
		SequenceNumber: aws.String("111"), StreamViewType: streams.StreamViewTypeNewAndOldImages,
		Keys:     map[string]streams.AttributeValue{"PK": item["PK"], "SK": item["SK"]},
		OldImage: item, NewImage: item,
	}}
	b.Run("dynastay", func(b *testing.B) {
		const arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/Bookings/stream/2026-03-01T10:15:00.123"
		decoder := bookings.New(dynastay.Open(nil, nil), nil).Changes().Bookings
		b.ReportAllocs()
		for b.Loop() {
			r, err := stream.FromSDK(arn, record)
			require.NoError(b, err)
			_, ok, err := decoder.Decode(r)
			require.True(b, ok)
			require.NoError(b, err)
		}
	})
	b.Run("attributevalue", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, image := range []map[string]streams.AttributeValue{record.Dynamodb.OldImage, record.Dynamodb.NewImage} {
				converted, err := attributevalue.FromDynamoDBStreamsMap(image)
				require.NoError(b, err)
				require.NoError(b, attributevalue.UnmarshalMap(converted, &documented{}))
			}
		}
	})
}

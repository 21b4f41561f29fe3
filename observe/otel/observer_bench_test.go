package dynaotel_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fake"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
)

var things = &dynastay.Schema{Name: "Things", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}}

// discard is an exporter that forgets every span.
type discard struct{}

func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }
func (discard) Shutdown(context.Context) error                             { return nil }

// BenchmarkRead compares a read of one item with and without the observer. Both are measured in one run, one after the
// other, so that their ratio is meaningful on any machine: with a client that answers at once, which shows what the
// observer itself takes, and on the engine, which answers sooner than DynamoDB does.
func BenchmarkRead(b *testing.B) {
	key := dynastay.Key{PK: "a", SK: "b"}
	answer := &dynamodb.GetItemOutput{
		Item:             dynastay.Item{"PK": &types.AttributeValueMemberS{Value: "a"}},
		ConsumedCapacity: &types.ConsumedCapacity{TableName: aws.String("Things"), Table: &types.Capacity{CapacityUnits: aws.Float64(0.5)}},
	}
	atOnce := fake.Client{Do: func(*fake.Request) (any, error) { return answer, nil }}
	for name, sampler := range map[string]sdktrace.Sampler{"all sampled": sdktrace.AlwaysSample(), "none sampled": sdktrace.NeverSample()} {
		observer, err := dynaotel.New(dynaotel.Options{
			TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}), sdktrace.WithSampler(sampler)),
			MeterProvider:  metric.NewMeterProvider(metric.WithReader(metric.NewManualReader())),
		})
		require.NoError(b, err)
		options := &dynastay.Options{Observer: observer}
		b.Run("at once, "+name, func(b *testing.B) {
			compare(b, key, dynastay.Open(atOnce, nil), dynastay.Open(atOnce, options))
		})
		b.Run("engine, "+name, func(b *testing.B) {
			db := dyntest.New(b, dyntest.OnlyTables(things))
			compare(b, key, db.Open(nil), db.Open(options))
		})
	}
}

func compare(b *testing.B, key dynastay.Key, without, with *dynastay.DB) {
	b.ReportAllocs()
	var took [2]time.Duration
	for b.Loop() {
		for i, db := range []*dynastay.DB{without, with} {
			began := time.Now()
			if _, err := db.Get(b.Context(), things, key); err != nil {
				b.Fatal(err)
			}
			took[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[0].Nanoseconds())/float64(b.N), "ns/without")
	b.ReportMetric(float64(took[1].Nanoseconds())/float64(b.N), "ns/with")
	b.ReportMetric(float64(took[1])/float64(took[0]), "ratio")
}

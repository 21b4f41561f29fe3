package dynaotel_test

import (
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/dbconv"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
)

// One file knows the conventions, of one version.
func TestOneVersionOfTheConventions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var found []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range file.Imports {
			if strings.Contains(i.Path.Value, "/semconv/") && !strings.HasSuffix(name, "_test.go") {
				found = append(found, name+" "+i.Path.Value)
			}
		}
	}
	assert.Equal(t, []string{`conventions.go "go.opentelemetry.io/otel/semconv/v1.41.0"`}, found)
	assert.Equal(t, "https://opentelemetry.io/schemas/1.41.0", dynaotel.Conventions)
}

// The metric of the conventions has their name, unit and description, and attributes of theirs.
func TestMetricOfTheConventions(t *testing.T) {
	t.Parallel()
	m := dynaotel.Metrics()[0]
	var want dbconv.ClientOperationDuration
	assert.Equal(t, want.Name(), m.Name)
	assert.Equal(t, want.Unit(), m.Unit)
	assert.Equal(t, want.Description(), m.Description)
	assert.Equal(t, []float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10}, m.Buckets)
	assert.Equal(t, []string{
		string(semconv.DBOperationNameKey), string(semconv.DBCollectionNameKey), string(semconv.DBQuerySummaryKey),
		string(semconv.DBResponseStatusCodeKey), string(semconv.ErrorTypeKey),
	}, m.Attributes)
	for _, m := range dynaotel.Metrics()[1:] {
		for _, a := range m.Attributes {
			assert.True(t, strings.HasPrefix(a, "dynastay.") || a == string(semconv.ErrorTypeKey) || a == string(semconv.DBOperationNameKey), a)
		}
	}
}

// A request has the attributes that the conventions require, and those in development only if they are asked for.
func TestSpanOfARequest(t *testing.T) {
	t.Parallel()
	query := dynastay.Call{
		Operation: "Query", Verdict: dynastay.Done, Attempt: 1,
		Usage: []dynastay.Usage{{Table: "Bookings", Index: "GSI1", ReadUnits: 1.5}, {Table: "Bookings"}},
	}
	write := dynastay.Call{
		Operation: "TransactWriteItems", Verdict: dynastay.Done, Attempt: 2, Write: "01234567",
		Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 2}, {Table: "Bookings", ReadUnits: 1, WriteUnits: 4}, {Table: "Bookings", Index: "GSI1", WriteUnits: 1}},
	}
	refused := dynastay.Call{Operation: "PutItem", Verdict: dynastay.Refused, Attempt: 1, Usage: []dynastay.Usage{{Table: "Users"}}, Err: &types.ConditionalCheckFailedException{}}
	throttled := dynastay.Call{
		Operation: "GetItem", Verdict: dynastay.Throttled, Attempt: 1, Retries: 2, Usage: []dynastay.Usage{{Table: "Users"}},
		Throttles: []dynastay.Throttle{{Reason: "IndexReadKeyRangeThroughputExceeded", Table: "Users", Index: "GSI1"}},
		Err:       &types.ProvisionedThroughputExceededException{},
	}
	lost := dynastay.Call{Operation: "PutItem", Verdict: dynastay.Lost, Attempt: 1, Usage: []dynastay.Usage{{Table: "Users"}}, Err: errors.New("anna@example.com")}
	common := func(operation, summary string, more ...attribute.KeyValue) []attribute.KeyValue {
		return append([]attribute.KeyValue{
			semconv.DBSystemNameAWSDynamoDB, semconv.DBOperationName(operation), semconv.DBQuerySummary(summary), semconv.ServerAddress("localhost"), semconv.ServerPort(8000),
		}, more...)
	}
	own := func(verdict dynastay.Verdict, attempt int, targets []string, reads, writes []float64) []attribute.KeyValue {
		return []attribute.KeyValue{
			attribute.String("dynastay.verdict", string(verdict)), attribute.Int("dynastay.attempt", attempt), attribute.StringSlice("dynastay.usage.targets", targets),
			attribute.Float64Slice("dynastay.usage.read_units", reads), attribute.Float64Slice("dynastay.usage.write_units", writes),
		}
	}
	users, none := []string{"Users"}, []float64{0}
	for _, c := range []struct {
		call        dynastay.Call
		name        string
		want        [][]attribute.KeyValue
		development []attribute.KeyValue
		status      codes.Code
	}{
		{query, "Query Bookings/GSI1", [][]attribute.KeyValue{
			common("Query", "Query Bookings/GSI1", semconv.DBCollectionName("Bookings")),
			own(dynastay.Done, 1, []string{"Bookings/GSI1", "Bookings"}, []float64{1.5, 0}, []float64{0, 0}),
		}, []attribute.KeyValue{
			semconv.AWSDynamoDBTableNames("Bookings"), semconv.AWSDynamoDBIndexName("GSI1"),
			semconv.AWSDynamoDBConsumedCapacity(`{"TableName":"Bookings","CapacityUnits":1.5,"ReadCapacityUnits":1.5,` +
				`"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":1.5,"ReadCapacityUnits":1.5}}}`),
		}, codes.Unset},
		{write, "TransactWriteItems Bookings Users", [][]attribute.KeyValue{
			common("TransactWriteItems", "TransactWriteItems Bookings Users", attribute.String("dynastay.write", "01234567")),
			own(dynastay.Done, 2, []string{"Users", "Bookings", "Bookings/GSI1"}, []float64{0, 1, 0}, []float64{2, 4, 1}),
		}, []attribute.KeyValue{
			semconv.AWSDynamoDBTableNames("Users", "Bookings"),
			semconv.AWSDynamoDBConsumedCapacity(`{"TableName":"Bookings","CapacityUnits":6,"ReadCapacityUnits":1,"WriteCapacityUnits":5,`+
				`"Table":{"CapacityUnits":5,"ReadCapacityUnits":1,"WriteCapacityUnits":4},`+
				`"GlobalSecondaryIndexes":{"GSI1":{"CapacityUnits":1,"WriteCapacityUnits":1}}}`,
				`{"TableName":"Users","CapacityUnits":2,"WriteCapacityUnits":2,"Table":{"CapacityUnits":2,"WriteCapacityUnits":2}}`),
		}, codes.Unset},
		{refused, "PutItem Users", [][]attribute.KeyValue{
			common("PutItem", "PutItem Users", semconv.DBCollectionName("Users"), semconv.DBResponseStatusCode("ConditionalCheckFailedException")),
			own(dynastay.Refused, 1, users, none, none),
		}, []attribute.KeyValue{semconv.AWSDynamoDBTableNames("Users")}, codes.Unset},
		{throttled, "GetItem Users", [][]attribute.KeyValue{
			common("GetItem", "GetItem Users", semconv.DBCollectionName("Users"), semconv.DBResponseStatusCode("ProvisionedThroughputExceededException"),
				semconv.ErrorTypeKey.String("ProvisionedThroughputExceededException"), attribute.Int("dynastay.sdk_retries", 2),
				attribute.StringSlice("dynastay.throttle.reasons", []string{"IndexReadKeyRangeThroughputExceeded"}),
				attribute.StringSlice("dynastay.throttle.targets", []string{"Users/GSI1"})),
			own(dynastay.Throttled, 1, users, none, none),
		}, []attribute.KeyValue{semconv.AWSDynamoDBTableNames("Users")}, codes.Error},
		{lost, "PutItem Users", [][]attribute.KeyValue{
			common("PutItem", "PutItem Users", semconv.DBCollectionName("Users"), semconv.ErrorTypeKey.String("lost")),
			own(dynastay.Lost, 1, users, none, none),
		}, []attribute.KeyValue{semconv.AWSDynamoDBTableNames("Users")}, codes.Error},
	} {
		for _, development := range []bool{false, true} {
			observer, saw := observe(t, dynaotel.Options{ServerAddress: "localhost", ServerPort: 8000, Development: development})
			observer.Request(t.Context(), c.call)
			want := append(c.want[0], c.want[1]...)
			if development {
				want = append(want, c.development...)
			}
			got := saw.all()[0]
			assert.Equal(t, c.name, got.Name)
			assert.Equal(t, trace.SpanKindClient, got.SpanKind)
			assert.Equal(t, c.status, got.Status.Code)
			assert.ElementsMatch(t, want, got.Attributes)
			for _, text := range got.strings("aws.dynamodb.consumed_capacity") {
				var capacity types.ConsumedCapacity
				assert.NoError(t, json.Unmarshal([]byte(text), &capacity), "it is the JSON of DynamoDB")
			}
		}
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		address string
		port    int
		want    []attribute.KeyValue
	}{
		{"", 8000, nil},
		{"dynamodb.eu-central-1.amazonaws.com", 0, []attribute.KeyValue{semconv.ServerAddress("dynamodb.eu-central-1.amazonaws.com")}},
		{"dynamodb.eu-central-1.amazonaws.com", 443, []attribute.KeyValue{semconv.ServerAddress("dynamodb.eu-central-1.amazonaws.com")}},
		{"localhost", 8000, []attribute.KeyValue{semconv.ServerAddress("localhost"), semconv.ServerPort(8000)}},
	} {
		observer, saw := observe(t, dynaotel.Options{ServerAddress: c.address, ServerPort: c.port})
		observer.Request(t.Context(), dynastay.Call{Operation: "GetItem", Verdict: dynastay.Done})
		for _, has := range [][]attribute.KeyValue{saw.all()[0].Attributes, saw.points("db.client.operation.duration")[0].attributes.ToSlice()} {
			var got []attribute.KeyValue
			for _, a := range has {
				if strings.HasPrefix(string(a.Key), "server.") {
					got = append(got, a)
				}
			}
			assert.Equal(t, c.want, got)
			assert.Contains(t, has, semconv.DBSystemNameAWSDynamoDB)
		}
	}
}

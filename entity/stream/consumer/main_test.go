package consumer_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
)

// The environment of a process that this test binary starts as a consumer.
const (
	envEndpoint = "CONSUMER_TEST_ENDPOINT"
	envPrefix   = "CONSUMER_TEST_PREFIX"
)

func TestMain(m *testing.M) {
	if os.Getenv(envEndpoint) != "" {
		if err := consume(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	m.Run()
}

// deliveriesTable has one item for each gauge, with the readings in the order in which they were delivered.
var deliveriesTable = &dynastay.Schema{Name: "Deliveries", Key: dynastay.KeyNames{Partition: "PK"}}

var deliver = dynastay.MustCompile(expression.NewBuilder().WithUpdate(expression.Set(expression.Name("Readings"),
	expression.ListAppend(expression.IfNotExists(expression.Name("Readings"), expression.Value([]int{})), dynastay.Param("reading")))))

// consume is a process that stores every delivery until it is interrupted, or killed.
func consume() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fixed := credentials.NewStaticCredentialsProvider("dyntest", "dyntest", "")
	endpoint := aws.String(os.Getenv(envEndpoint))
	client := dynamodb.New(dynamodb.Options{BaseEndpoint: endpoint, Region: "us-east-1", Credentials: fixed})
	streams := dynamodbstreams.New(dynamodbstreams.Options{BaseEndpoint: endpoint, Region: "us-east-1", Credentials: fixed})
	db := dynastay.Open(client, &dynastay.Options{TablePrefix: os.Getenv(envPrefix)})
	spec := quick(consumer.Spec{
		Router: stream.NewRouter(stream.On(gauges(db), func(ctx context.Context, c stream.Change[gauge]) error {
			expr := deliver.With(dynastay.Item{"reading": &types.AttributeValueMemberL{Value: []types.AttributeValue{dynastay.Number(c.New.Reading)}}})
			_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
				TableName: aws.String(db.TableName(deliveriesTable)), Key: deliveriesTable.Key.Of(dynastay.Key{PK: c.New.Name}),
				UpdateExpression: expr.Update, ExpressionAttributeNames: expr.Names, ExpressionAttributeValues: expr.Values,
			})
			return err
		})),
		OnError: ignore,
	})
	spec.Lease = 600 * time.Millisecond
	return consumer.New(db, streams, spec).Run(ctx)
}

package dyntest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/internal/parallel"
	"github.com/dynastay/dynastay/provision"
)

// createTables creates the tables of a test, under a prefix that nobody else has.
//
// Unlike [engine.Engine.CreateTables], it enables nothing. DynamoDB Local applies a time to live within a second, by the
// machine's clock, so what a test writes with a clock in the past would be removed at once. Local engines have a table ready
// when they answer, so one request for each is enough.
func createTables(ctx context.Context, on *engine.Engine, prefix string, schemas []*dynastay.Schema) error {
	client := on.Client()
	return parallel.Do(schemas, func(s *dynastay.Schema) error {
		name := prefix + s.Name
		if err := createTable(ctx, client, name, s); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		return nil
	})
}

// creations is the number of times that a table is created while the engine fails.
const creations = 8

// createTable owns its retries, with the SDK's turned off. A busy engine may fail in the middle of CreateTable and leave
// a table without its indexes. The SDK would send the request again and be told that the table exists, so what is left
// is deleted first.
func createTable(ctx context.Context, client *dynamodb.Client, name string, s *dynastay.Schema) error {
	once := func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} }
	input := provision.Table{Schema: s, Name: name, Settings: provision.Settings{Deletable: true}}.CreateTableInput()
	wait := retry.NewExponentialJitterBackoff(time.Second)
	var failed error
	for n := range creations {
		made, err := client.CreateTable(ctx, input, once)
		if err == nil {
			return untilActive(ctx, client, made.TableDescription)
		}
		failed = errors.Join(failed, err)
		if !retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err).Bool() {
			break
		}
		delay, err := wait.BackoffDelay(n, err)
		if err != nil {
			return errors.Join(failed, err)
		}
		select {
		case <-ctx.Done():
			return errors.Join(failed, ctx.Err())
		case <-time.After(delay):
		}
		_, err = client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		var missing *types.ResourceNotFoundException
		if err != nil && !errors.As(err, &missing) {
			return errors.Join(failed, err)
		}
	}
	return failed
}

func untilActive(ctx context.Context, client *dynamodb.Client, table *types.TableDescription) error {
	if table.TableStatus == types.TableStatusActive {
		return nil
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second
	})
	return active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: table.TableName}, setUpTime)
}

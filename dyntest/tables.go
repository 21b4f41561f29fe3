package dyntest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/internal/parallel"
)

// createTables creates the tables of a test, under a prefix that nobody else has. So a table that already exists is the
// test's own: the SDK sent the request again, because a busy engine was slow to answer the first one.
//
// Unlike [engine.Engine.CreateTables], it enables nothing. DynamoDB Local applies a time to live within a second, by the
// machine's clock, so what a test writes with a clock in the past would be removed at once. Local engines have a table ready
// when they answer, so one request for each is enough.
func createTables(ctx context.Context, on *engine.Engine, prefix string, schemas []*dynastay.Schema) error {
	client := on.Client()
	return parallel.Do(schemas, func(s *dynastay.Schema) error {
		name := prefix + s.Name
		err := createTable(ctx, client, name, s)
		var exists *types.ResourceInUseException
		if errors.As(err, &exists) {
			err = on.DeleteTables(ctx, prefix, s)
			if err == nil {
				err = createTable(ctx, client, name, s)
			}
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		return nil
	})
}

func createTable(ctx context.Context, client *dynamodb.Client, name string, s *dynastay.Schema) error {
	made, err := client.CreateTable(ctx, s.CreateTableInput(name, &dynastay.TableOptions{Deletable: true}))
	if err != nil || made.TableDescription.TableStatus == types.TableStatusActive {
		return err
	}
	active := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 20*time.Millisecond, time.Second
	})
	return active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, setUpTime)
}

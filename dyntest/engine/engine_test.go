package engine

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

var guests = &dynastay.Schema{Name: "Guests", Key: dynastay.KeyNames{Partition: "pk", Sort: "sk"}}

func TestTables(t *testing.T) {
	onlyUnix(t)
	t.Parallel()
	ctx := t.Context()
	engine, err := Start(ctx)
	require.NoError(t, err)
	defer stopped(t, engine)
	require.NoError(t, engine.CreateTables(ctx, "test-", guests))
	require.NoError(t, engine.CreateTables(ctx, "test-", guests), "they already exist")
	other := *guests
	other.Key.Sort = "other"
	err = engine.CreateTables(ctx, "test-", &other)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	require.ErrorContains(t, err, "table test-Guests: ")

	out, err := engine.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("test-Guests")})
	require.NoError(t, err)
	assert.False(t, aws.ToBool(out.Table.DeletionProtectionEnabled))
	require.NoError(t, engine.DeleteTables(ctx, "test-", guests))
	_, err = engine.Client().DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("test-Guests")})
	require.ErrorAs(t, err, new(*types.ResourceNotFoundException))
	assert.NoError(t, engine.DeleteTables(ctx, "test-", guests), "it is not an error if a table does not exist")
	ended, end := context.WithCancel(ctx)
	end()
	assert.ErrorContains(t, engine.DeleteTables(ended, "test-", guests), "table test-Guests: ")
}

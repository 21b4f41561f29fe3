package contract_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/dyntest/contract"
)

// forgetful accepts a table that exists, never expires, and describes every index as one of all attributes.
type forgetful struct{ contract.Admin }

func (a forgetful) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, o ...options) (*dynamodb.CreateTableOutput, error) {
	out, err := a.Admin.CreateTable(ctx, in, o...)
	if exists := new(types.ResourceInUseException); errors.As(err, &exists) {
		return &dynamodb.CreateTableOutput{}, nil
	}
	return out, err
}

func (a forgetful) DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...options) (*dynamodb.DescribeTimeToLiveOutput, error) {
	return &dynamodb.DescribeTimeToLiveOutput{TimeToLiveDescription: &types.TimeToLiveDescription{
		TimeToLiveStatus: types.TimeToLiveStatusDisabled,
	}}, nil
}

func (a forgetful) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, o ...options) (*dynamodb.DescribeTableOutput, error) {
	out, err := a.Admin.DescribeTable(ctx, in, o...)
	if err == nil {
		for i := range out.Table.GlobalSecondaryIndexes {
			out.Table.GlobalSecondaryIndexes[i].Projection = &types.Projection{ProjectionType: types.ProjectionTypeAll}
		}
	}
	return out, err
}

func TestTables(t *testing.T) {
	notices(t, func(target *contract.Target) { target.Admin = forgetful{target.Admin} }, "tables",
		"a table that exists cannot be created again",
		"a description has the keys, the indexes and their projections",
		"the time to live can be set and described",
	)
}

package provision

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Control is the part of DynamoDB's control plane that [Look] and [Apply] need; Look only describes and lists.
// *dynamodb.Client implements it.
type Control interface {
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
	DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error)
	UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error)
	ListTagsOfResource(context.Context, *dynamodb.ListTagsOfResourceInput, ...func(*dynamodb.Options)) (*dynamodb.ListTagsOfResourceOutput, error)
	TagResource(context.Context, *dynamodb.TagResourceInput, ...func(*dynamodb.Options)) (*dynamodb.TagResourceOutput, error)
}

// pace waits between looks at what DynamoDB does in the background: shortly at first, because a local engine has done it
// at once, and then longer, because an index of a large table takes hours.
type pace struct{ last time.Duration }

func (p *pace) wait(ctx context.Context) error {
	p.last = min(max(20*time.Millisecond, 2*p.last), 5*time.Second)
	timer := time.NewTimer(p.last)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// busy reports whether DynamoDB refuses a change only for now: the table or the account has others in progress, or the
// backups of a new table are not set up yet. Only the message tells the limit of changes at the same time from those of a
// day or of the account, such as that of decreases.
func busy(err error) bool {
	var limit *types.LimitExceededException
	if errors.As(err, &limit) {
		return strings.Contains(limit.ErrorMessage(), "simultaneously")
	}
	return as[*types.ResourceInUseException](err) || as[*types.ContinuousBackupsUnavailableException](err)
}

// unknownOperation reports whether the engine does not have the operation at all, as local engines do not have all.
func unknownOperation(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && api.ErrorCode() == "UnknownOperationException"
}

func as[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

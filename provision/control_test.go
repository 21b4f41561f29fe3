package provision_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/provision"
)

// unprepared is DynamoDB that has not yet set up the backups of a new table.
type unprepared struct {
	*account
	left int
}

func (u *unprepared) UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if u.left--; u.left >= 0 {
		return nil, &types.ContinuousBackupsUnavailableException{}
	}
	u.backups = &types.PointInTimeRecoveryDescription{PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusEnabled}
	return &dynamodb.UpdateContinuousBackupsOutput{}, nil
}

func TestBackupsOfANewTable(t *testing.T) {
	t.Parallel()
	u := &unprepared{account: newAccount(prodStore()), left: 3}
	u.backups = nil
	assert.NoError(t, provision.Apply(t.Context(), u, []provision.Table{prodStore()}, nil))
	assert.Equal(t, -1, u.left)
}

// An Apply that ends while it waits to repeat a change says why it waited.
func TestBusyUntilTheContextEnds(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r := &refusing{account: newAccount(prodStore()), with: &types.ResourceInUseException{}}
	r.table.DeletionProtectionEnabled = new(bool)
	err := provision.Apply(ctx, r, []provision.Table{prodStore()}, nil)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorAs(t, err, new(*types.ResourceInUseException))
}

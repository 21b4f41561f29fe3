package contract_test

import (
	"context"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/contract"
)

// counting knows the tables that exist, and fails to create the one with the number failAt.
type counting struct {
	contract.Admin
	failAt, created int
	exist           map[string]bool
}

var errOfAdmin = errors.New("no more tables")

func (a *counting) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, o ...options) (*dynamodb.CreateTableOutput, error) {
	if a.created++; a.created == a.failAt {
		return nil, errOfAdmin
	}
	out, err := a.Admin.CreateTable(ctx, in, o...)
	if err == nil {
		a.exist[*in.TableName] = true
	}
	return out, err
}

func (a *counting) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput, o ...options) (*dynamodb.DeleteTableOutput, error) {
	out, err := a.Admin.DeleteTable(ctx, in, o...)
	if err == nil {
		delete(a.exist, *in.TableName)
	}
	return out, err
}

// counted returns a target of the engine of the test, and its tables.
func counted(t *testing.T) (contract.Target, *counting) {
	t.Helper()
	target := on(dyntest.New(t, dyntest.OnlyTables()).Engine)
	admin := &counting{Admin: target.Admin, exist: map[string]bool{}}
	target.Admin = admin
	return target, admin
}

func TestCheckWithoutClient(t *testing.T) {
	t.Parallel()
	target, admin := counted(t)
	_, err := contract.Check(t.Context(), contract.Target{Admin: target.Admin})
	require.EqualError(t, err, "contract: a Target needs a Client and an Admin")
	_, err = contract.Check(t.Context(), contract.Target{Client: target.Client})
	require.Error(t, err)
	assert.Zero(t, admin.created)
}

func TestCheckDeletesItsTables(t *testing.T) {
	t.Parallel()
	t.Run("if one of them cannot be created", func(t *testing.T) {
		target, admin := counted(t)
		admin.failAt = 2
		results, err := contract.Check(t.Context(), target)
		require.ErrorIs(t, err, errOfAdmin)
		assert.Empty(t, results)
		assert.Empty(t, admin.exist)
	})
	t.Run("if the context ends", func(t *testing.T) {
		target, admin := counted(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		writes(func(ctx context.Context, c dynastay.Client, in dynamodb.TransactWriteItemsInput) (*dynamodb.TransactWriteItemsOutput, error) {
			cancel()
			return c.TransactWriteItems(ctx, &in)
		})(&target)
		results, err := contract.Check(ctx, target)
		require.NoError(t, err)
		assert.Empty(t, admin.exist)
		for _, r := range results {
			if r.Group == "conditional writes" {
				assert.Equal(t, contract.AsRequired, r.Verdict, r)
				continue
			}
			assert.Equal(t, contract.NotShown, r.Verdict, "%s: the end of a context is no difference", r)
		}
		assert.Contains(t, results[len(results)-3].Seen, "the engine did not respond: ", "the last two are never shown")
	})
}

func TestCheckBudget(t *testing.T) {
	t.Parallel()
	target, admin := counted(t)
	target.Units = 300
	results, err := contract.Check(t.Context(), target)
	require.NoError(t, err)
	assert.Empty(t, admin.exist)
	var spent float64
	left := map[string]string{}
	for _, r := range results {
		if r.Verdict == contract.NotShown && r.Units > 300-spent {
			left[r.Case.String()] = r.Seen
			continue
		}
		spent += r.Units
	}
	assert.LessOrEqual(t, spent, 300.0)
	assert.Contains(t, left, "paging: a page ends after 1 MB")
	assert.Contains(t, left["paging: a page ends after 1 MB"], "budget: it may spend 1600 units, and ")
}

func TestCheckWithoutStreams(t *testing.T) {
	t.Parallel()
	target, _ := counted(t)
	target.Streams = nil
	results, err := contract.Check(t.Context(), target)
	require.NoError(t, err)
	shown := 0
	for _, r := range results {
		if r.Group != "streams" {
			continue
		}
		shown++
		assert.Equal(t, contract.NotShown, r.Verdict)
		assert.Equal(t, "the Target has no client for streams", r.Seen)
	}
	assert.Positive(t, shown)
}

// A throttled request says nothing about an engine.
func TestCheckThrottled(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables())
	target := on(db.Engine)
	target.Client, target.Units = db.Client, 60
	db.Faults.Inject(dyntest.Throttle(), dyntest.When{Operation: "UpdateItem"})
	results, err := contract.Check(t.Context(), target)
	require.NoError(t, err)
	for _, r := range results {
		if r.Name == "an update whose condition fails changes nothing" {
			assert.Equal(t, contract.NotShown, r.Verdict)
			assert.Contains(t, r.Seen, "the engine did not respond: an update: ")
			return
		}
	}
	assert.Fail(t, "there is no such case")
}

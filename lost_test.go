package dynastay_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/fixture"
)

// over opens another DB for the same tables, with its own client.
func over(db *dyntest.DB, client dynastay.Client, attempts int) *dynastay.DB {
	return dynastay.Open(client, &dynastay.Options{
		TablePrefix: prefix(db), Clock: fixture.Clock, Retry: dynastay.Retry{Attempts: attempts},
	})
}

// dropper loses transactions before they arrive.
type dropper struct{ dynastay.Client }

func (dropper) TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return nil, io.ErrUnexpectedEOF
}

// An item that existed before does not prove that a write arrived.
func TestWitnessMustBeTheWritesOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 3)
	made, err := bookings.New(db.DB, nil).Create(ctx, fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1)))
	require.NoError(t, err)
	_, err = outbox.Put(ctx, &message{ID: "there", Text: "told"})
	require.NoError(t, err)

	mine := over(db, dropper{db.Client}, 2)
	repo, box := bookings.New(mine, nil), entity.NewTable(mine, messageEntity)
	for name, op := range map[string]dynastay.Part{
		"create": repo.CreateOp(fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))),
		"cancel": repo.CancelOp(made.ID, ""),
		"delete": box.DeleteOp(keyOf("missing")),
	} {
		err := mine.Write(ctx, op, box.PutOp(&message{ID: "there", Text: "told"}))
		assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
	}
}

// zombie loses the first update and delivers it late: after the given number of reads, or on request.
type zombie struct {
	dynastay.Client
	reads int
	land  func()
}

func (c *zombie) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if c.land != nil {
		return c.Client.UpdateItem(ctx, in, o...)
	}
	c.land = func() { _, _ = c.Client.UpdateItem(context.WithoutCancel(ctx), in, o...) }
	return nil, errors.New("i/o timeout")
}

func (c *zombie) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	out, err := c.Client.GetItem(ctx, in, o...)
	if c.land != nil {
		if c.reads--; c.reads == 0 {
			c.land()
		}
	}
	return out, err
}

// An update that arrives late is applied once, and the caller is never told that it was not.
func TestLateUpdate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for name, test := range map[string]struct {
		reads, attempts int
		opts            []dynastay.UpdateOption
		want            error
	}{
		"between the reading and the second request":       {reads: 1, attempts: 5},
		"the same, on one version":                         {reads: 1, attempts: 5, opts: []dynastay.UpdateOption{dynastay.IfVersion(0)}},
		"not at all, while there is time to send it again": {reads: 99, attempts: 5},
		"after the caller's retries: nobody can know, yet": {reads: 99, attempts: 1, want: dynastay.ErrOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := outbox.Put(ctx, &message{ID: "m"})
			require.NoError(t, err)
			late := &zombie{Client: db.Client, reads: test.reads}
			mine := entity.NewTable(over(db, late, test.attempts), messageEntity)
			_, err = mine.Update(ctx, keyOf("m"), func(m *message) error { m.Sent++; return nil }, test.opts...)
			if test.want != nil {
				assert.ErrorIs(t, err, test.want)
				assert.Equal(t, 98, late.reads, "one look is enough")
			} else {
				assert.NoError(t, err)
			}
			late.land()
			got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, &message{ID: "m", Sent: 1, Version: 1}, got)
		})
	}
}

// terse is a DynamoDB that reports only one failing action, and cannot read the idempotency records.
type terse struct{ dynastay.Client }

func (c terse) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := c.Client.TransactWriteItems(ctx, in, o...)
	var cancelled *types.TransactionCanceledException
	if errors.As(err, &cancelled) {
		reported := false
		for i, reason := range cancelled.CancellationReasons {
			if reported {
				cancelled.CancellationReasons[i] = types.CancellationReason{}
			}
			reported = reported || *reason.Code != "None"
		}
	}
	return out, err
}

func (c terse) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if strings.HasSuffix(*in.TableName, "Metadata") {
		return nil, &types.ProvisionedThroughputExceededException{}
	}
	return c.Client.GetItem(ctx, in, o...)
}

// As long as it is unknown whether this caller has the last room, it must not be told that the room is sold.
func TestRefusalIsNotCertainWithoutTheRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 1)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))
	repo := bookings.New(over(db, terse{db.Client}, 3), nil)
	_, err := repo.Create(ctx, req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = repo.Create(ctx, req, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	var refused *bookings.Refused
	assert.False(t, errors.As(err, &refused), "%v", err)

	// A refusal because of the record needs no read.
	got, err := bookings.New(db.DB, nil).Create(ctx, req, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, bookings.Confirmed, got.Status)
}

// If the context ends before anything is sent, nothing is unknown.
func TestNothingSentIsNothingUnknown(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stop := db.Faults.Record()
	_, err := outbox.Create(ctx, &message{ID: "m"})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Empty(t, stop())
}

// The result of a plain update is what is stored, with what another caller wrote at the same time.
func TestUpdateReturnsWhatIsStored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	_, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	first := true
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error {
		if first {
			first = false
			_, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "other's"; return nil })
			require.NoError(t, err)
		}
		m.Sent = 1
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "other's", Sent: 1, Version: 3}, got)
}

// An idempotency key is compared by input. An operation without input cannot be written with one.
func TestKeyNeedsAnInput(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	set := func(text string, opts ...dynastay.UpdateOption) error {
		return db.Write(ctx, dynastay.IdempotencyKey("k"), outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = text; return nil }, opts...))
	}
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, set("a"), &invalid)
	assert.Equal(t, "IdempotencyKey", invalid.Field)
	require.NoError(t, set("a", dynastay.AgreedOn("a")))
	require.NoError(t, set("a", dynastay.AgreedOn("a")))
	assert.ErrorIs(t, set("b", dynastay.AgreedOn("b")), dynastay.ErrIdempotencyMismatch)
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "a", Version: 2}, got)
}

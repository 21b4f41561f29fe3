package dynastay_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

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

// While one caller determines the outcome of its booking, the next one gets its turn at the nights.
func TestSettlingHoldsNoGate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 1}})
	hotel := fixture.New(t, db.Direct, 5)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	repo := bookings.New(db.DB, nil)
	for name, opts := range map[string][]dynastay.WriteOption{"no key": nil, "a key": {dynastay.IdempotencyKey("k")}} {
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
		before(db, "GetItem", 1, func(context.Context) {
			_, err := repo.Create(ctx, request) // would wait here forever if the gates were still held
			assert.NoError(t, err)
		})
		_, err := repo.Create(ctx, request, opts...)
		require.NoError(t, err, name)
	}
}

// While one caller reads the record of its key, the next one gets its turn as well.
func TestRefusalHoldsNoGate(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 1)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	repo := bookings.New(db.DB, nil)
	_, err := repo.Create(ctx, request)
	require.NoError(t, err)
	var refused *bookings.Refused
	before(db, "GetItem", 1, func(context.Context) {
		_, err := repo.Create(ctx, request) // would wait here forever if the gates were still held
		assert.ErrorAs(t, err, &refused)
	})
	_, err = repo.Create(ctx, request, dynastay.IdempotencyKey("k"))
	assert.ErrorAs(t, err, &refused)
}

// Everything that is read after the caller's deadline shares one short budget.
func TestOneBudgetAfterTheDeadline(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{Settle: 20 * time.Millisecond})
	outbox := entity.NewTable(db.DB, messageEntity)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	db.Faults.Inject(dyntest.After(func(context.Context) { cancel() }), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	reads := 0
	db.Faults.Inject(dyntest.Before(func(late context.Context) {
		reads++
		<-late.Done() // an engine that does not respond: only the budget ends this
	}), dyntest.When{Operation: "GetItem", Match: func(dyntest.Request) bool { return true }})
	_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, reads, "no second budget for a second read")
}

// The budget starts when the caller's context ends, not before.
func TestReadsWithinTheCallersTimeAreNotBounded(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{Settle: time.Nanosecond, Retry: dynastay.Retry{Attempts: 1}})
	outbox := entity.NewTable(db.DB, messageEntity)
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	got, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, "m", got.ID)
}

// straggler loses the first transaction and keeps it. The second request, with the same token, conflicts with another
// write; then the first one arrives after all.
type straggler struct {
	dynastay.Client
	refusal error // of the second request
	through bool  // pass the second request on unchanged; the first one waits for the test
	sent    int
	tokens  []string
	arrive  func() error
	then    func() // after the first one has arrived
}

func (c *straggler) TransactWriteItems(
	ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	c.sent++
	c.tokens = append(c.tokens, *in.ClientRequestToken)
	switch c.sent {
	case 1:
		c.arrive = func() error { _, err := c.Client.TransactWriteItems(context.WithoutCancel(ctx), in, o...); return err }
		return nil, io.ErrUnexpectedEOF
	case 2:
		if c.through {
			break
		}
		if err := c.arrive(); err != nil {
			return nil, err
		}
		if c.then != nil {
			c.then()
		}
		return nil, c.refusal
	}
	return c.Client.TransactWriteItems(ctx, in, o...)
}

// A booking that the call's own late request created is not mistaken for that of another caller: its id was generated
// for this call.
func TestOwnLateRequestIsNoOtherBooking(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 5)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	// Three nights, the booking, its line, and the reference, which another one is said to have drawn.
	late := &straggler{Client: db.Client, refusal: cancelled("None", "None", "None", "None", "None", "ConditionalCheckFailed")}
	made, err := bookings.New(over(db, late, 5), nil).Create(ctx, request)
	require.NoError(t, err)
	assert.Equal(t, 2, late.sent)
	assert.Equal(t, late.tokens[0], late.tokens[1])
	got, err := bookings.New(db.Direct, nil).Get(ctx, made.ID)
	require.NoError(t, err)
	assert.Equal(t, got, made, "the one that is stored, with its reference")
	assert.Equal(t, []int{4, 4, 4}, hotel.Left(t, db.Direct, fixture.Stay), "once")
}

// An increment that arrived late is found by the id that it stored, and is not applied again.
func TestOwnLateRequestIsNotRepeated(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, opts := range map[string][]dynastay.Part{"no key": nil, "a key": {dynastay.IdempotencyKey("k")}} {
		t.Run(name, func(t *testing.T) {
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"})
			require.NoError(t, err)
			late := &straggler{Client: db.Client, refusal: cancelled("ConditionalCheckFailed", "None", "None")}
			mine := over(db, late, 5)
			box := entity.NewTable(mine, messageEntity)
			count := box.UpdateOp(keyOf("m"), increment, dynastay.AgreedOn("one more"))
			err = mine.Write(ctx, append(opts, count, box.PutOp(&message{ID: "n"}))...)
			require.NoError(t, err)
			assert.Equal(t, 2, late.sent)
			got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, &message{ID: "m", Sent: 1, Version: 2}, got)
			assert.Equal(t, got, count.Result())
		})
	}
}

// A late request of this write is found by its id, even if another write came after it.
func TestOwnLateRequestIsFound(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, others := range map[string]int{"as it left the item": 0, "overwritten once": 1} {
		t.Run(name, func(t *testing.T) {
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"})
			require.NoError(t, err)
			overtaken := cancelled("ConditionalCheckFailed", "None").(*types.TransactionCanceledException)
			overtaken.CancellationReasons[0].Item = outboxTable.Key.Of(keyOf("m"))
			late := &straggler{Client: db.Client, refusal: overtaken}
			mine := over(db, late, 5)
			box := entity.NewTable(mine, messageEntity)
			late.then = func() {
				for range others {
					_, err := outbox.Update(ctx, keyOf("m"), increment)
					assert.NoError(t, err)
				}
			}
			count := box.UpdateOp(keyOf("m"), increment)
			require.NoError(t, mine.Write(ctx, count, box.PutOp(&message{ID: "n"})))
			assert.Equal(t, 2, late.sent)
			got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
			require.NoError(t, err)
			assert.Equal(t, 1+others, got.Sent)
			assert.Equal(t, &message{ID: "m", Sent: 1, Version: 2}, count.Result(), "what this write left")
		})
	}
}

// A refusal after a lost request is not certain: the request may still arrive after the reason for the refusal has
// gone. It is certain if an item that the request is conditional on was replaced.
func TestRefusalAfterALostRequest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, test := range map[string]struct {
		replaced, unreadable bool
		want, wrong          error
	}{
		"it may arrive":      {want: dynastay.ErrOutcomeUnknown, wrong: dynastay.ErrAlreadyExists},
		"it never will":      {replaced: true, want: dynastay.ErrAlreadyExists, wrong: dynastay.ErrOutcomeUnknown},
		"nothing is to read": {unreadable: true, want: dynastay.ErrOutcomeUnknown, wrong: dynastay.ErrAlreadyExists},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, opts := range [][]dynastay.Part{nil, {dynastay.IdempotencyKey("k")}} {
				db, outbox := openOutbox(t, dynastay.Options{})
				for _, id := range []string{"taken", "edited"} {
					_, err := outbox.Create(ctx, &message{ID: id})
					require.NoError(t, err)
				}
				db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
				if test.replaced {
					before(db, "TransactWriteItems", 2, func(ctx context.Context) {
						_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("edited"), increment)
						assert.NoError(t, err)
					})
				}
				if test.unreadable {
					// Not the first read, before the update.
					db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem", Nth: 2, Times: 9, Optional: true})
				}
				edit := outbox.UpdateOp(keyOf("edited"), increment, dynastay.AgreedOn("one more"))
				err := db.Write(ctx, append(opts, edit, outbox.CreateOp(&message{ID: "taken"}))...)
				assert.ErrorIs(t, err, test.want)
				assert.NotErrorIs(t, err, test.wrong)
			}
		})
	}
}

// The guest would be told that the rooms are sold out, but would have one: the first request was still in flight.
func TestSoldOutIsNotCertainAfterALostRequest(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, opts := range map[string][]dynastay.WriteOption{"no key": nil, "a key": {dynastay.IdempotencyKey("k")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := openOutbox(t, dynastay.Options{})
			hotel := fixture.New(t, db.Direct, 1)
			request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
			other, err := bookings.New(db.Direct, nil).Create(ctx, request)
			require.NoError(t, err)
			late := &straggler{Client: db.Client, through: true}
			_, err = bookings.New(over(db, late, 5), nil).Create(ctx, request, opts...)
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			var refused *bookings.Refused
			assert.False(t, errors.As(err, &refused), "%v", err)

			_, err = bookings.New(db.Direct, nil).Cancel(ctx, other.ID, "")
			require.NoError(t, err)
			require.NoError(t, late.arrive())
			assert.Equal(t, []int{0, 0, 0}, hotel.Left(t, db.Direct, fixture.Stay), "it was carried out after all")
		})
	}
}

// Two preparations of a delta could both be carried out, and nothing would show it.
func TestLostDeltaIsNotPreparedAnew(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	prepared := 0
	err := db.Write(ctx, dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			prepared++
			tx.Check(outboxTable, keyOf("missing"), exists, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	}))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Equal(t, 1, prepared)
}

// Bookings of different nights that all change the same counter: none gives up.
func TestConflictsOfOtherOperationsQueue(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const callers = 48
	db := dyntest.New(t, outboxTables, dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.Direct, callers)
	_, err := entity.NewTable(db.Direct, messageEntity).Create(ctx, &message{ID: "counter"})
	require.NoError(t, err)
	db.Faults.Conflicts(2 * time.Millisecond)
	repo, box := bookings.New(db.DB, nil), entity.NewTable(db.DB, messageEntity)
	var wg sync.WaitGroup
	for n := range callers {
		checkIn := fixture.Stay.CheckIn.AddDays(n % 12)
		quote := hotel.Quote(t, db.Direct, dynastay.Stay{CheckIn: checkIn, CheckOut: checkIn.AddDays(1)}, 1)
		wg.Go(func() {
			err := db.Write(ctx, repo.CreateOp(fixture.Request(quote)), box.UpdateOp(keyOf("counter"), increment))
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := entity.NewTable(db.Direct, messageEntity).Get(ctx, keyOf("counter"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, callers, got.Sent)
}

// A write that was overtaken once queues for the item from then on.
func TestOvertakenUpdateQueues(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			_, err := outbox.Update(ctx, keyOf("m"), increment)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 64, got.Sent)
	assert.Less(t, db.Faults.Count("UpdateItem"), 3*64, "it would be some 260 without turns")
}

// The requests of one preparation are identical byte for byte, including write ids.
func TestPreparationsDifferInTheirIDs(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	stop := db.Faults.Record()
	db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	_, err = outbox.Update(ctx, keyOf("m"), increment)
	require.NoError(t, err)
	var sent []dyntest.Request
	for _, r := range stop() {
		if r.Operation == "UpdateItem" {
			sent = append(sent, r)
		}
	}
	require.Len(t, sent, 2)
	assert.Equal(t, string(sent[0].Body), string(sent[1].Body))
}

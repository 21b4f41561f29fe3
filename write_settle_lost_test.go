package dynastay_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/internal/testing/fixture"
)

// straggler loses the first transaction and keeps it. The second request, with the same token, conflicts with another
// write; then the first one arrives after all.
type straggler struct {
	refusal error // of the second request
	through bool  // pass the second request on unchanged; the first one waits for the test
	sent    int
	tokens  []string
	arrive  func() error
	then    func() // after the first one has arrived
}

func (c *straggler) do(r *fake.Request) (any, error) {
	in, transaction := r.In.(*dynamodb.TransactWriteItemsInput)
	if !transaction {
		return r.Send()
	}
	c.sent++
	c.tokens = append(c.tokens, *in.ClientRequestToken)
	switch {
	case c.sent == 1:
		c.arrive = func() error { _, err := r.SendAs(context.WithoutCancel(r.Context), r.Options...); return err }
		return nil, io.ErrUnexpectedEOF
	case c.sent == 2 && !c.through:
		if err := c.arrive(); err != nil {
			return nil, err
		}
		if c.then != nil {
			c.then()
		}
		return nil, c.refusal
	}
	return r.Send()
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
	late := &straggler{refusal: cancelled("None", "None", "None", "None", "None", "ConditionalCheckFailed")}
	made, err := bookings.New(over(db, late.do, 5), nil).Create(ctx, request)
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
			late := &straggler{refusal: cancelled("ConditionalCheckFailed", "None", "None")}
			mine := over(db, late.do, 5)
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
			late := &straggler{refusal: overtaken}
			mine := over(db, late.do, 5)
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
			late := &straggler{through: true}
			_, err = bookings.New(over(db, late.do, 5), nil).Create(ctx, request, opts...)
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			var refused *bookings.Refused
			assert.False(t, errors.As(err, &refused), "%v", err)

			_, err = bookings.New(db.Direct, nil).Cancel(ctx, other.ID, "", nil)
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

// enterDoor is an operation that succeeds while a door is shut, and is otherwise prepared again. It is written together
// with others.
func enterDoor() dynastay.Part {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Enter", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Check(outboxTable, keyOf("door"), dynastay.IfNew(outboxTable), func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})
}

func count(id string) dynastay.Part {
	return dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Count",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Update(outboxTable, keyOf(id), addHit).Else(func(dynastay.Row) error { return dynastay.ErrNotFound })
			return struct{}{}, nil
		},
	})
}

// An update that arrived late has left nothing to change. The operations written with it are not done again.
func TestOwnLateRequestThatLeavesNothingToChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	table := entity.NewTable(db.Direct, shelfEntity)
	for _, id := range []string{"a", "counted"} {
		_, err := outbox.Create(ctx, &message{ID: id})
		require.NoError(t, err)
	}
	late := &straggler{refusal: cancelled("None", "None", "ConditionalCheckFailed")}
	mine := over(db, late.do, 5)
	box := entity.NewTable(mine, messageEntity)
	set := box.UpdateOp(keyOf("a"), func(m *message) error { m.Text = "set"; return nil })
	require.NoError(t, mine.Write(ctx, set, count("counted"), enterDoor()))
	got, err := table.Get(ctx, keyOf("counted"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, 1, got.Hits)
}

// A put leaves no trace of the previous write. A write that may have been carried out and overwritten is not reported
// as refused, and not done again.
func TestOwnLateRequestThatWasOverwritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		opts []dynastay.UpdateOption
		hide func(*entity.Table[message]) error
	}{
		"put": {nil, func(box *entity.Table[message]) error {
			_, err := box.Put(context.Background(), &message{ID: "a", Version: 7})
			return err
		}},
		"put, for one version": {[]dynastay.UpdateOption{dynastay.IfVersion(1)}, func(box *entity.Table[message]) error {
			_, err := box.Put(context.Background(), &message{ID: "a", Version: 7})
			return err
		}},
		"deleted": {nil, func(box *entity.Table[message]) error { return box.Delete(context.Background(), keyOf("a")) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "a"})
			require.NoError(t, err)
			late := &straggler{refusal: cancelled("None", "ConditionalCheckFailed")}
			before(db, "GetItem", 2, func(context.Context) { assert.NoError(t, test.hide(entity.NewTable(db.Direct, messageEntity))) })
			mine := over(db, late.do, 5)
			err = mine.Write(ctx, entity.NewTable(mine, messageEntity).UpdateOp(keyOf("a"), increment, test.opts...), enterDoor())
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown, "it was carried out, and nothing is left of it")
		})
	}
}

// If DynamoDB now rejects this caller, that says nothing about what it accepted before.
func TestRejectionAfterALostAnswerUnderAKey(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "a"})
	require.NoError(t, err)
	late := &straggler{refusal: cancelled("None", "ConditionalCheckFailed", "None"), then: func() {
		db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "GetItem"})
	}}
	mine := over(db, late.do, 5)
	update := entity.NewTable(mine, messageEntity).UpdateOp(keyOf("a"), increment, dynastay.AgreedOn("one"))
	err = mine.Write(ctx, dynastay.IdempotencyKey("k"), update, enterDoor())
	got, readErr := entity.NewTable(db.Direct, messageEntity).Get(ctx, keyOf("a"), dynastay.Consistent)
	require.NoError(t, readErr)
	require.Equal(t, 1, got.Sent, "it was written")
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.NotErrorIs(t, err, dynastay.ErrRejected)
}

// zombie loses the first update and delivers it late: after the given number of reads, or on request.
type zombie struct {
	reads int
	land  func()
}

func (c *zombie) do(r *fake.Request) (any, error) {
	if _, updates := r.In.(*dynamodb.UpdateItemInput); updates && c.land == nil {
		c.land = func() { _, _ = r.SendAs(context.WithoutCancel(r.Context), r.Options...) }
		return nil, errors.New("i/o timeout")
	}
	out, err := r.Send()
	if _, reads := r.In.(*dynamodb.GetItemInput); reads && c.land != nil {
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
			late := &zombie{reads: test.reads}
			mine := entity.NewTable(over(db, late.do, test.attempts), messageEntity)
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

package dynastay_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/fixture"
	"github.com/dynastay/dynastay/keys"
)

// The service of these tests has an outbox of its own, with keys named its own way.
var outboxTable = &dynastay.Schema{Name: "Outbox", Key: dynastay.KeyNames{Partition: "id"}}

type message struct {
	ID      string
	Text    string
	Sent    int
	Version int
}

var messageEntity = entity.New(entity.Spec[message]{
	Name:    "Message",
	Schema:  outboxTable,
	Version: "version",
	Key:     func(m *message) (dynastay.Key, error) { return dynastay.Key{PK: m.ID}, nil },
	Validate: func(m *message) error {
		if m.ID == "" {
			return dynastay.Invalid("ID", "is required")
		}
		return nil
	},
	Codec: entity.Declare(func(f *entity.Fields, m *message) {
		f.String("id", &m.ID)
		f.String("text", &m.Text)
		f.Int("sent", &m.Sent)
		f.IfSet().Int("version", &m.Version)
	}),
})

func openOutbox(t *testing.T, o dynastay.Options) (*dyntest.DB, *entity.Table[message]) {
	t.Helper()
	o.Clock = fixture.Clock
	db := dyntest.New(t, outboxTables, dyntest.With(o))
	return db, entity.NewTable(db.DB, messageEntity)
}

func keyOf(id string) dynastay.Key { return dynastay.Key{PK: id} }

func TestWriteComposes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.DB, 1)
	repo := bookings.New(db.DB, nil)
	req := fixture.Request(hotel.Quote(t, db.DB, fixture.Stay, 1))

	before := db.Faults.Count("TransactWriteItems")
	made, note := repo.CreateOp(req), outbox.PutOp(&message{ID: "m1", Text: "booked"})
	require.NoError(t, db.Write(ctx, dynastay.IdempotencyKey("r1"), made, note))
	assert.Equal(t, before+1, db.Faults.Count("TransactWriteItems"), "one transaction")
	got, err := outbox.Get(ctx, keyOf("m1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "booked", got.Text)

	again, noteAgain := repo.CreateOp(req), outbox.PutOp(&message{ID: "m1", Text: "booked"})
	require.NoError(t, db.Write(ctx, dynastay.IdempotencyKey("r1"), again, noteAgain))
	assert.Equal(t, made.Result(), again.Result(), "the key covers the whole write, and every operation has its result back")
	assert.Equal(t, "booked", noteAgain.Result().Text)

	err = db.Write(ctx, repo.CreateOp(req), outbox.PutOp(&message{ID: "m2", Text: "booked"}))
	var refused *bookings.Refused
	require.ErrorAs(t, err, &refused)
	_, err = outbox.Get(ctx, keyOf("m2"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "all or nothing")
}

// An operation behind another one knows what that makes, each time that they are prepared.
func TestLaterOperationsKnowTheResult(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	tries := 0
	made := dynastay.NewOp(dynastay.OpSpec[string]{
		Name: "test.Draw",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (string, error) {
			tries++
			id := fmt.Sprint("m", tries)
			item := outboxTable.Key.Of(keyOf(id))
			tx.Put(outboxTable, item).If(dynastay.IfNew(outboxTable), func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return id, nil
		},
	})
	_, err := outbox.Create(ctx, &message{ID: "m1"}) // so that the first id is taken
	require.NoError(t, err)
	note := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Note",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			item := outboxTable.Key.Of(keyOf("note"))
			item["text"] = dynastay.Text("about " + made.Result())
			tx.Put(outboxTable, item)
			return struct{}{}, nil
		},
	})
	require.NoError(t, db.Write(ctx, made, note))
	got, err := outbox.Get(ctx, keyOf("note"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "about m2", got.Text)
}

func TestWriteRefusesBeforeSending(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()

	err := db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "m"}))
	var invalid *dynastay.InvalidError
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "Message.Put (Operations[0]) and Message.Create (Operations[1]) both write item m, and a transaction can write an item only once", invalid.Reason)

	var many []dynastay.Part
	for i := range 101 {
		many = append(many, outbox.PutOp(&message{ID: fmt.Sprint(i)}))
	}
	require.ErrorAs(t, db.Write(ctx, many...), &invalid)
	assert.Equal(t, "Operations", invalid.Field)
	assert.Contains(t, invalid.Reason, "at most 100 actions")

	require.ErrorAs(t, db.Write(ctx, outbox.PutOp(&message{ID: "john@example.com", Text: string(make([]byte, 400<<10))})), &invalid)
	assert.Contains(t, invalid.Reason, "item *** must be at most")

	large := string(make([]byte, 300<<10))
	many = nil
	for i := range 14 {
		many = append(many, outbox.PutOp(&message{ID: fmt.Sprint(i), Text: large}))
	}
	require.ErrorAs(t, db.Write(ctx, many...), &invalid)
	assert.Contains(t, invalid.Reason, "bytes in total")

	// The field is the same alone and composed; the operation's place is beside it.
	alone := db.Write(ctx, outbox.PutOp(&message{}))
	assert.EqualError(t, alone, "Message.Put: invalid ID: is required")
	composed := db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.PutOp(&message{}))
	assert.EqualError(t, composed, "Message.Put: Operations[1]: invalid ID: is required")
	for _, err := range []error{alone, composed} {
		require.ErrorAs(t, err, &invalid)
		assert.Equal(t, "ID", invalid.Field)
	}
	var placed *dynastay.Error
	require.ErrorAs(t, composed, &placed)
	assert.Equal(t, "Operations[1]", placed.Entity)
	require.ErrorAs(t, db.Write(ctx, outbox.PutOp(&message{ID: "m"}), dynastay.IdempotencyKey("a"), dynastay.IdempotencyKey("b")), &invalid)
	assert.Equal(t, "IdempotencyKey", invalid.Field)
	for field, read := range map[string]func() error{
		"Key.PK": func() error { _, err := outbox.Get(ctx, dynastay.Key{}, dynastay.Consistent); return err },
		"Consistent": func() error {
			_, err := dynastay.QueryAll(ctx, db.DB, keys.BookingsTable, dynastay.Query{
				Index: keys.UserBookingsIndex, Partition: "USER#1", Consistent: true,
			})
			return err
		},
		"Partition": func() error { _, err := outbox.List(dynastay.Query{}).Page(ctx, dynastay.Paging{}); return err },
		"Index": func() error {
			_, err := outbox.List(dynastay.Query{Index: strings.Repeat("i", 1000), Partition: "p"}).Page(ctx, dynastay.Paging{})
			return err
		},
	} {
		require.ErrorAs(t, read(), &invalid, field)
		assert.Equal(t, field, invalid.Field)
		assert.Less(t, len(invalid.Error()), 150, field)
	}
	assert.Empty(t, stop())
}

// An operation has one result, so it is for one write.
func TestOperationIsForOneWrite(t *testing.T) {
	t.Parallel()
	db, outbox := openOutbox(t, dynastay.Options{})
	op := outbox.PutOp(&message{ID: "m"})
	require.NoError(t, db.Write(t.Context(), op))
	assert.ErrorIs(t, db.Write(t.Context(), op), dynastay.ErrInvalid)
}

// A message that a worker has taken away since does not stand in the way of a replay.
func TestReplayOfWhatIsGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for range 2 {
		op := outbox.CreateOp(&message{ID: "m", Text: "booked"})
		require.NoError(t, db.Write(ctx, op, dynastay.IdempotencyKey("k")))
		assert.Equal(t, "booked", op.Result().Text)
		if err := outbox.Delete(ctx, keyOf("m")); err != nil {
			assert.ErrorIs(t, err, dynastay.ErrNotFound)
		}
	}
	_, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "it was not put again")
}

// An answer that is lost is asked for again with the same bytes, client token included, so that DynamoDB can tell that
// it is the same write; one that was overtaken is another write.
func TestWriteSendsTheSameAgain(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	stop := db.Faults.Record()
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	require.NoError(t, db.Write(ctx, outbox.CreateOp(&message{ID: "a"}), outbox.CreateOp(&message{ID: "b"})))
	sent := stop()
	require.Len(t, sent, 2)
	assert.Equal(t, string(sent[0].Body), string(sent[1].Body))
	assert.Contains(t, string(sent[0].Body), "ClientRequestToken")

	stop = db.Faults.Record()
	runs := 0
	require.NoError(t, db.Write(ctx, outbox.CreateOp(&message{ID: "c"}), outbox.DeleteOp(keyOf("b")), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Overtaken", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			runs++
			id := []string{"missing", "a"}[min(runs, 2)-1]
			tx.Check(outboxTable, keyOf(id), exists, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})))
	sent = stop()
	require.Len(t, sent, 2)
	assert.NotEqual(t, tokenOf(t, sent[0]), tokenOf(t, sent[1]))
}

var exists = func() dynastay.Expr {
	return dynastay.Prepare(expression.NewBuilder().WithCondition(expression.AttributeExists(expression.Name("id")))).With(nil)
}()

func tokenOf(t *testing.T, r dyntest.Request) string {
	t.Helper()
	var body struct{ ClientRequestToken string }
	require.NoError(t, json.Unmarshal(r.Body, &body))
	require.NotEmpty(t, body.ClientRequestToken)
	return body.ClientRequestToken
}

func TestPlainWritesSurviveLostAnswers(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "one"})
	require.NoError(t, err, "its own item is not taken for another's")
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "two"})
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "UpdateItem", Nth: 1})
	got, err := outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Sent++; return nil })
	require.NoError(t, err)
	assert.Equal(t, &message{ID: "m", Text: "one", Sent: 1, Version: 2}, got)
	stored, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, got, stored, "once")

	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	assert.ErrorIs(t, outbox.Delete(ctx, keyOf("m")), dynastay.ErrOutcomeUnknown, "it is gone, and anyone may have taken it")
	assert.ErrorIs(t, outbox.Delete(ctx, keyOf("m")), dynastay.ErrNotFound)
}

// Others wrote the item twice after a write whose answer was lost: nobody can tell any more whether it was done.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	other := entity.NewTable(db.Open(nil), messageEntity)
	meddling := &meddler{Client: db.Client, after: func() {
		for _, text := range []string{"other's", "once more"} {
			_, err := other.Update(ctx, keyOf("m"), func(m *message) error { m.Text = text; return nil })
			require.NoError(t, err)
		}
	}}
	mine := entity.NewTable(dynastay.Open(meddling, &dynastay.Options{TablePrefix: prefix(db)}), messageEntity)
	_, err = mine.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "mine"; return nil })
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)

	// A put that takes no heed of what is there would bury the other's, were it simply sent again.
	meddling.after = func() {
		_, err := other.Put(ctx, &message{ID: "m", Text: "other's put"})
		require.NoError(t, err)
	}
	_, err = mine.Put(ctx, &message{ID: "m", Text: "mine"})
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "other's put", got.Text)
}

func prefix(db *dyntest.DB) string {
	name := db.TableName(outboxTable)
	return name[:len(name)-len(outboxTable.Name)]
}

// meddler carries the next update or put out, lets another caller in, and loses the answer.
type meddler struct {
	dynastay.Client
	after func()
}

func (c *meddler) meddle(err error) error {
	after := c.after
	c.after = nil
	if err != nil || after == nil {
		return err
	}
	after()
	return errors.New("connection reset")
}

func (c *meddler) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.Client.UpdateItem(ctx, in, o...)
	return out, c.meddle(err)
}

func (c *meddler) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	out, err := c.Client.PutItem(ctx, in, o...)
	return out, c.meddle(err)
}

// A transaction holds the item for as long as the test likes; another write of it gives up when its budget is spent.
func TestContention(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	db.Faults.Conflicts(0)
	held, release := make(chan struct{}), make(chan struct{})
	db.Faults.Inject(dyntest.Before(func(context.Context) {
		close(held)
		<-release
	}), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Write(ctx, outbox.PutOp(&message{ID: "m", Text: "slow"}), outbox.PutOp(&message{ID: "n"}))
		assert.NoError(t, err)
	})
	<-held

	_, err = outbox.Put(ctx, &message{ID: "m", Text: "single"})
	assert.ErrorIs(t, err, dynastay.ErrContention)
	var single *types.TransactionConflictException
	assert.ErrorAs(t, err, &single, "the SDK's error is within reach")

	err = db.Write(ctx, outbox.PutOp(&message{ID: "m"}), outbox.PutOp(&message{ID: "o"}))
	assert.ErrorIs(t, err, dynastay.ErrContention)
	close(release)
	wg.Wait()
	_, err = outbox.Get(ctx, keyOf("o"), dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound, "nothing was written")
}

// What is overtaken again and again ends as contention, not as an endless loop.
func TestOvertakenForEver(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{Retry: dynastay.Retry{Attempts: 4, Base: time.Millisecond}})
	_, err := outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	never, err := expression.NewBuilder().WithCondition(expression.Name("text").Equal(expression.Value("never"))).Build()
	require.NoError(t, err)
	prepared := 0
	op := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "test.Never", Input: func(*dynastay.Input) {},
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			prepared++
			tx.Delete(outboxTable, keyOf("m")).If(dynastay.Expr{
				Condition: never.Condition(), Names: never.Names(), Values: never.Values(),
			}, func(dynastay.Row) error { return dynastay.ErrOvertaken })
			return struct{}{}, nil
		},
	})
	err = db.Write(ctx, op)
	assert.ErrorIs(t, err, dynastay.ErrContention)
	assert.Equal(t, 4, prepared)
}

// faulty answers writes with errors before it lets them through: faults that no local engine shows.
type faulty struct {
	dynastay.Client
	errs []error
	sent int
}

func (c *faulty) fail() error {
	c.sent++
	if len(c.errs) == 0 {
		return nil
	}
	err := c.errs[0]
	c.errs = c.errs[1:]
	return err
}

func (c *faulty) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := c.fail(); err != nil {
		return nil, err
	}
	return c.Client.TransactWriteItems(ctx, in, o...)
}

func (c *faulty) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := c.fail(); err != nil {
		return nil, err
	}
	return c.Client.PutItem(ctx, in, o...)
}

func cancelled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: &code})
	}
	return e
}

func TestWriteRetries(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	throttle := &types.ProvisionedThroughputExceededException{}
	for name, test := range map[string]struct {
		errs []error
		sent int
		want error
		kind error
	}{
		"throttled":                    {errs: []error{throttle, throttle}, sent: 3},
		"throttled in the transaction": {errs: []error{cancelled("None", "ThrottlingError")}, sent: 2},
		"conflict":                     {errs: []error{cancelled("TransactionConflict", "None")}, sent: 2},
		"in progress":                  {errs: []error{&types.TransactionInProgressException{}}, sent: 2},
		"throttled for good":           {errs: []error{throttle, throttle, throttle, throttle, throttle}, sent: 5, want: dynastay.ErrThrottled},
		"refused as such":              {errs: []error{&smithy.GenericAPIError{Code: "ValidationException"}}, sent: 1, want: errAny},
		"item too large":               {errs: []error{cancelled("ValidationError", "None")}, sent: 1, want: errAny},
	} {
		t.Run(name, func(t *testing.T) {
			client := &faulty{Client: db.Client, errs: test.errs}
			mine := dynastay.Open(client, &dynastay.Options{
				TablePrefix: prefix(db), Retry: dynastay.Retry{Attempts: 5, Base: time.Microsecond, Cap: time.Microsecond},
			})
			table := entity.NewTable(mine, messageEntity)
			err := mine.Write(ctx, table.PutOp(&message{ID: "a"}), table.PutOp(&message{ID: "b"}))
			switch test.want {
			case nil:
				assert.NoError(t, err)
			case errAny:
				assert.ErrorIs(t, err, test.errs[0])
				assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			default:
				assert.ErrorIs(t, err, test.want)
			}
			assert.Equal(t, test.sent, client.sent)
		})
	}
}

var errAny = errors.New("the engine's own error")

// A condition that does not hold outweighs a conflict on another item: waiting would not help.
func TestRefusalOutweighsConflict(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	client := &faulty{Client: db.Client, errs: []error{cancelled("TransactionConflict", "ConditionalCheckFailed")}}
	mine := dynastay.Open(client, &dynastay.Options{TablePrefix: prefix(db)})
	table := entity.NewTable(mine, messageEntity)
	err := mine.Write(t.Context(), table.PutOp(&message{ID: "a"}), table.CreateOp(&message{ID: "b"}))
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	assert.Equal(t, 1, client.sent)
}

// The context ends the waiting, and the error says so beside its kind.
func TestContextEndsTheWaiting(t *testing.T) {
	t.Parallel()
	db, _ := openOutbox(t, dynastay.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	client := &faulty{Client: db.Client, errs: []error{cancelled("TransactionConflict", "None")}}
	mine := dynastay.Open(client, &dynastay.Options{
		TablePrefix: prefix(db), Retry: dynastay.Retry{Base: time.Hour, Cap: time.Hour},
		Observer: func(context.Context, dynastay.Call) { cancel() },
	})
	table := entity.NewTable(mine, messageEntity)
	err := mine.Write(ctx, table.PutOp(&message{ID: "a"}), table.PutOp(&message{ID: "b"}))
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, dynastay.ErrContention)
}

// outboxTables are the tables of the tests with an outbox. DynamoDB Local becomes slower with every table and every index
// it has ever had; of the properties, these tests read only the guards of the room types.
var outboxTables = dyntest.OnlyTables(
	outboxTable, keys.MetadataTable, keys.AvailabilityTable, keys.BookingsTable, keys.UsersTable,
	&dynastay.Schema{Name: keys.PropertiesTable.Name, Key: keys.PropertiesTable.Key},
)

package dynastay

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// journal is an observer that keeps what it was told.
type journal struct {
	calls []Call
	ended []Ended
}

func (j *journal) Begin(ctx context.Context, _ string) (context.Context, func(Ended)) {
	return ctx, func(e Ended) { j.ended = append(j.ended, e) }
}

func (j *journal) Request(_ context.Context, c Call) { j.calls = append(j.calls, c) }

// What an operation has met, and how its outcome became known.
func TestEndedOfWrites(t *testing.T) {
	t.Parallel()
	lost, throttle := io.ErrUnexpectedEOF, &types.ProvisionedThroughputExceededException{}
	cancelled := func(codes ...string) error {
		e := &types.TransactionCanceledException{}
		for _, code := range codes {
			e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(code)})
		}
		return e
	}
	rename := func(db *DB) []Part {
		return []Part{shops{db}.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil }, AgreedOn("b"))}
	}
	keyed := func(db *DB) []Part { return append(rename(db), IdempotencyKey("k")) }
	read := shopItem(stamp{1}, stamp{}, "a")
	record := Item{"Hash": str("v0:"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}}}}
	for name, test := range map[string]struct {
		parts    func(*DB) []Part
		answers  []error
		stored   Item // what reads find after the first one
		want     Ended
		verdicts []Verdict // of the writes
	}{
		"done": {pair, []error{nil}, nil, Ended{Requests: 1}, []Verdict{Done}},
		"a conflict": {
			pair, []error{cancelled("TransactionConflict", "None"), nil}, nil,
			Ended{Requests: 2, Retries: 1, Conflicts: 1}, []Verdict{Conflict, Done},
		},
		"throttled": {
			pair, []error{cancelled("None", "ThrottlingError"), nil}, nil,
			Ended{Requests: 2, Retries: 1, Throttled: 1}, []Verdict{Throttled, Done},
		},
		"throttled alone": {
			rename, []error{throttle, nil}, read,
			Ended{Requests: 3, Retries: 1, Throttled: 1}, []Verdict{Throttled, Done},
		},
		"lost, and sent again": {
			pair, []error{lost, nil}, nil,
			Ended{Requests: 2, Retries: 1, Lost: 1, Settled: SettledByRetry}, []Verdict{Lost, Done},
		},
		"lost, and not known": {
			pair, []error{lost}, nil,
			Ended{Requests: 4, Retries: 2, Lost: 3, Settled: Unsettled}, []Verdict{Lost, Lost, Lost},
		},
		"lost, and its record is there": {
			keyed, []error{lost, lost, lost}, record,
			Ended{Requests: 6, Retries: 2, Lost: 3, Settled: SettledByRecord}, []Verdict{Lost, Lost, Lost},
		},
		"an earlier call's record, with other input": {
			keyed, []error{cancelled("None", "ConditionalCheckFailed")},
			Item{"Hash": str(inputForm + "other"), "Made": &sL{Value: []types.AttributeValue{&sM{Value: Item{}}}}},
			Ended{Requests: 3, Settled: SettledByRecord}, []Verdict{Refused},
		},
		"an earlier call's record": {
			keyed, []error{cancelled("None", "ConditionalCheckFailed")}, record,
			Ended{Requests: 4, Settled: SettledByRecord}, []Verdict{Refused},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var j journal
				client := &script{answers: test.answers, stored: read}
				client.read = func(_ context.Context, n int) (Item, error) {
					if n == 1 && name != "lost, and not known" {
						return read, nil
					}
					return test.stored, nil
				}
				db := client.open(&Options{Observer: &j, Retry: Retry{Attempts: 3}})
				began := time.Now()
				err := db.Write(t.Context(), test.parts(db)...)
				require.Len(t, j.ended, 1)
				assert.Equal(t, time.Since(began), j.ended[0].Duration)
				assert.ErrorIs(t, j.ended[0].Err, err)
				j.ended[0].Duration, j.ended[0].Err = 0, nil
				assert.Equal(t, test.want, j.ended[0])
				var verdicts []Verdict
				for _, c := range j.calls {
					if c.Operation != "GetItem" {
						verdicts = append(verdicts, c.Verdict)
						assert.Equal(t, len(verdicts), c.Attempt)
					}
				}
				assert.Equal(t, test.verdicts, verdicts)
			})
		})
	}
}

// A lost update whose item shows whether it was carried out.
func TestEndedOfSettledUpdate(t *testing.T) {
	t.Parallel()
	for name, find := range map[string]func(mine stamp) Item{
		"carried out":     func(mine stamp) Item { return shopItem(mine, stamp{1}, "b") },
		"never will be":   func(stamp) Item { return shopItem(stamp{2}, stamp{1}, "c") },
		"not carried out": func(stamp) Item { return shopItem(stamp{1}, stamp{}, "a") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var j journal
				client := &script{answers: []error{io.ErrUnexpectedEOF, nil}}
				client.read = func(_ context.Context, n int) (Item, error) {
					if n == 1 {
						return shopItem(stamp{1}, stamp{}, "a"), nil
					}
					return find(stampOfUpdate(t, client)), nil
				}
				db := client.open(&Options{Observer: &j})
				require.NoError(t, db.Write(t.Context(), shops{db}.UpdateOp(shopKey, func(s *shop) error { s.Name = "b"; return nil })))
				want := SettledByRead
				if name == "not carried out" {
					want = SettledByRetry
				}
				assert.Equal(t, want, j.ended[0].Settled)
				assert.Equal(t, 1, j.ended[0].Lost)
			})
		})
	}
}

// stampOfUpdate returns the stamp of the write id that the last update stores.
func stampOfUpdate(t *testing.T, client *script) stamp {
	t.Helper()
	for _, v := range client.last.(*dynamodb.UpdateItemInput).ExpressionAttributeValues {
		if ids := stampsOf(v); ids.before == (stamp{1}) {
			return ids.own
		}
	}
	require.Fail(t, "no write id")
	return stamp{}
}

// A preparation that was overtaken has sent nothing.
func TestAttemptsAreRequests(t *testing.T) {
	t.Parallel()
	var j journal
	db := (&script{answers: []error{nil}}).open(&Options{Observer: &j})
	prepared := 0
	require.NoError(t, db.Write(t.Context(), NewOp(OpSpec[struct{}]{Name: "shops.Sell", Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
		if prepared++; prepared < 3 {
			return struct{}{}, ErrOvertaken
		}
		tx.Delete(shopSchema, shopKey)
		tx.Delete(shopSchema, Key{"x", "y"})
		return struct{}{}, nil
	}})))
	require.Len(t, j.calls, 1)
	assert.Equal(t, 1, j.calls[0].Attempt)
	assert.Zero(t, j.ended[0].Retries)
}

// Of the writes of an operation, one whose outcome is unknown is what its caller must know of.
func TestEndedKeepsWhatIsUnknown(t *testing.T) {
	t.Parallel()
	var j journal
	db := (&script{}).open(&Options{Observer: &j})
	ctx, end := db.Begin(t.Context(), "shops.Sweep")
	for _, by := range []Settled{SettledByRead, SettledByRetry, Unsettled, SettledByRecord} {
		db.running(ctx).settled(by)
		if by == SettledByRetry {
			assert.Equal(t, SettledByRetry, db.running(ctx).sum.Settled, "the last one")
		}
	}
	end(nil)
	assert.Equal(t, Unsettled, j.ended[0].Settled)
}

// The write that a request reports is part of the write ids that it stores, and of no other.
func TestWriteOfRequest(t *testing.T) {
	t.Parallel()
	var j journal
	client := &script{answers: []error{nil}, stored: shopItem(stamp{1}, stamp{}, "a")}
	db := client.open(&Options{Observer: &j})
	rename := func() {
		require.NoError(t, db.Write(t.Context(), shops{db}.UpdateOp(shopKey, func(s *shop) error { s.Name += "b"; return nil })))
	}
	rename()
	first := stampOfUpdate(t, client)
	assert.Empty(t, j.calls[0].Write, "of a read")
	assert.Equal(t, first.text(), j.calls[1].Write)
	var id WriteID
	require.NoError(t, id.UnmarshalDynamoDBAttributeValue(first.over(nil)))
	assert.Equal(t, j.calls[1].Write, id.Write())
	assert.Empty(t, WriteID("no id").Write())
	rename()
	assert.NotEqual(t, j.calls[1].Write, j.calls[3].Write)
	require.NoError(t, db.Write(t.Context(), NewOp(OpSpec[struct{}]{Name: "x", Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
		tx.Put(shopSchema, Item{"PK": str("a"), "SK": str("b")})
		tx.Delete(shopSchema, Key{"x", "y"})
		return struct{}{}, nil
	}})))
	assert.Empty(t, j.calls[4].Write, "no item has a write id")
}

// What was throttled, as far as DynamoDB says it.
func TestThrottlesOfErrors(t *testing.T) {
	t.Parallel()
	reasons := []types.ThrottlingReason{
		{Reason: aws.String("TableReadKeyRangeThroughputExceeded"), Resource: aws.String("arn:aws:dynamodb:eu-west-1:123456789012:table/prod-Bookings")},
		{Reason: aws.String("TableWriteKeyRangeThroughputExceeded"), Resource: aws.String("arn:aws-cn:dynamodb:cn-north-1:1:table/Users/replica/cn-north-1")},
		{Reason: aws.String("IndexWriteAccountLimitExceeded"), Resource: aws.String("arn:aws:dynamodb:eu-west-1:123456789012:table/Users/index/GSI1-EmailIndex")},
		{},
	}
	want := []Throttle{
		{"TableReadKeyRangeThroughputExceeded", "prod-Bookings", ""}, {"TableWriteKeyRangeThroughputExceeded", "Users", ""}, {"IndexWriteAccountLimitExceeded", "Users", "GSI1-EmailIndex"}, {},
	}
	for _, err := range []error{
		&types.ProvisionedThroughputExceededException{ThrottlingReasons: reasons}, &types.RequestLimitExceeded{ThrottlingReasons: reasons},
		&types.ThrottlingException{ThrottlingReasons: reasons},
	} {
		assert.Equal(t, want, throttlesOf(errors.Join(io.EOF, err)), "%T", err)
	}
	assert.Empty(t, throttlesOf(io.EOF))
	assert.Equal(t, []Throttle{{}}, throttlesOf(&types.ProvisionedThroughputExceededException{}), "DynamoDB does not say what")

	var j journal
	client := &script{answers: []error{&types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{
		{Code: aws.String("None")}, {Code: aws.String("ThrottlingError")},
	}}, nil}}
	db := client.open(&Options{Observer: &j, TablePrefix: "test-"})
	require.NoError(t, db.Write(t.Context(), pair(db)...))
	assert.Equal(t, []Throttle{{Table: "test-Shops"}}, j.calls[0].Throttles, "the table of the action that was throttled")
	assert.Empty(t, j.calls[1].Throttles)
}

// An operation says which items it queued for, and how long.
func TestEndedHasItsWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal
		db := (&script{answers: []error{nil}}).open(&Options{Observer: &j})
		busy, free := RefOf(shopSchema, shopKey), RefOf(shopSchema, Key{"SHOP#2", "METADATA"})
		ahead, err := db.gates.enter(t.Context(), []Ref{busy}, nil)
		require.NoError(t, err)
		write := func(ctx context.Context) error {
			return db.Write(ctx, NewOp(OpSpec[struct{}]{
				Name: "shops.Sell", Contest: &Contest{Items: []Ref{busy, free}},
				Prepare: func(_ context.Context, tx *Tx) (struct{}, error) {
					tx.Delete(shopSchema, busy.Key)
					tx.Delete(shopSchema, free.Key)
					return struct{}{}, nil
				},
			}))
		}
		result := make(chan error)
		go func() { result <- write(t.Context()) }()
		time.Sleep(3 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // gives up in the queue
		defer cancel()
		require.ErrorIs(t, write(ctx), ErrContention)
		assert.Equal(t, []Wait{{busy, time.Second}}, j.ended[0].Waits)
		ahead.leave(nil)
		require.NoError(t, <-result)
		assert.Equal(t, []Wait{{busy, 4 * time.Second}}, j.ended[1].Waits)
	})
}

// Without an observer, nothing is allocated for one.
func TestNothingIsAllocatedWithoutAnObserver(t *testing.T) {
	db := (&script{}).open(nil)
	ctx := t.Context()
	call := Call{Operation: "Query"}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		ctx, end := db.Begin(ctx, "shops.Get")
		ctx, endGet := db.beginUnnamed(ctx, "Get", shopSchema)
		ctx, endQuery := db.beginQuery(ctx, shopSchema, Query{Name: "shops.List/open"})
		db.running(ctx).settled(SettledByRead)
		db.running(ctx).waited(nil)
		call = new(reading).call("Query", nil)
		db.observe(ctx, time.Time{}, call, nil, nil)
		endQuery(nil)
		endGet(nil)
		end(nil)
	}))
}

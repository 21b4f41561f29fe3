package dynastay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/internal/stored"
)

// What was lost before, and what the next request came to: every line of the table.
func TestNextMove(t *testing.T) {
	const plain, transaction = true, false
	for _, line := range []struct {
		kind bool
		lost bool
		got  verdict
		want move
	}{
		{transaction, false, done, finish},
		{transaction, false, refused, judge},
		{transaction, false, conflict, meet},
		{transaction, false, throttled, again},
		{transaction, false, unsent, again},
		{transaction, false, rejected, giveUp},
		{transaction, false, answerLost, again},

		// Under its token the transaction is carried out once, so it is sent until that is known. It is not prepared again
		// for a conflict, and a rejection says nothing of the request before.
		{transaction, true, done, finish},
		{transaction, true, refused, judge},
		{transaction, true, conflict, again},
		{transaction, true, throttled, again},
		{transaction, true, unsent, again},
		{transaction, true, rejected, look},
		{transaction, true, answerLost, again},

		{plain, false, done, finish},
		{plain, false, refused, judge},
		{plain, false, conflict, meet},
		{plain, false, throttled, again},
		{plain, false, unsent, again},
		{plain, false, rejected, giveUp},
		{plain, false, answerLost, look},

		// A plain request that was lost is looked for before anything else is believed.
		{plain, true, done, finish},
		{plain, true, refused, look},
		{plain, true, conflict, again},
		{plain, true, throttled, again},
		{plain, true, unsent, again},
		{plain, true, rejected, look},
		{plain, true, answerLost, look},
	} {
		assert.Equal(t, line.want, nextMove(line.kind, line.lost, line.got), "%+v", line)
	}
}

func TestVerdictKinds(t *testing.T) {
	kinds := map[verdict]error{conflict: ErrContention, throttled: ErrThrottled, unsent: ErrUnavailable, rejected: ErrRejected}
	for v := done; v <= answerLost; v++ {
		assert.Equal(t, kinds[v], v.kind(), v)
	}
}

func status(code int, err error) error {
	return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: &http.Response{StatusCode: code}}, Err: err,
	}}
}

func TestJudgeOfErrors(t *testing.T) {
	api := func(code string) error { return &smithy.GenericAPIError{Code: code} }
	for name, test := range map[string]struct {
		err  error
		way  passage
		want verdict
	}{
		"throughput exceeded":        {&types.ProvisionedThroughputExceededException{}, passage{true, true}, throttled},
		"throttling":                 {api("ThrottlingException"), passage{}, throttled},
		"throttling, the other name": {api("ThrottlingError"), passage{}, throttled},
		"throttling, as a 503":       {status(503, api("ThrottlingException")), passage{true, true}, throttled},
		"request limit":              {api("RequestLimitExceeded"), passage{}, throttled},
		"too many requests":          {status(429, errors.New("slow down")), passage{}, throttled},
		"replication":                {&types.ReplicatedWriteConflictException{}, passage{}, conflict},
		"internal error":             {&types.InternalServerError{}, passage{true, true}, answerLost},
		"500":                        {status(500, api("InternalFailure")), passage{true, true}, answerLost},
		"503":                        {status(503, api("ServiceUnavailable")), passage{true, true}, answerLost},
		"502 of a proxy":             {status(502, errors.New("bad gateway")), passage{true, true}, answerLost},
		"499":                        {status(499, api("ClientClosedRequest")), passage{true, true}, rejected},
		"408 of a proxy":             {status(408, api("UnknownError")), passage{true, true}, answerLost},
		"validation":                 {status(400, api("ValidationException")), passage{true, true}, rejected},
		"missing parameter":          {smithy.InvalidParamsError{}, passage{true, false}, rejected},
		"not serialized":             {&smithy.SerializationError{Err: io.EOF}, passage{true, false}, rejected},
		"refused connection":         {&net.OpError{Op: "dial", Err: io.EOF}, passage{true, true}, unsent},
		"broken connection":          {&net.OpError{Op: "read", Err: io.EOF}, passage{true, true}, answerLost},
		"no credentials":             {errors.New("no credentials"), passage{true, false}, unsent},
		"another client's error":     {errors.New("no credentials"), passage{}, answerLost},
		"end of the context":         {context.DeadlineExceeded, passage{true, true}, answerLost},
	} {
		assert.Equal(t, test.want, test.way.judge(test.err).verdict, name)
		assert.Equal(t, test.err, test.way.judge(test.err).err, name)
	}
}

// script is a client that answers from a list, the last entry for ever, and keeps nothing.
type script struct {
	Client
	answers []error
	tokens  []string
	times   []time.Time
	stored  Item
}

func (s *script) TransactWriteItems(
	_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options),
) (*dynamodb.TransactWriteItemsOutput, error) {
	s.tokens, s.times = append(s.tokens, *in.ClientRequestToken), append(s.times, time.Now())
	err := s.answers[min(len(s.times), len(s.answers))-1]
	return &dynamodb.TransactWriteItemsOutput{}, err
}

func (s *script) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	s.times = append(s.times, time.Now())
	err := s.answers[min(len(s.times), len(s.answers))-1]
	return &dynamodb.UpdateItemOutput{}, err
}

func (s *script) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return &dynamodb.GetItemOutput{Item: s.stored}, nil
}

// pair is a transaction of two puts.
func pair(db *DB) []Part {
	table := shops{db}
	return []Part{table.PutOp(&shop{ID: "1"}), table.PutOp(&shop{ID: "2"})}
}

// A token is used for less than the ten minutes in which DynamoDB knows it again.
func TestTokenWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &script{answers: []error{&types.TransactionInProgressException{}}}
		db := Open(client, &Options{Retry: Retry{Attempts: 1e6, Base: 5 * time.Second, Cap: 5 * time.Second}})
		assert.ErrorIs(t, db.Write(t.Context(), pair(db)...), ErrOutcomeUnknown)
		first, last := client.times[0], client.times[len(client.times)-1]
		assert.Less(t, last.Sub(first), 10*time.Minute-30*time.Second)
		assert.Greater(t, last.Sub(first), 8*time.Minute)
		for _, token := range client.tokens {
			assert.Equal(t, client.tokens[0], token)
		}
	})
}

// What comes after a lost answer does not make it forgotten.
func TestLostAnswerIsRemembered(t *testing.T) {
	lost, throttle := io.ErrUnexpectedEOF, &types.ProvisionedThroughputExceededException{}
	conflicting := &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: aws.String("TransactionConflict")}}}
	denied := &smithy.GenericAPIError{Code: "AccessDeniedException"}
	for name, test := range map[string]struct {
		answers []error
		sent    int
		want    error
	}{
		"the budget ends on a throttle": {[]error{lost, throttle}, 4, ErrOutcomeUnknown},
		"the budget ends on a conflict": {[]error{lost, conflicting}, 4, ErrOutcomeUnknown},
		"the way ends before the start": {[]error{lost, &net.OpError{Op: "dial", Err: io.EOF}}, 4, ErrOutcomeUnknown},
		"then it is rejected":           {[]error{lost, denied}, 2, ErrOutcomeUnknown},
		"a conflict, and then done":     {[]error{lost, conflicting, nil}, 3, nil},
		"nothing lost, throttled":       {[]error{throttle}, 4, ErrThrottled},
		"nothing lost, a conflict":      {[]error{conflicting}, 4, ErrContention},
		"nothing lost, rejected":        {[]error{denied}, 1, ErrRejected},
		"nothing lost, not reached":     {[]error{&net.OpError{Op: "dial", Err: io.EOF}}, 4, ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &script{answers: test.answers}
				db := Open(client, &Options{Retry: Retry{Attempts: 4}})
				err := db.Write(t.Context(), pair(db)...)
				assert.ErrorIs(t, err, test.want)
				assert.Len(t, client.times, test.sent)
				if test.answers[0] == lost {
					for _, token := range client.tokens {
						assert.Equal(t, client.tokens[0], token, "prepared anew before its outcome was known")
					}
					for _, kind := range []error{ErrThrottled, ErrContention, ErrUnavailable, ErrRejected} {
						assert.NotErrorIs(t, err, kind)
					}
				}
			})
		})
	}
}

// The waits grow from Base to Cap, and end with the budget.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Retry{Attempts: 5, Base: 10 * time.Millisecond, Cap: 40 * time.Millisecond}
		longest := map[int]time.Duration{}
		for range 2000 {
			for spent := range 5 {
				began := time.Now()
				require.True(t, r.wait(t.Context(), spent))
				longest[spent] = max(longest[spent], time.Since(began))
			}
		}
		for spent, bound := range []time.Duration{10, 10, 20, 40, 40} {
			assert.InDelta(t, float64(bound*time.Millisecond), float64(longest[spent]), float64(bound*time.Millisecond/10), spent)
			assert.Less(t, longest[spent], bound*time.Millisecond)
		}
		assert.False(t, r.wait(t.Context(), 5))
		large := Retry{Attempts: 100, Base: time.Hour, Cap: time.Second}
		began := time.Now()
		assert.True(t, large.wait(t.Context(), 90), "no overflow")
		assert.Less(t, time.Since(began), time.Second)
	})
}

// Every line of what an item tells of a write.
func TestTrace(t *testing.T) {
	mine, read, other := stamp{1}, stamp{2}, stamp{3}
	item := func(own, before stamp) Item {
		raw := append(append([]byte{}, own[:]...), before[:]...)
		return Item{"PK": str("p"), "WriteId": &types.AttributeValueMemberB{Value: raw}}
	}
	was, bare := item(read, stamp{9}), Item{"PK": str("p"), "Name": str("a")}
	update := &Action{kind: updateAction, schema: shopSchema, stamp: mine, read: was}
	adopting := &Action{kind: updateAction, schema: shopSchema, stamp: mine, read: bare}
	put := &Action{kind: putAction, schema: shopSchema, stamp: mine}
	drawn := &Action{kind: putAction, schema: shopSchema, drawn: true}
	remove := &Action{kind: deleteAction, schema: shopSchema}
	removeIf := &Action{kind: deleteAction, schema: shopSchema, expr: Expr{Condition: aws.String("…")}}
	removal := &Action{kind: deleteAction, schema: shopSchema, expr: Expr{Condition: aws.String("…")}, read: was}
	delta := &Action{kind: updateAction, schema: shopSchema}
	for _, line := range []struct {
		name   string
		action *Action
		stored Item
		want   trace
	}{
		{"an update's own item", update, item(mine, read), carried},
		{"overwritten once", update, item(other, mine), carried},
		{"as it was read", update, item(read, stamp{9}), untouched},
		{"another write over what was read", update, item(other, read), overtaken},
		{"two others", update, item(other, stamp{4}), noTrace},
		{"put anew", update, item(other, stamp{}), noTrace},
		{"the same own part, another before", update, item(read, stamp{8}), noTrace},
		{"gone", update, nil, noTrace},
		{"without an id now", update, bare, noTrace},
		{"adopted", adopting, item(mine, stamp{}), carried},
		{"adopted and overwritten", adopting, item(other, mine), carried},
		{"not adopted", adopting, Item{"PK": str("p"), "Name": str("a")}, untouched},
		{"not adopted, and changed", adopting, Item{"PK": str("p"), "Name": str("b")}, noTrace},
		{"not adopted, and gone", adopting, nil, noTrace},
		{"adopted by another", adopting, item(other, stamp{}), noTrace},
		{"a put's own item", put, item(mine, stamp{}), carried},
		{"a put, overwritten once", put, item(other, mine), carried},
		{"a put, another's item", put, item(other, read), noTrace},
		{"a put, gone", put, nil, noTrace},
		{"a drawn key, changed since", drawn, item(other, read), carried},
		{"a drawn key, gone", drawn, nil, noTrace},
		{"a deletion, gone", remove, nil, carried},
		{"a deletion, still there", remove, was, noTrace},
		{"a deletion on condition, gone", removeIf, nil, noTrace},
		{"a deletion on condition, still there", removeIf, was, noTrace},
		{"a removal, gone", removal, nil, noTrace},
		{"a removal, still there", removal, item(read, stamp{9}), untouched},
		{"a removal, rewritten by another", removal, item(other, read), overtaken},
		{"a removal, put anew", removal, item(other, stamp{}), noTrace},
		{"a delta", delta, was, noTrace},
		{"a delta on an item without an id", delta, bare, noTrace},
		{"a delta, gone", delta, nil, noTrace},
	} {
		assert.Equal(t, line.want, line.action.trace(line.stored), line.name)
	}
}

// The witness of a transaction is the item that tells most.
func TestWitness(t *testing.T) {
	at := func(name string, a *Action) *Action { copied := *a; copied.key = Key{PK: name}; return &copied }
	put := at("put", &Action{kind: putAction, stamp: stamp{1}})
	second := at("second", &Action{kind: putAction, stamp: stamp{1}})
	update := at("update", &Action{kind: updateAction, stamp: stamp{1}, read: Item{}})
	drawn := at("drawn", &Action{kind: putAction, drawn: true})
	removal := at("removal", &Action{kind: deleteAction, read: Item{}})
	check, delta, guard, remove := &Action{kind: checkAction}, &Action{kind: updateAction}, &Action{kind: putAction}, &Action{kind: deleteAction}
	for want, actions := range map[string][]*Action{
		"put":     {check, put, delta, second},
		"update":  {put, update, at("later", update)},
		"removal": {put, check, removal},
		"drawn":   {put, update, drawn},
		"none":    {check, delta, guard, remove},
	} {
		got := (&Tx{actions: actions}).witness()
		if want == "none" {
			assert.Nil(t, got)
			continue
		}
		require.NotNil(t, got, want)
		assert.Equal(t, want, got.key.PK)
	}
}

// A plain request is sent only where its lost answer can be settled.
func TestPlain(t *testing.T) {
	for _, test := range []struct {
		want    bool
		actions []*Action
	}{
		{true, []*Action{{kind: putAction, stamp: stamp{1}}}},
		{true, []*Action{{kind: updateAction, stamp: stamp{1}}}},
		{true, []*Action{{kind: deleteAction}}},
		{false, []*Action{{kind: putAction}}},
		{false, []*Action{{kind: updateAction}}},
		{false, []*Action{{kind: checkAction}}},
		{false, []*Action{{kind: putAction, stamp: stamp{1}}, {kind: deleteAction}}},
		{false, nil},
	} {
		assert.Equal(t, test.want, (&Tx{actions: test.actions}).plain(), "%+v", test.actions)
	}
}

// Ids are drawn from the system, whatever Options.Rand is: with equal seeds two processes would draw equal ones.
func TestStampsAreNotOfOptionsRand(t *testing.T) {
	zeros := &Options{Rand: zeroReader{}, Clock: func() time.Time { return noon }}
	seen := map[stamp]bool{}
	for range 3 {
		w := &write{db: Open(nil, zeros)}
		tx, err := w.prepare(context.Background())
		require.NoError(t, err)
		assert.False(t, seen[tx.stamp])
		assert.NotEqual(t, stamp{}, tx.stamp)
		seen[tx.stamp] = true
	}
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// A write id is 19 bytes of an item, its name included, and one opaque text outside.
func TestWriteIDForm(t *testing.T) {
	id := stamp{1, 2, 3, 4, 5, 6}.over(stamp{7, 8, 9, 10, 11, 12}.over(stamp{13}.over(nil)))
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, id.(*sB).Value)
	assert.Equal(t, 19, stored.Size(Item{shopSchema.WriteIDName(): id}))
	var text WriteID
	require.NoError(t, text.UnmarshalDynamoDBAttributeValue(id))
	assert.Len(t, string(text), 16)
	back, err := text.MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	assert.Equal(t, id, back)

	var none WriteID = "before"
	require.NoError(t, none.UnmarshalDynamoDBAttributeValue(&sNULL{Value: true}))
	assert.Empty(t, none)
	null, err := none.MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	assert.Equal(t, &sNULL{Value: true}, null)
	assert.EqualError(t, text.UnmarshalDynamoDBAttributeValue(str("text")), "must be binary, got text")
	assert.Equal(t, "write_id", (&Schema{WriteID: "write_id"}).WriteIDName())
	for _, other := range []types.AttributeValue{nil, str("x"), &sB{Value: []byte{1}}, &sB{Value: make([]byte, 13)}} {
		assert.Equal(t, stamps{}, stampsOf(other), fmt.Sprint(other))
	}
}

// An id that came back from a form is one that an item can have, or none.
func FuzzWriteID(f *testing.F) {
	for _, seed := range []string{"", "AAAAAAAAAAAAAAAA", "AQIDBAUGBwgJCgsM", "AQIDBAUGBwgJCgs=", "AQIDBAUGBwgJCgsM\n", "AQIDBAUGBwgJCgs\n", "AQIDBAUGBwgJCg-_", "AQIDBAUGBwgJCg+/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stored, err := WriteID(text).stored()
		if err != nil {
			assert.ErrorIs(t, err, ErrInvalid)
			return
		}
		var back WriteID
		require.NoError(t, back.UnmarshalDynamoDBAttributeValue(stored))
		again, err := back.stored()
		require.NoError(t, err)
		assert.Equal(t, stored, again)
		assert.Equal(t, text, string(back), "one text for one id")
	})
}

package dynastay_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
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

// The record says that the write was done. An unreadable result must never be reported as "nothing was written".
func TestReplayThatCannotRead(t *testing.T) {
	t.Parallel()
	for code, kind := range map[string]error{
		"ProvisionedThroughputExceededException": dynastay.ErrThrottled,
		"AccessDeniedException":                  dynastay.ErrRejected,
		"InternalServerError":                    dynastay.ErrUnavailable,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			key := dynastay.IdempotencyKey("k")
			_, err := outbox.Create(ctx, &message{ID: "m"}, key)
			require.NoError(t, err)
			unreadable := db.Faults.Inject(dyntest.Fail(code), dyntest.When{Operation: "GetItem", Table: "Outbox"})
			_, err = outbox.Create(ctx, &message{ID: "m"}, key)
			assert.ErrorIs(t, err, dynastay.ErrCommitted)
			assert.NotErrorIs(t, err, kind)
			assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			assert.ErrorContains(t, err, code)
			unreadable.Stop()
			got, err := outbox.Create(ctx, &message{ID: "m"}, key)
			require.NoError(t, err)
			assert.Equal(t, "m", got.ID)
		})
	}
}

// A write that finds nothing to do is complete. A retry does not undo what others have done since.
func TestNothingToWriteLeavesARecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "a"})
	require.NoError(t, err)
	set := func(text string) error {
		op := outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = text; return nil }, dynastay.AgreedOn(text))
		return db.Write(ctx, op, dynastay.IdempotencyKey("k"))
	}
	require.NoError(t, set("a"), "it is what it is")
	_, err = outbox.Update(ctx, keyOf("m"), func(m *message) error { m.Text = "another's"; return nil })
	require.NoError(t, err)
	require.NoError(t, set("a"), "the repetition")
	got, err := outbox.Get(ctx, keyOf("m"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "another's", got.Text)
	assert.ErrorIs(t, set("b"), dynastay.ErrIdempotencyMismatch)

	// The response to the record alone may also be lost.
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	op := outbox.UpdateOp(keyOf("m"), func(*message) error { return nil }, dynastay.AgreedOn("nothing"))
	require.NoError(t, db.Write(ctx, op, dynastay.IdempotencyKey("l")))
	assert.Equal(t, "another's", op.Result().Text)
}

// The same key of another user is a different key, and using it reveals nothing.
func TestKeysHaveOwners(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hers, his, bare := dynastay.IdempotencyKey("1").Of("ada"), dynastay.IdempotencyKey("1").Of("bob"), dynastay.IdempotencyKey("1")
	for _, key := range []dynastay.Idempotency{hers, his, bare} {
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Nil(t, made)
	}
	for id, key := range map[string]dynastay.Idempotency{"hers": hers, "his": his, "bare": bare} {
		for range 2 {
			_, err := outbox.Create(ctx, &message{ID: id}, key)
			require.NoError(t, err)
		}
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": id, "SK": ""}}, made)
	}
	record, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: "ada", Key: "1"})
	require.NoError(t, err)
	item, err := db.Get(ctx, keys.MetadataTable, record, dynastay.Consistent)
	require.NoError(t, err)
	assert.NotNil(t, item, "%s", record)

	var invalid *dynastay.InvalidError
	_, err = outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("1").Of(""))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "IdempotencyKey.Scope", invalid.Field, "a scope that was forgotten is not the same as none")
	_, err = db.MadeBy(ctx, dynastay.IdempotencyKey(""))
	require.ErrorAs(t, err, &invalid)
	assert.Equal(t, "IdempotencyKey", invalid.Field)
}

// Scopes are compared byte by byte, as the ids of users are: no two of them share a key.
func TestScopesAreExact(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for _, scope := range []string{"ada", "ada ", " ada", "ada\n", "\u00e9", "e\u0301", " ", "a#b", "a%23b"} {
		key := dynastay.IdempotencyKey("1").Of(scope)
		made, err := db.MadeBy(ctx, key)
		require.NoError(t, err)
		require.Nil(t, made, "%q", scope)
		_, err = outbox.Create(ctx, &message{ID: "of " + scope}, key)
		require.NoError(t, err)
		made, err = db.MadeBy(ctx, key)
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": "of " + scope, "SK": ""}}, made)

		at, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: scope, Key: "1"})
		require.NoError(t, err)
		item, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
		require.NoError(t, err)
		assert.True(t, item.Exists(), "%q", scope)
		parsed, err := keys.Parse[keys.ScopedIdempotencyRecord](at)
		require.NoError(t, err)
		assert.Equal(t, scope, parsed.Scope)
	}
	for scope, want := range map[string]string{"user_456": "user_456", "a#b": "a%23b", "100%": "100%25", "Zo\u00eb L": "Zo\u00eb L"} {
		at, err := keys.Of(keys.ScopedIdempotencyRecord{Scope: scope, Key: " order 66"}) // as always
		require.NoError(t, err)
		assert.Equal(t, dynastay.Key{PK: "IDEMPOTENCY#" + want + "#order 66", SK: "METADATA"}, at)
	}
	for _, scope := range []string{"", "\xff", strings.Repeat("x", 257), strings.Repeat("#", 86)} {
		var invalid *dynastay.InvalidError
		_, err := db.MadeBy(ctx, dynastay.IdempotencyKey("1").Of(scope))
		require.ErrorAs(t, err, &invalid, "%q", scope)
		assert.Equal(t, "IdempotencyKey.Scope", invalid.Field)
	}
}

// However a write with a key runs out of budget, its record is read before an error is returned.
func TestContentionLooksAtTheRecord(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, retry := range map[string]dynastay.Retry{
		"after a conflict":   {Attempts: 1},
		"after two of them":  {Attempts: 2, Base: time.Millisecond},
		"after many of them": {Attempts: 5, Base: time.Millisecond, Cap: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			db, outbox := openOutbox(t, dynastay.Options{})
			_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems"})
			mine := entity.NewTable(db.Open(&dynastay.Options{Retry: retry}), messageEntity)
			got, err := mine.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			assert.Equal(t, "m", got.ID)
			_, err = mine.Create(ctx, &message{ID: "n"}, dynastay.IdempotencyKey("l"))
			assert.ErrorIs(t, err, dynastay.ErrContention)
		})
	}
}

// A rejected request cannot have been written, with or without a key.
func TestRejectedIsNotUnknown(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"ResourceNotFoundException", "AccessDeniedException", "UnrecognizedClientException", "InvalidSignatureException", "ValidationException",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			db, outbox := openOutbox(t, dynastay.Options{})
			db.Faults.Inject(dyntest.Fail(code), dyntest.When{})
			for name, write := range map[string]func() error{
				"plain": func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err },
				"keyed": func() error {
					_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
					return err
				},
				"update": func() error { _, err := outbox.Update(ctx, keyOf("m"), increment); return err },
				"batch": func() error {
					return db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) {
						yield(outboxTable, outboxTable.Key.Of(keyOf("m")))
					})
				},
			} {
				err := write()
				assert.ErrorIs(t, err, dynastay.ErrRejected, name)
				assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
				var api smithy.APIError
				require.ErrorAs(t, err, &api, name)
				assert.Equal(t, code, api.ErrorCode(), name)
			}
		})
	}
}

// A missing idempotency table is detected by the first write with a key, and nothing is in doubt.
func TestMissingTableOfRecords(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(outboxTable))
	outbox := entity.NewTable(db.DB, messageEntity)
	_, err := outbox.Create(t.Context(), &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	assert.ErrorIs(t, err, dynastay.ErrRejected)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}

// Without credentials a request never leaves, so nothing can have been written.
func TestUnsentIsNotUnknown(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	noCredentials := errors.New("no credentials here")
	unsigned := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, noCredentials }),
	})
	nobody := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"), // the discard port: nothing listens
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		}),
	})
	for name, client := range map[string]*dynamodb.Client{"unsigned": unsigned, "nobody listens": nobody} {
		box := entity.NewTable(dynastay.Open(client, brief), messageEntity)
		_, err := box.Create(ctx, &message{ID: "m"})
		assert.ErrorIs(t, err, dynastay.ErrUnavailable, name)
		assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown, name)
	}
	_, err := entity.NewTable(dynastay.Open(unsigned, brief), messageEntity).Create(ctx, &message{ID: "m"})
	assert.ErrorContains(t, err, "no credentials here")

	// The context ends while the request is signed: the caller gave up, and DynamoDB is not the cause.
	ending, cancel := context.WithCancel(ctx)
	left := dynamodb.New(dynamodb.Options{
		Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:9"),
		Credentials: aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
			cancel()
			return aws.Credentials{}, ctx.Err()
		}),
	})
	_, err = entity.NewTable(dynastay.Open(left, nil), messageEntity).Create(ending, &message{ID: "m"})
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, dynastay.ErrUnavailable)
	assert.NotErrorIs(t, err, dynastay.ErrOutcomeUnknown)
}

// A record of a later version of the library cannot be compared. The key is not refused because of that.
func TestRecordOfAnotherForm(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m", Text: "first"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "another"}, dynastay.IdempotencyKey("k"))
	require.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	at, err := keys.Of(keys.IdempotencyRecord{Key: "k"})
	require.NoError(t, err)
	stored, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
	require.NoError(t, err)
	record := stored.Item()
	record["Hash"] = dynastay.Text("v0:" + stored.Text("Hash")[3:])
	_, err = db.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(db.TableName(keys.MetadataTable)), Item: record})
	require.NoError(t, err)
	got, err := outbox.Create(ctx, &message{ID: "m", Text: "another"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	assert.Equal(t, "first", got.Text)
}

// The record is the item that other software finds by the key.
func TestRecordAsStored(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	_, err := outbox.Create(ctx, &message{ID: "m"}, dynastay.IdempotencyKey("k"))
	require.NoError(t, err)
	at := dynastay.Key{PK: "IDEMPOTENCY#k", SK: "METADATA"}
	stored, err := db.Get(ctx, keys.MetadataTable, at, dynastay.Consistent)
	require.NoError(t, err)
	record := stored.Item()
	assert.Regexp(t, "^v2:[0-9a-f]{64}$", stored.Text("Hash"))
	assert.Equal(t, dynastay.Item{
		"PK": dynastay.Text(at.PK), "SK": dynastay.Text(at.SK), "EntityType": dynastay.Text("Idempotency"), "Hash": record["Hash"],
		"Made": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberM{Value: dynastay.Item{
			"PK": dynastay.Text("m"), "SK": dynastay.Text(""),
		}}}},
		"CreatedAt": dynastay.Instant(fixture.Now), "ExpiresAt": dynastay.Number(int(fixture.Now.AddDate(0, 0, 30).Unix())),
	}, record)

	// Without a readable expiry it is valid forever.
	for _, end := range []types.AttributeValue{nil, dynastay.Text("never"), &types.AttributeValueMemberN{Value: "1.5"}} {
		if delete(record, "ExpiresAt"); end != nil {
			record["ExpiresAt"] = end
		}
		_, err = db.Client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(db.TableName(keys.MetadataTable)), Item: record})
		require.NoError(t, err)
		made, err := db.MadeBy(ctx, dynastay.IdempotencyKey("k"))
		require.NoError(t, err)
		assert.Equal(t, []map[string]string{{"PK": "m", "SK": ""}}, made)
	}
}

// A key is compared by its operations and their items, not only by the values.
func TestKeyTellsWritesApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	for _, id := range []string{"m", "n"} {
		_, err := outbox.Create(ctx, &message{ID: id})
		require.NoError(t, err)
	}
	rename := func(id string) dynastay.Part {
		return outbox.UpdateOp(keyOf(id), func(m *message) error { m.Text = "a"; return nil }, dynastay.AgreedOn("a"))
	}
	key := dynastay.IdempotencyKey("update")
	require.NoError(t, db.Write(ctx, rename("m"), key))
	assert.ErrorIs(t, db.Write(ctx, rename("n"), key), dynastay.ErrIdempotencyMismatch, "another item")
	key = dynastay.IdempotencyKey("put")
	_, err := outbox.Create(ctx, &message{ID: "o"}, key)
	require.NoError(t, err)
	_, err = outbox.Put(ctx, &message{ID: "o"}, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, "another operation")
}

// A key is remembered for exactly thirty days.
func TestRecordLivesThirtyDays(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, outboxTables, dyntest.At(fixture.Now))
	outbox := entity.NewTable(db.DB, messageEntity)
	key := dynastay.IdempotencyKey("k")
	_, err := outbox.Create(ctx, &message{ID: "m"}, key)
	require.NoError(t, err)
	db.Clock.Advance(30*24*time.Hour - time.Second)
	made, err := db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.NotNil(t, made)
	_, err = outbox.Create(ctx, &message{ID: "m", Text: "another"}, key)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	db.Clock.Advance(time.Second)
	made, err = db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.Nil(t, made)
	_, err = outbox.Create(ctx, &message{ID: "n"}, key)
	require.NoError(t, err, "DynamoDB may keep the expired record for days")
	made, err = db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{"PK": "n", "SK": ""}}, made)
}

// Every read on which a decision is based is consistent. Local engines always read consistently, so the test checks the
// request.
func TestReadsThatDecideAreConsistent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, outbox := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 1)
	repo := bookings.New(db.DB, nil)
	request := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	key := dynastay.IdempotencyKey("k")
	made, err := repo.Create(ctx, request, key)
	require.NoError(t, err)
	_, err = outbox.Create(ctx, &message{ID: "m"})
	require.NoError(t, err)
	lose := func(operation string) {
		db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: operation, Nth: 1, EveryAttempt: true})
	}
	short := db.Open(brief)
	for name, test := range map[string]struct {
		reads int
		call  func() error
	}{
		"before an update": {1, func() error { _, err := outbox.Update(ctx, keyOf("m"), increment); return err }},
		"after a lost answer to an update": {2, func() error {
			lose("UpdateItem")
			_, err := outbox.Update(ctx, keyOf("m"), increment)
			return err
		}},
		"after a lost answer to a transaction": {1, func() error {
			lose("TransactWriteItems")
			box := entity.NewTable(short, messageEntity)
			return short.Write(ctx, box.PutOp(&message{ID: "x"}), box.PutOp(&message{ID: "y"}))
		}},
		"after a lost answer under a key": {2, func() error { // the record, and the result
			lose("TransactWriteItems")
			_, err := entity.NewTable(short, messageEntity).Create(ctx, &message{ID: "z"}, dynastay.IdempotencyKey("z"))
			return err
		}},
		"after a refusal behind a lost answer": {1, func() error {
			db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
			err := db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.PutOp(&message{ID: "n"}))
			assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
			return nil
		}},
		"an update and its repetition": {3, func() error { // before it, before the repetition, and the result
			for range 2 {
				op := outbox.UpdateOp(keyOf("m"), func(m *message) error { m.Text = "u"; return nil }, dynastay.AgreedOn("u"))
				if err := db.Write(ctx, op, dynastay.IdempotencyKey("u")); err != nil {
					return err
				}
			}
			return nil
		}},
		"what a key made":      {1, func() error { _, err := db.MadeBy(ctx, key); return err }},
		"the booking of a key": {2, func() error { _, err := repo.MadeBy(ctx, key); return err }},
		"a replay":             {1, func() error { _, err := repo.Create(ctx, request, key); return err }},
		"the record after a refusal, and the nights": {2, func() error {
			_, err := repo.Create(ctx, request, dynastay.IdempotencyKey("other"))
			var refused *bookings.Refused
			assert.ErrorAs(t, err, &refused)
			return nil
		}},
	} {
		stop := db.Faults.Record()
		require.NoError(t, test.call(), name)
		reads := 0
		for _, r := range stop() {
			if r.Operation != "GetItem" && r.Operation != "Query" {
				continue
			}
			reads++
			var body struct{ ConsistentRead bool }
			require.NoError(t, json.Unmarshal(r.Body, &body))
			assert.True(t, body.ConsistentRead, "%s: %s", name, r.Body)
		}
		assert.Equal(t, test.reads, reads, name)
	}
	stop := db.Faults.Record()
	_, err = repo.Cancel(ctx, made.ID, "")
	require.NoError(t, err)
	assert.Contains(t, string(stop()[0].Body), `"ConsistentRead":true`, "a cancellation")
}

// The reason of an engine that returns a failed condition together with an error that a retry cannot fix.
func TestVerdictsOfCancellations(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	for name, test := range map[string]struct {
		codes []string
		want  error
	}{
		"a condition and a permanent reason":  {[]string{"ConditionalCheckFailed", "ValidationError"}, dynastay.ErrAlreadyExists},
		"a permanent reason and a condition":  {[]string{"ValidationError", "ConditionalCheckFailed"}, dynastay.ErrAlreadyExists},
		"a permanent reason and a conflict":   {[]string{"ItemCollectionSizeLimitExceeded", "TransactionConflict"}, dynastay.ErrRejected},
		"a conflict and a permanent reason":   {[]string{"TransactionConflict", "ValidationError"}, dynastay.ErrRejected},
		"throttling and a permanent reason":   {[]string{"ThrottlingError", "ValidationError"}, dynastay.ErrRejected},
		"a condition and a conflict":          {[]string{"TransactionConflict", "ConditionalCheckFailed"}, dynastay.ErrAlreadyExists},
		"a conflict and throttling":           {[]string{"TransactionConflict", "ProvisionedThroughputExceeded"}, dynastay.ErrContention},
		"throttling and a conflict":           {[]string{"ThrottlingError", "TransactionConflict"}, dynastay.ErrContention},
		"no reason at all":                    {[]string{"None", "None"}, dynastay.ErrRejected},
		"the one capacity that is exceeded":   {[]string{"None", "ProvisionedThroughputExceeded"}, dynastay.ErrThrottled},
		"no code beside a conflict":           {[]string{"", "TransactionConflict"}, dynastay.ErrContention},
		"a reason for no action":              {[]string{"None", "None", "ConditionalCheckFailed"}, dynastay.ErrRejected},
		"an item that is too large, no other": {[]string{"ValidationError", "None"}, dynastay.ErrRejected},
	} {
		t.Run(name, func(t *testing.T) {
			client := &faulty{Client: db.Client, errs: []error{cancelled(test.codes...), cancelled(test.codes...)}}
			mine := dynastay.Open(client, &dynastay.Options{TablePrefix: prefix(db), Retry: dynastay.Retry{Attempts: 2, Base: time.Millisecond}})
			table := entity.NewTable(mine, messageEntity)
			err := mine.Write(ctx, table.CreateOp(&message{ID: "a"}), table.CreateOp(&message{ID: "b"}))
			assert.ErrorIs(t, err, test.want)
			if test.want != dynastay.ErrAlreadyExists {
				var reasons *types.TransactionCanceledException
				assert.ErrorAs(t, err, &reasons)
			}
		})
	}
}

package dynaotel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/entity/stream/consumer"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/keys/venuekeys"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
	"github.com/dynastay/dynastay/users"
)

// The status of an operation is an error if whoever runs the service wants to know.
func TestSpanOfAnOperation(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		class  string
		status codes.Code
	}{
		{nil, "", codes.Unset},
		{&dynastay.Error{Err: &availability.Refused{}}, "*availability.Refused", codes.Unset},
		{dynastay.Invalid("Email", "must not be anna@example.com"), "dynastay.ErrInvalid", codes.Unset},
		{&dynastay.Error{Entity: "User", ID: "anna@example.com", Kind: dynastay.ErrNotFound}, "dynastay.ErrNotFound", codes.Unset},
		{&dynastay.Error{Kind: dynastay.ErrContention}, "dynastay.ErrContention", codes.Error},
		{errors.New("anna@example.com"), "_OTHER", codes.Error},
	} {
		observer, saw := observe(t, dynaotel.Options{})
		ctx, end := observer.Begin(t.Context(), "properties.BySlug")
		observer.Request(ctx, dynastay.Call{Operation: "Query", Verdict: dynastay.Done, Attempt: 1, Duration: time.Hour})
		end(dynastay.Ended{
			Requests: 3, Retries: 2, ReadUnits: 1.5, WriteUnits: 2, Conflicts: 4, Throttled: 5, Lost: 6, Settled: dynastay.SettledByRead, Err: c.err,
			Waits: []dynastay.Wait{{Ref: dynastay.Ref{Table: "Users", Key: dynastay.Key{PK: "anna@example.com"}}, Duration: 1500 * time.Millisecond}},
		})
		spans := saw.all()
		require.Len(t, spans, 2)
		request, operation := spans[0], spans[1]
		assert.Equal(t, operation.SpanContext.SpanID(), request.Parent.SpanID())
		assert.InDelta(t, time.Hour, request.EndTime.Sub(request.StartTime), float64(time.Second), "it began when it was sent")
		assert.Equal(t, "properties.BySlug", operation.Name)
		assert.Equal(t, trace.SpanKindInternal, operation.SpanKind)
		assert.Equal(t, c.status, operation.Status.Code)
		assert.Empty(t, operation.Status.Description)
		want := []attribute.KeyValue{
			attribute.String("dynastay.operation", "properties.BySlug"), attribute.String("dynastay.pattern", "P8"),
			attribute.Int("dynastay.requests", 3), attribute.Int("dynastay.retries", 2),
			attribute.Float64("dynastay.read_units", 1.5), attribute.Float64("dynastay.write_units", 2),
			attribute.Int("dynastay.conflicts", 4), attribute.Int("dynastay.throttled", 5), attribute.Int("dynastay.lost", 6),
			attribute.String("dynastay.settled", "read"),
			attribute.StringSlice("dynastay.gate.tables", []string{"Users"}), attribute.Float64Slice("dynastay.gate.waits", []float64{1.5}),
		}
		if c.class != "" {
			want = append(want, attribute.String("error.type", c.class))
		}
		assert.ElementsMatch(t, want, operation.Attributes)
	}
}

// A trace that is not sampled has no spans, and is measured all the same.
func TestTraceThatIsNotSampled(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewInMemoryExporter()
	_, saw := observe(t, dynaotel.Options{})
	observer, err := dynaotel.New(dynaotel.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans), sdktrace.WithSampler(sdktrace.NeverSample())),
		MeterProvider:  saw.meters,
	})
	require.NoError(t, err)
	ctx, end := observer.Begin(t.Context(), "users.Get")
	observer.Request(ctx, dynastay.Call{Operation: "GetItem", Verdict: dynastay.Done, Attempt: 1})
	end(dynastay.Ended{Err: dynastay.ErrThrottled})
	assert.Empty(t, spans.GetSpans())
	assert.Equal(t, 1.0, saw.sum("dynastay.requests"))
}

func handleOne(t *testing.T, observer *dynaotel.Observer) {
	t.Helper()
	handle := observer.Records(func(context.Context, stream.Record) error { return nil }, nil)
	require.NoError(t, handle(t.Context(), stream.Record{Table: "Users", At: time.Now()}))
}

// The span of a write and that of a record in the stream have the same write, whatever the attribute is called in which the
// items have their write id.
func TestRecordsHaveTheirWrite(t *testing.T) {
	t.Parallel()
	observer, saw := observe(t, dynaotel.Options{})
	db := dyntest.New(t, append(streamtest.Tables(keys.UsersTable, keys.MetadataTable), dyntest.At(fixture.Now))...)
	opened := db.Open(&dynastay.Options{Observer: observer})
	repo := users.New(opened, nil)
	made, err := repo.Create(t.Context(), users.User{Email: "anna@example.com", FirstName: "Anna", LastName: "Berg", Role: users.Customer})
	require.NoError(t, err)
	_, err = repo.Update(t.Context(), made.ID, func(u *users.User) error { u.FirstName = "Anne"; return nil })
	require.NoError(t, err)
	writes := map[string]bool{}
	for _, s := range saw.kind(trace.SpanKindClient) {
		if write := s.text("dynastay.write"); write != "" {
			writes[write] = true
		}
	}
	assert.GreaterOrEqual(t, len(writes), 2)

	saw.spans.Reset()
	broken := errors.New("anna@example.com")
	router := stream.NewRouter(stream.OnItems(opened, keys.UsersTable, observer.Records(func(ctx context.Context, r stream.Record) error {
		if _, err := repo.Get(ctx, made.ID); err != nil {
			return err
		}
		if r.Old.Exists() {
			return broken
		}
		return nil
	}, keys.UsersTable)))
	records := streamtest.Records(t, db, keys.UsersTable)
	require.NotEmpty(t, records)
	failed := 0
	for _, r := range records {
		if err := router.Handle(t.Context(), r); err != nil {
			require.ErrorIs(t, err, broken)
			failed++
		}
	}
	require.Positive(t, failed)
	handled := saw.kind(trace.SpanKindConsumer)
	require.Len(t, handled, len(records))
	seen := map[string]bool{}
	for i, s := range handled {
		assert.Equal(t, "process "+db.TableName(keys.UsersTable), s.Name)
		assert.Equal(t, records[i].ID(), s.text("dynastay.record"))
		assert.Equal(t, records[i].Old.Exists(), s.Status.Code == codes.Error)
		if write := s.text("dynastay.write"); write != "" {
			seen[write] = true
		} else { // such as the guard of an e-mail address
			assert.True(t, records[i].New.Value(keys.UsersTable.WriteIDName()).IsNull(), "%s has a write id", records[i])
		}
	}
	assert.Equal(t, writes, seen)
	for _, s := range saw.kind(trace.SpanKindInternal) {
		assert.True(t, s.Parent.IsValid(), "what a handler does is in the span of its record")
	}
	assert.EqualValues(t, len(records), saw.sum("dynastay.record.duration"))
	assert.EqualValues(t, failed, saw.by("dynastay.record.duration", "error.type")["_OTHER"])

	// Items of other tables have their write id elsewhere.
	id, err := dynastay.WriteID("0123456789abcdef").MarshalDynamoDBAttributeValue()
	require.NoError(t, err)
	assert.NotEqual(t, keys.UsersTable.WriteIDName(), venuekeys.Table.WriteIDName())
	saw.spans.Reset()
	record := stream.Record{Table: "Venue", New: dynastay.RowOf(dynastay.Item{venuekeys.Table.WriteIDName(): id})}
	for _, schema := range []*dynastay.Schema{venuekeys.Table, nil} {
		require.NoError(t, observer.Records(func(context.Context, stream.Record) error { return nil }, schema)(t.Context(), record))
	}
	assert.Equal(t, "01234567", saw.all()[0].text("dynastay.write"))
	assert.Empty(t, saw.all()[1].text("dynastay.write"))
}

// What the page shows: a consumer whose records are seen, and the job that tells what only the application knows.
func TestConsumerIsSeen(t *testing.T) {
	t.Parallel()
	observer, saw := observe(t, dynaotel.Options{})
	db := dyntest.New(t, dyntest.Streams(), dyntest.At(fixture.Now))
	broken := errors.New("broken")
	handled := 0
	router := stream.NewRouter(
		stream.OnItems(db.DB, keys.BookingsTable, func(context.Context, stream.Record) error { handled++; return nil }),
		stream.OnItems(db.DB, keys.UsersTable, func(context.Context, stream.Record) error { return broken }),
	)
	spec := consume(db.DB, observer, router, func(context.Context, stream.Record, error) error { return nil })
	booked, user := stream.Record{Table: db.TableName(keys.BookingsTable)}, stream.Record{Table: db.TableName(keys.UsersTable)}
	require.NoError(t, spec.Router.Handle(t.Context(), booked))
	require.ErrorIs(t, spec.Router.Handle(t.Context(), user), broken)
	require.NoError(t, spec.DeadLetter(t.Context(), user, broken))
	assert.Equal(t, 1, handled)
	assert.Len(t, saw.kind(trace.SpanKindConsumer), 2)
	assert.Equal(t, 1.0, saw.sum("DeadLetters"))

	require.NoError(t, tell(t.Context(), observer, consumer.New(db.DB, db.Streams, spec), func(context.Context) (int, error) { return 7, nil }))
	assert.Equal(t, 7.0, saw.sum("OverdueHolds"))
	observer.Behind(20 * time.Minute)
	assert.Equal(t, (20 * time.Minute).Seconds(), saw.sum("OldestRecordAge"))
}

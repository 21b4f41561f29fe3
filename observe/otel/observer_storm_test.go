package dynaotel_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
	"github.com/dynastay/dynastay/properties"
)

// In a storm of faults, with several callers at the same time, spans and metrics have exactly what was sent: every request is
// in one span, in that of the operation which sent it, and the units of spans, of metrics and of the answers are the same.
func TestStormIsSeenAsItWas(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		noGates bool
		parts   bool // holds, which end as parts of one operation
	}{
		"gates":    {false, false},
		"no gates": {true, false},
		"parts":    {false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, dyntest.At(fixture.Now))
			hotel := fixture.New(t, db.Direct, 30)
			ask := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
			observer, saw := observe(t, dynaotel.Options{Development: true})
			opened := db.Open(&dynastay.Options{
				Observer: observer, NoGates: test.noGates, Retry: dynastay.Retry{Attempts: 3, Base: time.Millisecond, Cap: 2 * time.Millisecond},
			})
			if test.noGates {
				db.Faults.Conflicts(time.Millisecond)
			}
			for nth, fault := range []dyntest.Fault{dyntest.Conflict(), dyntest.Throttle(), dyntest.LoseRequest()} { // each at least once
				db.Faults.Inject(fault, dyntest.When{Operation: "TransactWriteItems", Nth: 2 + 3*nth})
			}
			storm := db.Faults.Inject(dyntest.AnyOf(), dyntest.When{Chance: 0.25})
			stop := db.Faults.Record()
			spent := db.Measure(func() { stay(t, db, opened, hotel, ask, test.parts) })
			requests := stop()
			require.Positive(t, storm.Hits())
			require.Greater(t, spent.Requests, 50)

			w := wire{strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name), spent, requests}
			w.sameRequests(t, saw)
			w.sameUnits(t, saw)
			w.sameAnswers(t, saw)
			sameTree(t, saw, test.parts)
			sameCounts(t, saw)
			withoutPersonalData(t, saw)
		})
	}
}

// stay lets several guests book, look and cancel at the same time.
func stay(t *testing.T, db *dyntest.DB, opened *dynastay.DB, hotel fixture.Hotel, ask bookings.Request, parts bool) {
	t.Helper()
	repo, props := bookings.New(opened, nil), properties.New(opened, nil)
	ctx := t.Context()
	var wg sync.WaitGroup
	for caller := range 4 {
		wg.Go(func() {
			for n := range 4 {
				mine := ask
				mine.UserID = fmt.Sprintf("guest-%d-%d", caller, n)
				if parts {
					mine.Hold = 10 * time.Minute
				}
				_, err := props.Get(ctx, hotel.ID)
				known(t, err)
				made, failed := repo.Create(ctx, mine, dynastay.IdempotencyKey(mine.UserID))
				known(t, failed)
				_, err = repo.ByUser(mine.UserID).Page(ctx, dynastay.Paging{})
				known(t, err)
				if failed == nil && !parts {
					_, err = repo.Cancel(ctx, made.ID, "plans changed", nil)
					known(t, err)
				}
			}
		})
	}
	wg.Wait()
	if parts {
		db.Clock.Advance(time.Hour)
		_, err := repo.ExpireHolds(ctx)
		known(t, err)
	}
}

// known accepts what a storm may lead to.
func known(t *testing.T, err error) {
	for _, kind := range []error{
		dynastay.ErrContention, dynastay.ErrThrottled, dynastay.ErrUnavailable, dynastay.ErrOutcomeUnknown, dynastay.ErrCommitted,
		dynastay.ErrRefused, dynastay.ErrRejected,
	} {
		if errors.Is(err, kind) {
			return
		}
	}
	assert.NoError(t, err)
}

// wire is what was sent, and what was answered.
type wire struct {
	prefix   string // of the tables
	spent    *dyntest.Spent
	requests []dyntest.Request
}

// sameRequests: each request was sent with the context of an operation, whose span has as many spans of such requests in it as
// were sent.
func (w wire) sameRequests(t *testing.T, saw *seen) {
	t.Helper()
	type in struct {
		operation trace.SpanID
		name      string
	}
	sent, reported := map[in]int{}, map[in]int{}
	for _, r := range w.requests {
		operation := trace.SpanContextFromContext(r.Context)
		assert.True(t, operation.IsValid(), "a %s was sent without an operation", r.Operation)
		sent[in{operation.SpanID(), r.Operation}]++
	}
	for _, s := range saw.kind(trace.SpanKindClient) {
		reported[in{s.Parent.SpanID(), s.text("db.operation.name")}] += 1 + s.int("dynastay.sdk_retries")
	}
	assert.Equal(t, sent, reported)
	assert.Len(t, w.requests, w.spent.Requests)
	assert.EqualValues(t, w.spent.Requests, saw.sum("dynastay.requests"))
	assert.EqualValues(t, len(saw.kind(trace.SpanKindClient)), saw.sum("db.client.operation.duration"))
}

// sameUnits: the units by table and index are those of the answers.
func (w wire) sameUnits(t *testing.T, saw *seen) {
	t.Helper()
	answered, spans := map[string]float64{}, map[string]float64{}
	for _, c := range w.spent.Calls {
		for _, u := range c.Usage {
			place := w.prefix + u.Table + " " + u.Index
			answered[place+" read"] += u.ReadUnits
			answered[place+" write"] += u.WriteUnits
		}
	}
	var reads, writes float64
	for _, s := range saw.kind(trace.SpanKindClient) {
		targets, read, write := s.strings("dynastay.usage.targets"), s.floats("dynastay.usage.read_units"), s.floats("dynastay.usage.write_units")
		require.Len(t, read, len(targets))
		require.Len(t, write, len(targets))
		for i, target := range targets {
			table, index, _ := strings.Cut(target, "/")
			spans[table+" "+index+" read"] += read[i]
			spans[table+" "+index+" write"] += write[i]
			reads, writes = reads+read[i], writes+write[i]
		}
	}
	none := func(_ string, units float64) bool { return units == 0 }
	maps.DeleteFunc(answered, none)
	maps.DeleteFunc(spans, none)
	assert.Equal(t, answered, spans)
	assert.Equal(t, answered, saw.by("dynastay.consumed_units", "dynastay.table", "dynastay.index", "dynastay.direction"))
	assert.Equal(t, w.spent.ReadUnits, reads)
	assert.Equal(t, w.spent.WriteUnits, writes)
}

// sameAnswers: the SDK does not repeat a write, so the codes of spans are those of the answers, one by one.
func (w wire) sameAnswers(t *testing.T, saw *seen) {
	t.Helper()
	answered, spans := map[string]int{}, map[string]int{}
	lost, lostSpans := 0, 0
	for _, c := range w.spent.Calls {
		if c.Operation != "TransactWriteItems" {
			continue
		}
		switch c.Err {
		case dyntest.NoAnswer:
			lost++
			answered[""]++
			continue
		case "InternalServerError", "TransactionInProgressException":
			lost++
		}
		answered[c.Err]++
	}
	for _, s := range saw.kind(trace.SpanKindClient) {
		if s.text("db.operation.name") != "TransactWriteItems" {
			continue
		}
		spans[s.text("db.response.status_code")]++
		if s.text("dynastay.verdict") == string(dynastay.Lost) {
			lostSpans++
		}
	}
	assert.Equal(t, answered, spans)
	assert.Equal(t, lost, lostSpans)
}

// sameTree: a request is the child of an operation, and an operation the child of another one only as a part.
func sameTree(t *testing.T, saw *seen, parts bool) {
	t.Helper()
	operations := map[trace.SpanID]span{}
	for _, s := range saw.kind(trace.SpanKindInternal) {
		operations[s.SpanContext.SpanID()] = s
	}
	nested := 0
	for _, s := range saw.all() {
		outer, inside := operations[s.Parent.SpanID()]
		switch {
		case s.SpanKind == trace.SpanKindClient:
			require.True(t, inside, "%s is in no operation", s.Name)
		case s.Parent.IsValid():
			nested++
			require.True(t, inside)
			assert.Equal(t, "bookings.ExpireHolds", outer.Name)
			assert.False(t, outer.Parent.IsValid())
		}
		if inside {
			assert.Equal(t, outer.SpanContext.TraceID(), s.SpanContext.TraceID())
			assert.False(t, s.StartTime.Before(outer.StartTime.Add(-time.Millisecond)), "%s began before %s", s.Name, outer.Name)
			assert.False(t, s.EndTime.After(outer.EndTime), "%s ended after %s", s.Name, outer.Name)
		}
	}
	assert.Equal(t, parts, nested > 0)
}

// sameCounts: what the outermost operations have counted is what the spans of requests and the metrics have.
func sameCounts(t *testing.T, saw *seen) {
	t.Helper()
	sums, verdicts, failures := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, s := range saw.kind(trace.SpanKindInternal) {
		failures[s.Name+" "+s.text("error.type")]++
		if s.Parent.IsValid() {
			continue
		}
		for _, name := range []string{"requests", "retries", "conflicts", "throttled", "lost"} {
			sums[name] += float64(s.int("dynastay." + name))
		}
		for _, name := range []string{"read_units", "write_units"} {
			sums[name] += s.float("dynastay." + name)
		}
	}
	throttles := 0
	for _, s := range saw.kind(trace.SpanKindClient) {
		verdict := s.text("dynastay.verdict")
		verdicts[verdict]++
		failed := verdict != string(dynastay.Done) && verdict != string(dynastay.Refused)
		assert.Equal(t, failed, s.Status.Code == codes.Error, verdict)
		assert.Equal(t, failed, s.text("error.type") != "", verdict)
		assert.Empty(t, s.Status.Description)
		met := len(s.strings("dynastay.throttle.reasons"))
		if met == 0 && verdict == string(dynastay.Throttled) {
			met = 1 // DynamoDB does not say what was throttled
		}
		throttles += met
	}
	assert.Equal(t, verdicts["conflict"], sums["conflicts"])
	assert.Equal(t, verdicts["throttled"], sums["throttled"])
	assert.Equal(t, verdicts["lost"], sums["lost"])
	assert.Positive(t, sums["conflicts"])
	assert.Positive(t, sums["lost"])
	assert.Positive(t, throttles)
	assert.Equal(t, sums["conflicts"], saw.sum("dynastay.conflicts"))
	assert.Equal(t, sums["lost"], saw.sum("dynastay.lost_answers"))
	assert.EqualValues(t, throttles, saw.sum("dynastay.throttles"))
	assert.Equal(t, sums["requests"], saw.sum("dynastay.requests"))
	assert.Equal(t, sums["retries"], saw.sum("dynastay.retries"))
	units := saw.by("dynastay.consumed_units", "dynastay.direction")
	assert.Equal(t, sums["read_units"], units["read"])
	assert.Equal(t, sums["write_units"], units["write"])
	assert.Equal(t, failures, saw.by("dynastay.operation.duration", "dynastay.operation", "error.type"))
}

// withoutPersonalData: nothing about the guest is in a span or a metric, nor an id of a booking in a metric.
func withoutPersonalData(t *testing.T, saw *seen) {
	t.Helper()
	for _, s := range saw.all() {
		texts := []string{s.Name, s.Status.Description}
		for _, a := range s.Attributes {
			switch {
			case a.Key == "dynastay.write": // random text, in which anything may occur
				assert.Regexp(t, `^[A-Za-z0-9_-]{8}$`, a.Value.AsString())
			case a.Value.Type() == attribute.STRING || a.Value.Type() == attribute.STRINGSLICE:
				texts = append(texts, a.Value.String())
			}
		}
		for _, text := range texts {
			assert.NotRegexp(t, `@|John|Doe|555-|guest-|bkg_|#`, text)
		}
		assert.Empty(t, s.Events)
	}
	for _, m := range dynaotel.Metrics() {
		for _, p := range saw.points(m.Name) {
			for _, a := range p.attributes.ToSlice() {
				if a.Value.Type() == attribute.STRING {
					assert.NotRegexp(t, `@|guest-|bkg_|#`, a.Value.AsString(), m.Name)
				}
			}
		}
	}
}

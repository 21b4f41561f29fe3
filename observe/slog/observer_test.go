package dynaslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	dynaslog "github.com/dynastay/dynastay/observe/slog"
	"github.com/dynastay/dynastay/users"
)

// lines returns what was logged, without times.
func lines(t *testing.T, text *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(text.Bytes()) {
		var one map[string]any
		require.NoError(t, json.Unmarshal(line, &one))
		delete(one, "time")
		all = append(all, one)
	}
	text.Reset()
	return all
}

func TestLines(t *testing.T) {
	t.Parallel()
	second, ref := time.Second, dynastay.Ref{Table: "Availability", Key: dynastay.Key{PK: "ROOM#1", SK: "DATE#2026-01-01"}}
	quick := dynastay.Ended{Duration: 10 * time.Millisecond, Requests: 1}
	with := func(change func(*dynastay.Ended)) dynastay.Ended {
		e := quick
		change(&e)
		return e
	}
	for name, test := range map[string]struct {
		ended dynastay.Ended
		opts  *dynaslog.Options
		level string // "" for no line
		text  string
		more  map[string]any
	}{
		"done":        {quick, nil, "", "", nil},
		"almost slow": {with(func(e *dynastay.Ended) { e.Duration = second - 1 }), nil, "", "", nil},
		"slow":        {with(func(e *dynastay.Ended) { e.Duration = second }), nil, "WARN", "operation was slow", map[string]any{"duration": 1e9}},
		"slow, by option": {
			with(func(e *dynastay.Ended) { e.Duration = 2 * time.Millisecond }), &dynaslog.Options{Slow: 2 * time.Millisecond},
			"WARN", "operation was slow", map[string]any{"duration": 2e6},
		},
		"never slow": {with(func(e *dynastay.Ended) { e.Duration = time.Hour }), &dynaslog.Options{Slow: -1}, "", "", nil},
		"waited": {
			with(func(e *dynastay.Ended) {
				e.Waits = []dynastay.Wait{{Ref: ref, Duration: 40e6}, {Ref: ref, Duration: 60e6}}
			}), nil,
			"WARN", "operation waited for others", map[string]any{"waited": 100e6, "waitedFor": "Availability"},
		},
		"waited a little": {
			with(func(e *dynastay.Ended) { e.Waits = []dynastay.Wait{{Ref: ref, Duration: 99e6}} }), nil, "", "", nil,
		},
		"never waits": {
			with(func(e *dynastay.Ended) { e.Waits = []dynastay.Wait{{Ref: ref, Duration: 2 * second}} }), &dynaslog.Options{Wait: -1}, "", "", nil,
		},
		"retried":   {with(func(e *dynastay.Ended) { e.Retries = 2 }), nil, "WARN", "operation repeated requests", map[string]any{"retries": 2.0}},
		"conflict":  {with(func(e *dynastay.Ended) { e.Conflicts = 1 }), nil, "WARN", "operation repeated requests", map[string]any{"conflicts": 1.0}},
		"throttled": {with(func(e *dynastay.Ended) { e.Throttled = 1 }), nil, "WARN", "operation repeated requests", map[string]any{"throttled": 1.0}},
		"lost": {
			with(func(e *dynastay.Ended) { e.Lost, e.Settled = 1, dynastay.SettledByRead }), nil,
			"WARN", "operation repeated requests", map[string]any{"lost": 1.0, "settled": "read"},
		},
		"failed": {
			with(func(e *dynastay.Ended) { e.Err = &dynastay.Error{Kind: dynastay.ErrThrottled, ID: "ada@example.com"} }), nil,
			"ERROR", "operation failed", map[string]any{"error": "dynastay.ErrThrottled"},
		},
		"an answer": {with(func(e *dynastay.Ended) { e.Err = dynastay.ErrNotFound }), nil, "", "", nil},
		"an answer, by option": {
			with(func(e *dynastay.Ended) { e.Err = dynastay.ErrNotFound }), &dynaslog.Options{Answers: true},
			"INFO", "operation answered with an error", map[string]any{"error": "dynastay.ErrNotFound"},
		},
		"done, with answers": {quick, &dynaslog.Options{Answers: true}, "", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text bytes.Buffer
			o := dynaslog.New(slog.New(slog.NewJSONHandler(&text, nil)), test.opts)
			ctx, end := o.Begin(t.Context(), "properties.BySlug")
			_, endPart := o.Begin(ctx, "a part")
			endPart(dynastay.Ended{Duration: time.Hour, Retries: 3, Err: dynastay.ErrNotFound})
			assert.Empty(t, text.String(), "the operation has what its parts take")
			end(test.ended)
			if test.level == "" {
				assert.Empty(t, text.String())
				return
			}
			want := map[string]any{
				"level": test.level, "msg": test.text, "operation": "properties.BySlug", "pattern": "P8", "duration": 10e6, "requests": 1.0,
				"readUnits": 0.0, "writeUnits": 0.0,
			}
			for name, v := range test.more {
				want[name] = v
			}
			assert.Equal(t, []map[string]any{want}, lines(t, &text))
		})
	}
}

// A part that failed has a line of its own, with the name of its operation: that may go on without it.
func TestLineOfAPart(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	o := dynaslog.New(slog.New(slog.NewJSONHandler(&text, nil)), nil)
	ctx, end := o.Begin(t.Context(), "bookings.ExpireHolds")
	_, endPart := o.Begin(ctx, "bookings.Expire")
	endPart(dynastay.Ended{Requests: 1, Err: errors.New("ada@example.com")})
	end(dynastay.Ended{Requests: 2})
	assert.Equal(t, []map[string]any{{
		"level": "ERROR", "msg": "part of an operation failed", "operation": "bookings.Expire", "within": "bookings.ExpireHolds",
		"error": "_OTHER", "duration": 0.0, "requests": 1.0, "readUnits": 0.0, "writeUnits": 0.0,
	}}, lines(t, &text))
}

type label struct{}

// handler notes whether the handler gets the caller's context.
type handler struct {
	slog.Handler
	seen *any
}

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	*h.seen = ctx.Value(label{})
	return h.Handler.Handle(ctx, r)
}

// A sign-up whose answer was lost is one line, with nothing of the user in it.
func TestLineOfSignUp(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	var seen any
	o := dynaslog.New(slog.New(handler{slog.NewJSONHandler(&text, nil), &seen}), &dynaslog.Options{Answers: true})
	db := dyntest.New(t, dyntest.At(fixture.Now), dyntest.With(dynastay.Options{Observer: o}))
	repo := users.New(db.DB, nil)
	ada := users.User{Email: "ada@example.com", FirstName: "Ada", LastName: "Byron", Role: users.Customer}
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	ctx := context.WithValue(t.Context(), label{}, "caller")
	_, err := repo.Create(ctx, ada)
	require.NoError(t, err)
	assert.Equal(t, "caller", seen)
	_, err = repo.Create(ctx, ada)
	require.ErrorIs(t, err, dynastay.ErrAlreadyExists)
	for _, personal := range []string{"ada", "Ada", "Byron", "example.com", "usr_", "user_"} {
		assert.NotContains(t, text.String(), personal)
	}
	all := lines(t, &text)
	require.Len(t, all, 2)
	assert.Equal(t, "operation repeated requests", all[0]["msg"])
	assert.Equal(t, "users.Create", all[0]["operation"])
	assert.Equal(t, 1.0, all[0]["lost"])
	assert.Equal(t, "retry", all[0]["settled"])
	assert.Equal(t, "operation answered with an error", all[1]["msg"])
	assert.Equal(t, "dynastay.ErrAlreadyExists", all[1]["error"])
}

package report_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/examples/report"
)

func Example() {
	out := report.To(os.Stdout)
	_ = out.Head("dynoxide 1.2.1 on 127.0.0.1:40123", 1, time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC))
	_ = out.Step(context.Background(), "A user signs up", func(ctx context.Context, found *report.Findings) error {
		out.Observe(ctx, dynastay.Call{Operation: "PutItem", Usage: []dynastay.Usage{{Table: "Users", WriteUnits: 2}}})
		found.Add("version %d", 1)
		return nil
	})
	_ = out.Total()
	// Output:
	// dynoxide 1.2.1 on 127.0.0.1:40123
	// Its table is new; the clock stands at 2037-07-01 09:00 UTC.               requests    read   write
	//  1  A user signs up                                                              1       -     2.0
	//     version 1
	//     All of it                                                                    1       -     2.0
}

// What a step has found is printed even if the step failed.
func TestFailedStep(t *testing.T) {
	t.Parallel()
	var printed strings.Builder
	err := report.To(&printed).Step(t.Context(), "A step", func(_ context.Context, found *report.Findings) error {
		found.Add("something")
		return errors.New("sold out")
	})
	require.EqualError(t, err, "step 1: sold out")
	assert.Contains(t, printed.String(), "A step")
	assert.Contains(t, printed.String(), "\n    something\n")
}

// A program has its tables until it has ended, also if it fails.
func TestProgram(t *testing.T) {
	t.Parallel()
	begin := time.Date(2037, 7, 1, 9, 0, 0, 0, time.UTC)
	table := &dynastay.Schema{Name: "Notes", Key: dynastay.KeyNames{Partition: "PK", Sort: "SK"}, TTL: "ttl"}
	other := &dynastay.Schema{Name: "Others", Key: table.Key}
	p := report.Program{
		Name: "notes", Tables: []*dynastay.Schema{table, other},
		Options: dynastay.Options{Idempotency: table, Clock: func() time.Time { return begin }},
	}
	var printed strings.Builder
	var db *dynastay.DB
	note := dynastay.Key{PK: "note_1", SK: "TEXT"}
	err := p.Run(t.Context(), &printed, func(ctx context.Context, out *report.Report, open func() *dynastay.DB) error {
		db = open()
		assert.NotSame(t, db, open())
		assert.Equal(t, begin, db.Now())
		assert.Regexp(t, `^notes-[A-Z2-7]{8}-Notes$`, db.TableName(table))
		assert.NoError(t, out.Step(ctx, "A note is written", func(ctx context.Context, found *report.Findings) error {
			return db.PutAll(ctx, func(yield func(*dynastay.Schema, dynastay.Item) bool) { yield(table, table.Key.Of(note)) })
		}))
		return errors.New("the pencil is broken")
	})
	require.EqualError(t, err, "the pencil is broken")
	assert.Contains(t, printed.String(), "Its 2 tables are new; the clock stands at 2037-07-01 09:00 UTC.")
	assert.Regexp(t, `A note is written +1 +- +1\.0`, printed.String())
	_, err = db.Get(t.Context(), table, note)
	require.Error(t, err, "the table is gone, or the engine")
}

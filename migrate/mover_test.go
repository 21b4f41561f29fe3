package migrate_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/testing/fake"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/migrate"
)

// scanner is a client for a table of pages, each of which consumes 10 units.
type scanner struct {
	fake.Client
	pages int
	sent  int
}

func (s *scanner) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	s.sent++
	out := &dynamodb.ScanOutput{
		ConsumedCapacity: &types.ConsumedCapacity{TableName: aws.String("Properties"), Table: &types.Capacity{CapacityUnits: aws.Float64(10)}},
		Items:            []dynastay.Item{{"PK": dynastay.Text("a"), "SK": dynastay.Text("b")}},
	}
	if s.sent < s.pages {
		out.LastEvaluatedKey = dynastay.Item{"PK": dynastay.Text("a"), "SK": dynastay.Text("b")}
	}
	return out, nil
}

// write answers everything else: a batch consumes 20 units.
func write(r *fake.Request) (any, error) {
	if _, batch := r.In.(*dynamodb.BatchWriteItemInput); !batch {
		return nil, nil
	}
	return &dynamodb.BatchWriteItemOutput{ConsumedCapacity: []types.ConsumedCapacity{{
		TableName: aws.String("Properties"), Table: &types.Capacity{CapacityUnits: aws.Float64(20)},
	}}}, nil
}

// With a rate, a walk takes as long as its units do, those of its function included, and makes up for no time before.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &scanner{Client: fake.Client{Do: write}, pages: 5}
		m := migrate.New(client, migrate.Options{UnitsPerSecond: 2})
		time.Sleep(time.Hour) // nothing is saved up
		began := time.Now()
		var gaps []time.Duration
		report, err := m.Walk(t.Context(), migrate.Walk{
			Name: "all", Table: keys.PropertiesTable, DryRun: true, // which stores no position
			Each: func(ctx context.Context, _ dynastay.Row) (bool, error) {
				gaps = append(gaps, time.Since(began))
				return false, nil
			},
		})
		require.NoError(t, err)
		assert.Equal(t, 5, report.Walked)
		assert.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 25 * time.Second}, gaps)
		assert.Equal(t, migrate.Units{Read: 50}, m.Consumed())

		items := func(yield func(*dynastay.Schema, dynastay.Item) bool) {
			yield(keys.PropertiesTable, dynastay.Item{"PK": dynastay.Text("a"), "SK": dynastay.Text("b")})
		}
		time.Sleep(time.Hour)
		require.NoError(t, m.DB.PutAll(t.Context(), items))
		assert.Equal(t, migrate.Units{Read: 50, Written: 20}, m.Consumed())
		client.sent, began, gaps = 4, time.Now(), nil
		w := migrate.Walk{
			Name: "all", Table: keys.PropertiesTable, DryRun: true,
			Each: func(context.Context, dynastay.Row) (bool, error) {
				gaps = append(gaps, time.Since(began))
				return false, nil
			},
		}
		_, err = m.Walk(t.Context(), w)
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{15 * time.Second}, gaps, "for what was written, and the page")

		require.NoError(t, m.DB.PutAll(t.Context(), items))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = m.Walk(ctx, w)
		require.ErrorIs(t, err, context.DeadlineExceeded, "while it waits")
	})
}

// A walk stops when its budget is consumed. The next one goes on with the next item, also if a page costs more than the budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	for _, page := range []int{7, 1000} {
		h := newHouse(t, 20)
		var report migrate.Report
		runs := 0
		for ; !report.Done(); runs++ {
			require.Less(t, runs, 1000)
			m := h.mover(migrate.Options{Units: 5})
			w := adopting(m)
			w.Segments, w.Page = 1, page
			before := report.Walked
			var err error
			if report, err = m.Walk(t.Context(), w); err != nil {
				require.ErrorIs(t, err, migrate.ErrBudget)
				require.Greater(t, report.Walked, before)
				spent := m.Consumed()
				assert.GreaterOrEqual(t, spent.Read+spent.Written, 5.0)
				assert.Less(t, spent.Read+spent.Written, 60.0, "the page, and one adoption of 44 units")
				stop := h.Faults.Record()
				_, err = m.Walk(t.Context(), w)
				require.ErrorIs(t, err, migrate.ErrBudget)
				assert.Empty(t, stop(), "it is used up")
			}
		}
		assert.GreaterOrEqual(t, runs, 20, "an adoption costs more than the budget")
		assert.Equal(t, 20, report.Changed)
		assert.Zero(t, h.foreign(t))
	}
}

// A line that stops a load does not break off those that were begun before, which would then be done, but not count.
func TestLoadFinishesWhatItHasBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := migrate.New(&scanner{Client: fake.Client{Do: write}}, migrate.Options{})
		type note struct{ ID string }
		broken, first, finished := errors.New("the disk is full"), make(chan struct{}), false
		lines := migrate.LinesOf("notes", func(*note) ([]string, error) { return nil, nil }, func(ctx context.Context, n *note) (bool, error) {
			if n.ID == "2" {
				<-first
				return false, broken
			}
			close(first)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second): // in which everything else is done
				finished = true
			}
			return true, nil
		})
		_, err := m.Load(t.Context(), migrate.Load{Name: "notes", Lines: lines, Open: text(`{"ID": "1"}`, `{"ID": "2"}`)})
		require.ErrorIs(t, err, broken)
		assert.True(t, finished)
	})
}

package dynastay_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// seen is what a test compares of a call: each table and index that the request named, and whether it was charged.
type seen struct {
	operation string
	usage     map[[2]string]bool
	failed    bool
}

// The observer is told of every write under its own name, with each of its tables once, whether it was done or refused.
func TestObserverSeesWrites(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var calls []seen
	db, outbox := openOutbox(t, dynastay.Options{Observer: dynastay.RequestObserver(func(_ context.Context, c dynastay.Call) {
		call := seen{c.Operation, map[[2]string]bool{}, c.Err != nil}
		for _, u := range c.Usage {
			assert.NotContains(t, call.usage, [2]string{u.Table, u.Index})
			call.usage[[2]string{u.Table, u.Index}] = u.ReadUnits+u.WriteUnits > 0
		}
		assert.Len(t, c.Usage, len(call.usage))
		calls = append(calls, call)
	})})
	box, records := [2]string{prefix(db) + "Outbox", ""}, [2]string{prefix(db) + "Metadata", ""}
	touch := func(m *message) error { m.Sent++; return nil }
	meddle := func(m *message) error {
		_, err := entity.NewTable(db.Direct, messageEntity).Update(ctx, keyOf("m"), touch)
		require.NoError(t, err)
		return touch(m)
	}
	version := dynastay.IfVersion(2)
	for _, step := range []struct {
		write func() error
		want  []seen
	}{
		{func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err }, []seen{{"PutItem", map[[2]string]bool{box: true}, false}}},
		{func() error { _, err := outbox.Create(ctx, &message{ID: "m"}); return err }, []seen{{"PutItem", map[[2]string]bool{box: false}, true}}},
		{func() error { _, err := outbox.Update(ctx, keyOf("m"), touch); return err }, []seen{
			{"GetItem", map[[2]string]bool{box: true}, false}, {"UpdateItem", map[[2]string]bool{box: true}, false},
		}},
		{func() error { _, err := outbox.Update(ctx, keyOf("m"), meddle, version); return err }, []seen{
			{"GetItem", map[[2]string]bool{box: true}, false}, {"UpdateItem", map[[2]string]bool{box: false}, true},
		}},
		{func() error { return outbox.Delete(ctx, keyOf("m"), version) }, []seen{{"DeleteItem", map[[2]string]bool{box: false}, true}}},
		{func() error { return outbox.Delete(ctx, keyOf("m")) }, []seen{{"DeleteItem", map[[2]string]bool{box: true}, false}}},
		{func() error {
			return db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "n"}), dynastay.IdempotencyKey("k"))
		}, []seen{{"TransactWriteItems", map[[2]string]bool{box: true, records: true}, false}}},
		{func() error {
			return db.Write(ctx, outbox.CreateOp(&message{ID: "m"}), outbox.CreateOp(&message{ID: "n"}))
		}, []seen{
			{"TransactWriteItems", map[[2]string]bool{box: false}, true},
		}},
	} {
		calls = nil
		err := step.write()
		assert.Equal(t, step.want, calls)
		assert.Equal(t, calls[len(calls)-1].failed, err != nil)
	}
}

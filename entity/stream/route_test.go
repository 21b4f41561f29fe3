package stream_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
)

// calls notes which functions were called, and returns the error that is set for one of them.
type calls struct {
	names  []string
	failed map[string]error
}

func (c *calls) note(name string) error {
	c.names = append(c.names, name)
	return c.failed[name]
}

func (c *calls) on(name string) stream.Route {
	return stream.On(messageChanges, func(context.Context, stream.Change[message]) error { return c.note(name) })
}

func (c *calls) record(name string) func(context.Context, stream.Record) error {
	return func(context.Context, stream.Record) error { return c.note(name) }
}

func TestRouterCallsAllRoutesInOrder(t *testing.T) {
	c := &calls{}
	reads := stream.NewDecoder(db, messagesTable, key.Is[readKey], messageEntity.Value)
	router := stream.NewRouter(
		stream.Otherwise(c.record("otherwise")),
		c.on("first"),
		stream.On(reads, func(context.Context, stream.Change[message]) error { return c.note("read") }),
		stream.OnItems(db, othersTable, c.record("others")),
		c.on("second"),
	)
	assert.Equal(t, []string{"test-Messages", "test-Others"}, router.Tables())

	ours := change(t, keyOf(t, messageKey{"m1"}), nil, text(t, "Hello"))
	assert.NoError(t, router.Handle(t.Context(), ours))
	assert.Equal(t, []string{"first", "second"}, c.names)

	c.names = nil
	assert.NoError(t, router.Handle(t.Context(), change(t, keyOf(t, readKey{"m1", "ada"}), nil, text(t, ""))))
	assert.Equal(t, []string{"read"}, c.names)

	c.names = nil
	assert.NoError(t, router.Handle(t.Context(), change(t, dynastay.Key{PK: "GUARD", SK: "GUARD"}, nil, text(t, ""))))
	assert.Equal(t, []string{"otherwise"}, c.names, "no route is for the item")

	c.names = nil
	assert.NoError(t, router.Handle(t.Context(), stream.Record{Table: "test-Others"}))
	assert.Equal(t, []string{"others"}, c.names, "a route for all items is for any item")
}

// The value that a function gets is the decoded change, or the record itself.
func TestRouterPassesTheChange(t *testing.T) {
	type contextKey struct{}
	ctx := context.WithValue(t.Context(), contextKey{}, "mine")
	r := change(t, keyOf(t, messageKey{"m1"}), text(t, "Hello"), text(t, "Bye"))
	seen := 0
	router := stream.NewRouter(
		stream.On(messageChanges, func(ctx context.Context, c stream.Change[message]) error {
			seen++
			assert.Equal(t, "mine", ctx.Value(contextKey{}))
			assert.Equal(t, "Hello", c.Old.Text)
			assert.Equal(t, "Bye", c.New.Text)
			assert.Equal(t, r, c.Record)
			return nil
		}),
		stream.OnItems(db, messagesTable, func(ctx context.Context, got stream.Record) error {
			seen++
			assert.Equal(t, "mine", ctx.Value(contextKey{}))
			assert.Equal(t, r, got)
			return nil
		}),
	)
	assert.NoError(t, router.Handle(ctx, r))
	assert.Equal(t, 2, seen)
	assert.Equal(t, []string{"test-Messages"}, router.Tables(), "a table is named once")
}

func TestRouterStopsAtTheFirstError(t *testing.T) {
	failed := errors.New("failed")
	for _, otherwise := range []bool{false, true} {
		c := &calls{failed: map[string]error{"second": failed}}
		route, record := c.on, change(t, keyOf(t, messageKey{"m1"}), nil, text(t, "Hello"))
		if otherwise {
			route = func(name string) stream.Route { return stream.Otherwise(c.record(name)) }
			record = change(t, dynastay.Key{PK: "GUARD", SK: "GUARD"}, nil, text(t, ""))
		}
		router := stream.NewRouter(c.on("never for a guard"), route("first"), route("second"), route("third"))
		if !otherwise {
			router = stream.NewRouter(route("first"), route("second"), route("third"), stream.Otherwise(c.record("otherwise")))
		}
		err := router.Handle(t.Context(), record)
		assert.ErrorIs(t, err, failed)
		assert.NotErrorIs(t, err, stream.ErrPermanent)
		assert.Equal(t, []string{"first", "second"}, c.names)
	}
}

func TestRouterRefusesOtherTables(t *testing.T) {
	c := &calls{}
	router := stream.NewRouter(c.on("on"), stream.Otherwise(c.record("otherwise")))
	err := router.Handle(t.Context(), stream.Record{Table: "Messages"})
	assert.EqualError(t, err, `no route is for the table Messages; the routes are for ["test-Messages"]`)
	assert.NotErrorIs(t, err, stream.ErrPermanent, "the streams or the routes must be corrected; the record is not at fault")
	assert.Error(t, stream.NewRouter().Handle(t.Context(), stream.Record{}))
	assert.Empty(t, c.names)
}

func TestRouterIgnoresItemsWithoutRoute(t *testing.T) {
	c := &calls{}
	guard := change(t, dynastay.Key{PK: "GUARD", SK: "GUARD"}, nil, text(t, ""))
	assert.NoError(t, stream.NewRouter(c.on("on")).Handle(t.Context(), guard))
	assert.NoError(t, stream.NewRouter(c.on("on")).Handle(t.Context(), stream.Record{Table: "test-Messages"}), "of no item at all")
	assert.Empty(t, c.names)
}

func TestUnreadableEntityIsPermanent(t *testing.T) {
	c := &calls{}
	router := stream.NewRouter(c.on("on"), stream.Otherwise(c.record("otherwise")))
	err := router.Handle(t.Context(), change(t, keyOf(t, messageKey{"m1"}), nil, foreign(t)))
	assert.ErrorIs(t, err, stream.ErrPermanent)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.Empty(t, c.names)
}

func TestPanicIsPermanent(t *testing.T) {
	r := change(t, keyOf(t, messageKey{"m1"}), text(t, "Hello"), nil)
	for name, route := range map[string]stream.Route{
		"On": stream.On(messageChanges, func(_ context.Context, c stream.Change[message]) error {
			return errors.New(c.New.Text) // the entity was deleted
		}),
		"OnItems": stream.OnItems(db, messagesTable, func(context.Context, stream.Record) error { panic("nil pointer dereference") }),
	} {
		err := stream.NewRouter(route).Handle(t.Context(), r)
		assert.ErrorIs(t, err, stream.ErrPermanent, name)
		assert.ErrorContains(t, err, "panic: ", name)
		assert.ErrorContains(t, err, "nil pointer dereference", name)
		assert.ErrorContains(t, err, "route_test.go", "the stack: %s", name)
	}
}

func TestPermanent(t *testing.T) {
	cause := dynastay.Invalid("Text", "must not be empty")
	err := stream.Permanent(cause)
	assert.ErrorIs(t, err, stream.ErrPermanent)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	var invalid *dynastay.InvalidError
	assert.ErrorAs(t, err, &invalid)
	assert.EqualError(t, err, cause.Error())
	assert.NotErrorIs(t, cause, stream.ErrPermanent)
	assert.NoError(t, stream.Permanent(nil))
}

package entity_test

import (
	"context"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// ticketFor is a create that depends on the bag that another operation makes.
func (c cloakroom) ticketFor(op *dynastay.Operation[*bag], agreed ...string) *dynastay.Operation[*bag] {
	return c.CreateFromOp(func() (*bag, error) { return &bag{Owner: "ticket of " + op.Result().ID}, nil }, agreed...)
}

var drawn = regexp.MustCompile("bag_[0-9A-Z]{26}")

func TestCreateFromSeesTheResultBeforeIt(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	first := c.CreateOp(&bag{Owner: "john"})
	second := c.ticketFor(first)
	assert.Equal(t, []string{"TransactWriteItems"}, c.sent(func() { require.NoError(t, c.db.Write(t.Context(), first, second)) }))
	made := second.Result()
	assert.Equal(t, "ticket of "+first.Result().ID, made.Owner)
	assert.Regexp(t, "^bag_", made.ID)
	assert.Equal(t, 1, made.Version)
	assert.Equal(t, noon, made.CreatedAt)
	read, err := c.Get(t.Context(), bagKey(made.ID), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)

	given := c.CreateFromOp(func() (*bag, error) { return &bag{ID: "7"}, nil })
	require.NoError(t, c.db.Write(t.Context(), given))
	assert.Equal(t, "7", given.Result().ID, "an id of its own is kept")
	err = c.db.Write(t.Context(), c.CreateFromOp(func() (*bag, error) { return &bag{ID: "7"}, nil }))
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// If the operation before it is prepared again, so is the dependent one, with the same id.
func TestCreateFromRunsAgain(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "1"})
	update := c.UpdateOp(bagKey("1"), func(b *bag) error { b.Owner = "john"; return nil })
	var seen []string
	message := c.CreateFromOp(func() (*bag, error) {
		labels := update.Result().Labels
		seen = append(seen, update.Result().Owner)
		return &bag{Labels: labels}, nil
	})
	c.before("TransactWriteItems", func(ctx context.Context) { c.relabelled(ctx, "1", "fragile") })
	stop := c.db.Faults.Record()
	require.NoError(t, c.db.Write(t.Context(), update, message))
	var ids []string
	for _, request := range stop() {
		ids = append(ids, drawn.FindString(string(request.Body)))
	}
	id := message.Result().ID
	assert.Equal(t, []string{"", id, "", id}, ids, "two readings, two transactions")
	assert.Equal(t, []string{"john", "john"}, seen)
	assert.Equal(t, []string{"fragile"}, message.Result().Labels)
	assert.Len(t, c.ids(), 2)
}

// With an idempotency key it needs agreed values, and is then replayed.
func TestCreateFromUnderAKey(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	write := func(owner string, agreed ...string) (*bag, *bag, error) {
		first := c.CreateOp(&bag{Owner: owner})
		second := c.ticketFor(first, agreed...)
		if err := c.db.Write(t.Context(), first, second, keyed); err != nil {
			return nil, nil, err
		}
		return first.Result(), second.Result(), nil
	}
	assert.Empty(t, c.sent(func() {
		_, _, err := write("john")
		assert.Contains(t, invalid(t, err, "IdempotencyKey"), "cannot be used with bags.Create")
	}))
	first, second, err := write("john", "ticket", "john")
	require.NoError(t, err)
	again, ticket, err := write("john", "ticket", "john")
	require.NoError(t, err)
	assert.Equal(t, []string{first.ID, second.ID, second.Owner}, []string{again.ID, ticket.ID, ticket.Owner})
	assert.Len(t, c.ids(), 2)
	for _, agreed := range [][]string{{"ticket", "jane"}, {"ticket"}, {"john", "ticket"}, {"ticketjohn"}} {
		_, _, err = write("john", agreed...)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	}

	// A message is deleted after it was sent. Its id is known nevertheless.
	require.NoError(t, c.Delete(t.Context(), bagKey(second.ID)))
	_, ticket, err = write("john", "ticket", "john")
	require.NoError(t, err)
	assert.Equal(t, second.ID, ticket.ID)
	assert.Len(t, c.ids(), 1)
}

// To write it before the operation that it depends on is a programming error.
func TestCreateFromInTheWrongOrder(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	first := c.CreateOp(&bag{Owner: "john"})
	second := c.ticketFor(first)
	assert.Empty(t, c.sent(func() {
		assert.PanicsWithValue(t, "dynastay: Result of bags.Create was called before Write prepared the operation", func() {
			_ = c.db.Write(t.Context(), second, first)
		})
	}))
	assert.Empty(t, c.ids())
}

// An error from the function is returned unchanged; its value is checked like any other.
func TestCreateFromFails(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	assert.Empty(t, c.sent(func() {
		err := c.db.Write(t.Context(), c.CreateOp(&bag{}), c.CreateFromOp(func() (*bag, error) { return nil, errBoom }))
		assert.Same(t, errBoom, err)
		assert.EqualError(t, c.db.Write(t.Context(), c.CreateFromOp(func() (*bag, error) { return nil, nil })), "invalid: Bag is nil")
		refused := c.CreateFromOp(func() (*bag, error) { return &bag{Shelf: notUTF8}, nil })
		err = c.db.Write(t.Context(), c.CreateOp(&bag{}), refused)
		assert.EqualError(t, err, "bags.Create: Operations[1]: invalid Shelf: must be valid UTF-8")
	}))
}

// A lost response is resolved by the generated id, as for any create.
func TestCreateFromWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
	c.before("GetItem", func(ctx context.Context) {
		for id := range c.ids() {
			c.relabelled(ctx, id, "fragile")
			c.relabelled(ctx, id, "heavy")
		}
	})
	require.NoError(t, c.db.Write(t.Context(), c.CreateFromOp(func() (*bag, error) { return &bag{}, nil })))
}

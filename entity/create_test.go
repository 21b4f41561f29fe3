package entity_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// An id is drawn with the prefix where there is none, and where there is a prefix.
func TestCreateDraws(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	first, second := c.create(bag{Owner: "john"}), c.create(bag{Owner: "jane"})
	assert.Regexp(t, "^bag_[0-9A-Z]{26}$", first.ID)
	assert.NotEqual(t, first.ID, second.ID)
	assert.Equal(t, dynastay.Text(first.ID), c.item(bagKey(first.ID))["BagId"])
	assert.Equal(t, "7", c.create(bag{ID: "7"}).ID)
	assert.NotNil(t, c.item(bagKey("7")))

	plain := entity.NewTable(c.db.DB, bagOf(func(s *entity.Spec[bag]) {
		s.Prefix = ""
		s.Validate = func(b *bag) error {
			if b.ID == "" {
				return dynastay.Invalid("ID", "is required")
			}
			return nil
		}
	}))
	_, err := plain.Create(t.Context(), &bag{Owner: "john"})
	assert.Equal(t, "is required", invalid(t, err, "ID"))

	var asked []string
	db := c.db.Open(&dynastay.Options{NewID: func(prefix string) string {
		asked = append(asked, prefix)
		return prefix + "drawn"
	}})
	op := entity.NewTable(db, bagOf()).CreateOp(&bag{})
	from := entity.NewTable(db, bagOf()).CreateFromOp(func() (*bag, error) { return &bag{ID: "8"}, nil })
	require.NoError(t, db.Write(t.Context(), op, from))
	assert.Equal(t, "bag_drawn", op.Result().ID)
	assert.Equal(t, []string{"bag_", "bag_"}, asked, "each id is drawn once")
	without := entity.NewTable(db, bagOf(func(s *entity.Spec[bag]) { s.Prefix = "" }))
	from = without.CreateFromOp(func() (*bag, error) { return &bag{ID: "9"}, nil })
	require.NoError(t, db.Write(t.Context(), from, without.CreateOp(&bag{ID: "10"})))
	assert.Len(t, asked, 2, "without a prefix none is drawn")
}

// The times are those of the preparation that is sent, and the first version is 1, whatever the value says. What is kept is
// stored as it is given.
func TestCreateStamps(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "other"})
	given := bag{ID: "1", Weight: 7, Moves: 3, Version: 9, CreatedAt: noon.AddDate(-1, 0, 0), UpdatedAt: noon.AddDate(1, 0, 0)}
	op := c.CreateOp(&given)
	c.db.Clock.Advance(time.Hour)
	overtaken := c.before("TransactWriteItems", func(ctx context.Context) {
		c.relabelled(ctx, "other", "fragile")
		c.db.Clock.Advance(time.Hour + time.Millisecond)
	})
	require.NoError(t, c.db.Write(t.Context(), op, c.UpdateOp(bagKey("other"), func(b *bag) error { b.Owner = "x"; return nil })))
	assert.Equal(t, 1, overtaken.Hits())
	then := noon.Add(2*time.Hour + time.Millisecond)
	made := op.Result()
	assert.Len(t, made.WriteID, 16)
	assert.Equal(t, &bag{ID: "1", Weight: 7, Moves: 3, Version: 1, CreatedAt: then, UpdatedAt: then, WriteID: made.WriteID}, made)
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read, "the result is what is stored")
	assert.Equal(t, dynastay.Number(1), c.item(bagKey("1"))["Version"])
}

// An entity that leaves its times and versions to itself keeps those that it has.
func TestCreateStampsNothing(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Created, s.Updated, s.Version = "", "", "" })
	given := bag{ID: "1", Version: 9, CreatedAt: noon.AddDate(-1, 0, 0)}
	made := c.create(given)
	given.WriteID = made.WriteID
	assert.Equal(t, &given, made)
}

// The first answer counts: a bag that is there already is refused, and stays as it is.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Validate = func(b *bag) error {
			switch {
			case b.ID == "" || b.CreatedAt != noon || b.UpdatedAt != noon || b.Version != 1:
				return errBoom // its id and times are set by then
			case b.Owner == "":
				return dynastay.Invalid("Owner", "is required")
			}
			return nil
		}
	})
	c.create(bag{ID: "1", Owner: "john"})
	_, err := c.Create(t.Context(), &bag{ID: "1", Owner: "jane"})
	assert.Equal(t, &dynastay.Error{Op: "bags.Create", Entity: "Bag", ID: "BAG#1/METADATA", Kind: dynastay.ErrAlreadyExists}, err)
	assert.Equal(t, dynastay.Text("john"), c.item(bagKey("1"))["Owner"])
	assert.Empty(t, c.sent(func() {
		_, err := c.Create(t.Context(), &bag{})
		assert.EqualError(t, err, "bags.Create: invalid Owner: is required")
		_, err = c.Create(t.Context(), nil)
		assert.EqualError(t, err, "bags.Create: invalid: Bag is nil")
		err = c.db.Write(t.Context(), c.CreateOp(&bag{Owner: "jane"}), c.CreateOp(nil), keyed)
		assert.EqualError(t, err, "bags.Create: Operations[1]: invalid: Bag is nil")
	}))
	assert.Equal(t, []string{"PutItem"}, c.sent(func() { c.create(bag{Owner: "jane"}) }))
}

// The value that was passed is its caller's own: it is not changed, and a change of it later changes nothing.
func TestCreateLeavesTheValueAlone(t *testing.T) {
	t.Parallel()
	for name, agreed := range map[string]func(*dynastay.Input, *bag){
		"by default": nil,
		"Agreed": func(in *dynastay.Input, b *bag) {
			in.Field("owner", b.Owner)
			in.Field("labels", strings.Join(b.Labels, ","))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Agreed = agreed })
			given := func() *bag { return &bag{Owner: "john", Labels: []string{"fragile"}, WriteID: "AAAAAAAAAAAAAAAA"} }
			v := given()
			op := c.CreateOp(v)
			assert.Equal(t, given(), v)
			v.Owner, v.Labels[0] = "jane", "heavy"
			require.NoError(t, c.db.Write(t.Context(), op, dynastay.IdempotencyKey("k")))
			made := op.Result()
			assert.Equal(t, &bag{Owner: "jane", Labels: []string{"heavy"}, WriteID: "AAAAAAAAAAAAAAAA"}, v)
			assert.Equal(t, "john", made.Owner)
			assert.Equal(t, []string{"fragile"}, made.Labels)

			again, err := c.Create(t.Context(), given(), dynastay.IdempotencyKey("k"))
			require.NoError(t, err)
			assert.Equal(t, made.ID, again.ID)
			_, err = c.Create(t.Context(), v, dynastay.IdempotencyKey("k"))
			assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)

			put := c.PutOp(&bag{ID: "p", Labels: v.Labels})
			v.Labels[0] = "light"
			require.NoError(t, c.db.Write(t.Context(), put, dynastay.IdempotencyKey("p")))
			assert.Equal(t, []string{"heavy"}, put.Result().Labels)
			_, err = c.Put(t.Context(), &bag{ID: "p", Labels: []string{"heavy"}}, dynastay.IdempotencyKey("p"))
			assert.NoError(t, err)
		})
	}
}

// ids are those of all stored bags.
func (c cloakroom) ids() map[string]bool {
	c.t.Helper()
	ids := map[string]bool{}
	for _, item := range raw.All(c.t, c.db, bagTable) {
		ids[dynastay.RowOf(item).Text("BagId")] = true
	}
	return ids
}

// creating is an operation that is made of a Creation.
func creating(c *entity.Creation[bag]) *dynastay.Operation[*bag] {
	return dynastay.NewOp(dynastay.OpSpec[*bag]{
		Name: "bags.Create", Prepare: func(_ context.Context, tx *dynastay.Tx) (*bag, error) { return c.Value, c.AddTo(tx) },
		Restore: func(context.Context, map[string]string) (*bag, error) { return nil, errBoom },
	})
}

// Finish runs with each preparation, once the times are set; Extra goes over what is derived.
func TestCreationIsFinished(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.create(bag{ID: "other"})
	made, err := c.Creation(&bag{Owner: "john", Shelf: "3"})
	require.NoError(t, err)
	assert.Regexp(t, "^bag_", made.Value.ID, "which an operation may want to know")
	assert.Equal(t, noon, made.Value.CreatedAt)
	assert.Equal(t, 1, made.Value.Version)
	made.Extra = dynastay.Item{"Search": dynastay.Text("extra"), "Beside": dynastay.Number(7)}
	var finished []time.Time
	made.Finish = func(b *bag) {
		finished = append(finished, b.CreatedAt)
		b.Labels = append(b.Labels[:0], b.CreatedAt.Format(time.Kitchen))
	}
	c.before("TransactWriteItems", func(ctx context.Context) {
		c.relabelled(ctx, "other", "fragile")
		c.db.Clock.Advance(time.Hour)
	})
	op := creating(made)
	require.NoError(t, c.db.Write(t.Context(), op, c.UpdateOp(bagKey("other"), func(b *bag) error { b.Owner = "x"; return nil })))
	assert.Equal(t, []time.Time{noon, noon.Add(time.Hour)}, finished)
	assert.Equal(t, []string{"1:00PM"}, op.Result().Labels)
	item := c.item(bagKey(op.Result().ID))
	assert.Equal(t, dynastay.Text("extra"), item["Search"])
	assert.Equal(t, dynastay.Number(7), item["Beside"])
	assert.Len(t, item["Labels"].(*list).Value, 1)

	// What it leaves is checked like what was given.
	for field, finish := range map[string]func(*bag){
		"Owner": func(b *bag) { b.Owner = notUTF8 }, "CreatedAt": func(b *bag) { b.CreatedAt = noon.AddDate(8000, 0, 0) },
	} {
		made, err := c.Creation(&bag{})
		require.NoError(t, err)
		made.Finish = finish
		assert.Empty(t, c.sent(func() { invalid(t, c.db.Write(t.Context(), creating(made)), field) }))
	}
}

// A value that is changed between its check and its write is checked again.
func TestCreationIsCheckedAgain(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made, err := c.Creation(&bag{})
	require.NoError(t, err)
	made.Value.Shelf = notUTF8
	assert.Empty(t, c.sent(func() { invalid(t, c.db.Write(t.Context(), creating(made)), "Shelf") }))
	_, err = c.Creation(&bag{Shelf: notUTF8})
	invalid(t, err, "Shelf")
}

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

package entity_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// keyed is the key of every write here; each test has tables of its own.
var keyed = dynastay.IdempotencyKey("k")

// made is what the write under the key noted of its only operation.
func (c cloakroom) made() map[string]string {
	c.t.Helper()
	all, err := c.db.MadeBy(c.t.Context(), keyed)
	require.NoError(c.t, err)
	require.Len(c.t, all, 1)
	return all[0]
}

// A create that is repeated has the first one's result: the item as it is by now, or the value, once it is gone. What is noted
// finds the item.
func TestCreateIsReplayed(t *testing.T) {
	t.Parallel()
	ofOwner := func(b *bag) (dynastay.Key, error) {
		return dynastay.Key{PK: "OWNER#" + b.Owner, SK: "BAG#" + b.ID}, nil
	}
	for name, test := range map[string]struct {
		edit  func(*entity.Spec[bag])
		given bag
		key   func(*bag) (dynastay.Key, error)
		notes []string
	}{
		"a drawn id":   {func(*entity.Spec[bag]) {}, bag{Owner: "john"}, bagSpec().Key, []string{"BagId"}},
		"a given id":   {func(*entity.Spec[bag]) {}, bag{ID: "1", Owner: "john"}, bagSpec().Key, []string{"BagId"}},
		"a larger key": {func(s *entity.Spec[bag]) { s.Key = ofOwner }, bag{Owner: "john"}, ofOwner, []string{"BagId", "PK", "SK"}},
		"a key that asks for more": {func(s *entity.Spec[bag]) {
			s.Key = func(b *bag) (dynastay.Key, error) {
				if b.Owner == "" {
					return dynastay.Key{}, dynastay.Invalid("Owner", "is required")
				}
				return bagKey(b.ID), nil
			}
		}, bag{Owner: "john"}, bagSpec().Key, []string{"BagId", "PK", "SK"}},
		"no id": {func(s *entity.Spec[bag]) { s.ID, s.Prefix = "", "" }, bag{ID: "1", Owner: "john"}, bagSpec().Key, []string{"PK", "SK"}},
		"an id that is empty": {func(s *entity.Spec[bag]) {
			s.Prefix = ""
			s.Key = func(b *bag) (dynastay.Key, error) { return bagKey(b.Owner), nil }
		}, bag{Owner: "john"}, func(b *bag) (dynastay.Key, error) { return bagKey(b.Owner), nil }, []string{"PK", "SK"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, test.edit)
			create := func() *bag {
				given := test.given
				v, err := c.Create(t.Context(), &given, keyed)
				require.NoError(t, err)
				return v
			}
			first := create()
			key, err := test.key(first)
			require.NoError(t, err)
			noted := c.made()
			for _, note := range test.notes {
				want := map[string]string{"BagId": first.ID, "PK": key.PK, "SK": key.SK}[note]
				assert.Equal(t, want, noted[note], note)
			}
			assert.Len(t, noted, len(test.notes))

			c.db.Clock.Advance(time.Hour)
			again := create()
			assert.Empty(t, again.WriteID, "it would release another caller's lock")
			again.WriteID = first.WriteID
			assert.Equal(t, first, again)

			_, err = c.Update(t.Context(), key, func(b *bag) error { b.Shelf = "3"; return nil })
			require.NoError(t, err)
			assert.Equal(t, "3", create().Shelf, "the item as it is by now")

			require.NoError(t, c.Delete(t.Context(), key))
			gone := create()
			assert.Equal(t, first.ID, gone.ID)
			assert.Equal(t, "john", gone.Owner)
			assert.Empty(t, c.ids(), "nothing is made a second time")
		})
	}
}

// A key compares what the caller gave, without what the library writes.
func TestWhatAKeyCompares(t *testing.T) {
	t.Parallel()
	first := bag{Owner: "john", Weight: 7, Moves: 3, Labels: []string{"a"}}
	for name, test := range map[string]struct {
		edit func(*bag)
		same bool
	}{
		"the same":      {func(*bag) {}, true},
		"Weight":        {func(b *bag) { b.Weight = 8 }, true},
		"Moves":         {func(b *bag) { b.Moves = 4 }, true},
		"CreatedAt":     {func(b *bag) { b.CreatedAt = noon }, true},
		"UpdatedAt":     {func(b *bag) { b.UpdatedAt = noon }, true},
		"Version":       {func(b *bag) { b.Version = 2 }, true},
		"WriteID":       {func(b *bag) { b.WriteID = "AAAAAAAAAAAAAAAA" }, true},
		"Owner":         {func(b *bag) { b.Owner = "jane" }, false},
		"within Labels": {func(b *bag) { b.Labels = []string{"b"} }, false},
		"a given ID":    {func(b *bag) { b.ID = "1" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t)
			for operation, call := range map[string]func(bag, dynastay.Idempotency) (*bag, error){
				"Create": func(b bag, key dynastay.Idempotency) (*bag, error) { return c.Create(t.Context(), &b, key) },
				"Put": func(b bag, key dynastay.Idempotency) (*bag, error) {
					b.ID = "put" + b.ID
					return c.Put(t.Context(), &b, key)
				},
			} {
				key := dynastay.IdempotencyKey(operation)
				made, err := call(first, key)
				require.NoError(t, err)
				other := first
				test.edit(&other)
				again, err := call(other, key)
				if !test.same {
					assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, operation)
					continue
				}
				require.NoError(t, err, operation)
				assert.Equal(t, made.ID, again.ID, operation)
				assert.Equal(t, 7, again.Weight, operation)
			}
		})
	}
}

// Agreed says instead what a key compares.
func TestAgreed(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Agreed = func(in *dynastay.Input, b *bag) {
			if b.Version != 9 || !b.CreatedAt.IsZero() {
				t.Error("the value is shown as it was given")
			}
			in.Field("id", b.ID)
			in.Field("shelf", b.Shelf)
		}
	})
	for name, write := range map[string]func(b bag) (*bag, error){
		"create": func(b bag) (*bag, error) { return c.Create(t.Context(), &b, dynastay.IdempotencyKey("create")) },
		"put":    func(b bag) (*bag, error) { b.ID = "1"; return c.Put(t.Context(), &b, dynastay.IdempotencyKey("put")) },
	} {
		first, err := write(bag{Version: 9, Owner: "john", Shelf: "3"})
		require.NoError(t, err, name)
		again, err := write(bag{Version: 9, Owner: "jane", Shelf: "3"})
		require.NoError(t, err, name)
		assert.Equal(t, first.ID, again.ID)
		assert.Equal(t, "john", again.Owner)
		_, err = write(bag{Version: 9, Owner: "john", Shelf: "4"})
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}
}

// An item that cannot be read again was made all the same.
func TestReplayOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	_, err := c.Create(t.Context(), &bag{ID: "1"}, keyed)
	require.NoError(t, err)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.Create(t.Context(), &bag{ID: "1"}, keyed)
	assert.ErrorIs(t, err, dynastay.ErrCommitted)
	assert.ErrorContains(t, err, "Bag BAG#1/METADATA (Owner)")
}

package entity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

func TestGetAll(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	one, two := c.create(bag{ID: "1", Owner: "john"}), c.create(bag{ID: "2"})
	all, err := c.GetAll(t.Context(), []dynastay.Key{bagKey("2"), bagKey("missing"), bagKey("1")}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, []*bag{two, nil, one}, all)

	_, err = c.GetAll(t.Context(), []dynastay.Key{{}}, dynastay.Consistent)
	invalid(t, err, "Keys[0].PK")
	c.foreign("3", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.GetAll(t.Context(), []dynastay.Key{bagKey("1"), bagKey("3")}, dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
	assert.ErrorContains(t, err, "Bag BAG#3/METADATA (Owner)")
}

func TestGet(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	_, err := c.Get(t.Context(), bagKey("1"))
	assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: dynastay.ErrNotFound}, err)
	c.foreign("1", dynastay.Item{"Owner": dynastay.Number(1)})
	_, err = c.Get(t.Context(), bagKey("1"))
	assert.ErrorIs(t, err, dynastay.ErrCorrupt)
}

// What a write rests on is read consistently, and so is what a repetition answers with.
func TestReadingsAreConsistent(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, guarded)
	readings := func(f func()) (consistent []bool) {
		stop := c.db.Faults.Record()
		f()
		for _, r := range stop() {
			if r.Operation == "GetItem" {
				consistent = append(consistent, strings.Contains(string(r.Body), `"ConsistentRead":true`))
			}
		}
		return consistent
	}
	create := func() {
		_, err := c.Create(t.Context(), &bag{ID: "1"}, keyed)
		require.NoError(t, err)
	}
	create()
	assert.Equal(t, []bool{true}, readings(create), "the record comes with the refusal")
	assert.Equal(t, []bool{true}, readings(func() {
		_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "x"; return nil })
		require.NoError(t, err)
	}))
	_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Shelf = "3"; return nil })
	require.NoError(t, err)
	assert.Equal(t, []bool{true, true}, readings(func() {
		_, err := c.Find(t.Context(), "Shelf", &bag{Shelf: "3"})
		require.NoError(t, err)
	}), "the guard and the bag")
	assert.Equal(t, []bool{true}, readings(func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"))) }))
	assert.Equal(t, []bool{false}, readings(func() { _, _ = c.Get(t.Context(), bagKey("1")) }))
}

// A put stores the value as it is given, and replaces an existing item.
func TestPut(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	c.foreign("1", dynastay.Item{"Unknown": dynastay.Text("x"), "Owner": dynastay.Number(1)})
	given := bag{ID: "1", Owner: "john", Weight: 7, Moves: 3, Version: 9, CreatedAt: noon.AddDate(-1, 0, 0)}
	v := given
	var made *bag
	assert.Equal(t, []string{"PutItem"}, c.sent(func() {
		var err error
		made, err = c.Put(t.Context(), &v)
		require.NoError(t, err)
	}))
	assert.Equal(t, given, v)
	assert.Len(t, made.WriteID, 16)
	given.WriteID = made.WriteID
	assert.Equal(t, &given, made)
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, made, read)
	assert.NotContains(t, c.item(bagKey("1")), "Unknown")
	assert.Equal(t, dynastay.Text("john/"), c.item(bagKey("1"))["Search"])

	assert.Empty(t, c.sent(func() {
		_, err := c.Put(t.Context(), &bag{Shelf: notUTF8})
		invalid(t, err, "Shelf")
		_, err = c.Put(t.Context(), nil)
		assert.EqualError(t, err, "bags.Put: invalid: Bag is nil")
	}))
	made, err = c.Put(t.Context(), &bag{Owner: "nobody"})
	require.NoError(t, err)
	assert.Empty(t, made.ID, "no id is drawn")
}

// An update without a version or a time of its own writes neither.
func TestUpdateWithoutTimesAndVersions(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) { s.Updated, s.Version = "", "" })
	c.create(bag{ID: "1", Version: 9})
	c.db.Clock.Advance(time.Hour)
	now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil })
	require.NoError(t, err)
	assert.Equal(t, 9, now.Version)
	assert.True(t, now.UpdatedAt.IsZero())
	read, err := c.Get(t.Context(), bagKey("1"), dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, now, read)
}

// A malformed write id matches no item.
func TestUpdateOfAForeignWriteID(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t, func(s *entity.Spec[bag]) {
		s.Codec = entity.Declare(func(f *entity.Fields, b *bag) { f.String("BagId", &b.ID); f.String("Owner", &b.Owner) })
		s.Created, s.Updated, s.Version, s.Kept, s.Counters = "", "", "", nil, nil
	})
	c.foreign("1", dynastay.Item{"WriteId": dynastay.Text("AAAAAAAAAAAAAAAA")})
	update := func(opts ...dynastay.UpdateOption) error {
		_, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "jane"; return nil }, opts...)
		return err
	}
	assert.ErrorIs(t, update(dynastay.IfWritten("AAAAAAAAAAAAAAAA")), dynastay.ErrVersion)
	assert.NoError(t, update())
}

// A function cannot set the write id either: the result has the one that is stored.
func TestFunctionThatSetsTheWriteID(t *testing.T) {
	t.Parallel()
	c := openCloakroom(t)
	made := c.create(bag{ID: "1"})
	assert.Equal(t, []string{"GetItem"}, c.sent(func() {
		now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.WriteID = "AAAAAAAAAAAAAAAA"; return nil })
		require.NoError(t, err)
		assert.Equal(t, made, now)
	}))
}

// guarded has items that go with it, so that a delete reads it first.
func guarded(s *entity.Spec[bag]) {
	s.Unique = []entity.Unique[bag]{{
		Field: "Shelf", Owner: []string{"BagId"},
		Guard: func(b *bag) (dynastay.Key, error) {
			if b.Shelf == "" {
				return dynastay.Key{}, nil
			}
			return dynastay.Key{PK: "SHELF#" + b.Shelf, SK: "GUARD"}, nil
		},
	}}
}

// followed has items of its own making that go with it.
func followed(s *entity.Spec[bag]) {
	s.Follow = func(*dynastay.Tx, *bag, *bag) error { return nil }
}

func plain(*entity.Spec[bag]) {}

func TestDeleteUnderConditions(t *testing.T) {
	t.Parallel()
	other := dynastay.IfWritten("AAAAAAAAAAAAAAAA")
	for kind, edit := range map[string]func(*entity.Spec[bag]){"plain": plain, "guarded": guarded, "followed": followed} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, edit)
			for name, test := range map[string]struct {
				opts           func(*bag) []dynastay.UpdateOption
				there, missing error // what it fails with
				versionless    error // the same of a bag that other software stored without a version
			}{
				"": {
					func(*bag) []dynastay.UpdateOption { return nil }, nil, dynastay.ErrNotFound, nil,
				},
				"or missing": {
					func(*bag) []dynastay.UpdateOption { return []dynastay.UpdateOption{dynastay.OrMissing()} }, nil, nil, nil,
				},
				"its version": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version)}
				}, nil, dynastay.ErrNotFound, nil},
				"its version, or missing": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version), dynastay.OrMissing()}
				}, nil, nil, nil},
				"another version": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(b.Version + 1)}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, dynastay.ErrVersion},
				"another version, or missing": {func(b *bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.OrMissing(), dynastay.IfVersion(b.Version + 1)}
				}, dynastay.ErrVersion, nil, dynastay.ErrVersion},
				"no version": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{dynastay.IfVersion(0)}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, nil},
				"another's writing": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{other}
				}, dynastay.ErrVersion, dynastay.ErrNotFound, dynastay.ErrVersion},
				"another's writing, or missing": {func(*bag) []dynastay.UpdateOption {
					return []dynastay.UpdateOption{other, dynastay.OrMissing()}
				}, dynastay.ErrVersion, nil, dynastay.ErrVersion},
			} {
				remove := func(b *bag) error { return c.Delete(t.Context(), bagKey("1"), test.opts(b)...) }
				said := func(want, err error, state string) {
					t.Helper()
					if want == nil {
						assert.NoError(t, err, "%s, %s", name, state)
						assert.Nil(t, c.item(bagKey("1")), "%s, %s", name, state)
						return
					}
					assert.Equal(t, &dynastay.Error{Entity: "Bag", ID: "BAG#1/METADATA", Kind: want}, err, "%s, %s", name, state)
				}
				made := c.create(bag{ID: "1"})
				said(test.there, remove(made), "there")
				require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
				said(test.missing, remove(made), "missing")
				c.foreign("1", nil)
				said(test.versionless, remove(&bag{}), "without a version")
				require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing()))
			}

			made := c.create(bag{ID: "1"})
			now, err := c.Update(t.Context(), bagKey("1"), func(b *bag) error { b.Owner = "x"; return nil })
			require.NoError(t, err)
			for _, opts := range [][]dynastay.UpdateOption{
				{dynastay.IfWritten(made.WriteID)},
				{dynastay.IfWritten(now.WriteID), dynastay.IfVersion(1)},
				{dynastay.IfWritten(made.WriteID), dynastay.IfVersion(2)},
			} {
				assert.ErrorIs(t, c.Delete(t.Context(), bagKey("1"), opts...), dynastay.ErrVersion)
			}
			require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten(now.WriteID), dynastay.IfVersion(2)))
			assert.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.IfWritten(now.WriteID), dynastay.OrMissing()))
		})
	}
}

// A delete alone is one request; with items that depend on the entity it is a read and a transaction.
func TestDeleteRequests(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct {
		edit    func(*entity.Spec[bag])
		there   []string
		missing []string
	}{
		"plain":    {plain, []string{"DeleteItem"}, []string{"DeleteItem"}},
		"guarded":  {guarded, []string{"GetItem", "TransactWriteItems"}, []string{"GetItem"}},
		"followed": {followed, []string{"GetItem", "DeleteItem"}, []string{"GetItem"}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t, test.edit)
			c.create(bag{ID: "1", Shelf: "3"})
			remove := func() { require.NoError(t, c.Delete(t.Context(), bagKey("1"), dynastay.OrMissing())) }
			assert.Equal(t, test.there, c.sent(remove))
			assert.Equal(t, test.missing, c.sent(remove))
			assert.Empty(t, c.ids(), "nor is there a guard")
		})
	}
}

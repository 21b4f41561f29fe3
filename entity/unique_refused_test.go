package entity_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// A guard's key that DynamoDB would refuse, or store as another, is refused first.
func TestGuardKeyIsChecked(t *testing.T) {
	t.Parallel()
	c := openCattery(t, func(s *entity.Spec[cat]) {
		s.Unique[0].Guard = func(c *cat) (dynastay.Key, error) { return dynastay.Key{PK: "NAME#" + c.Name}, nil }
	})
	assert.Empty(t, c.sent(func() {
		_, err := c.Create(t.Context(), &cat{ID: "tom", Name: "Tom"})
		assert.EqualError(t, err, "invalid Key.SK: must not be empty")
		_, err = c.find("Tom")
		assert.EqualError(t, err, "invalid Key.SK: must not be empty")
	}))
}

// An entity cannot be put over one whose name nobody has seen.
func TestPutOfAUniqueValueIsRefused(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	assert.Empty(t, c.sent(func() {
		_, err := c.Put(t.Context(), &cat{ID: "tom", Name: "Tom"})
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
	}))
}

func TestUniqueIsChecked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		panics string
		spoil  func(*entity.Unique[cat])
	}{
		"no field":       {`entity.New: Cat: Unique "": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Field = "" }},
		"no guard":       {`entity.New: Cat: Unique "Name": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Guard = nil }},
		"no owner":       {`entity.New: Cat: Unique "Name": Field, Guard and Owner are required`, func(u *entity.Unique[cat]) { u.Owner = nil }},
		"no such index":  {"entity.New: Cat: Unique Name: table Cats has no index ByAge", func(u *entity.Unique[cat]) { u.Index = "ByAge" }},
		"nothing amiss":  {"", func(*entity.Unique[cat]) {}},
		"without a mark": {"", func(u *entity.Unique[cat]) { u.Mark = nil }},
	} {
		spoiled := func() {
			catSpec(func(s *entity.Spec[cat]) {
				s.Unique = slices.Clone(s.Unique)
				test.spoil(&s.Unique[0])
			})
		}
		if test.panics == "" {
			assert.NotPanics(t, spoiled, name)
		} else {
			assert.PanicsWithValue(t, test.panics, spoiled, name)
		}
	}
}

// What cannot be looked up is refused before any request, with the entity's own field name.
func TestFindRefuses(t *testing.T) {
	t.Parallel()
	c := openCattery(t)
	boom := errors.New("boom")
	broken := entity.NewTable(c.db.DB, catSpec(func(s *entity.Spec[cat]) {
		s.Unique[0].Partition = func(*cat) (string, error) { return "", boom }
	}))
	assert.Empty(t, c.sent(func() {
		_, err := c.Find(t.Context(), "Lives", &cat{Lives: 7})
		assert.EqualError(t, err, "Cat: the Spec has no Unique with Field Lives")
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "it is the program's mistake, not its caller's")
		_, err = c.Find(t.Context(), "Name", &cat{Name: "t#m"})
		assert.EqualError(t, err, "invalid Name: holds a #")
		_, err = c.Find(t.Context(), "Name", &cat{})
		assert.EqualError(t, err, "invalid Name: is required")
		_, err = broken.Find(t.Context(), "Name", &cat{Name: "Tom"})
		assert.Same(t, boom, err)
	}))
}

// A guard has to lead to its entity.
func TestOwnerMakesTheKey(t *testing.T) {
	t.Parallel()
	spec := slipSpec()
	spec.Unique = []entity.Unique[slip]{{
		Field: "Guest", Owner: []string{"slipId"},
		Guard: func(s *slip) (dynastay.Key, error) { return dynastay.Key{PK: "GUEST#" + s.Guest}, nil },
	}}
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, slipsTable))
	_, err := entity.NewTable(db.DB, entity.New(spec)).Create(t.Context(), &slip{Booking: "b1", Guest: "Ada"})
	assert.ErrorContains(t, err, "Unique Guest: Owner must name all attributes that the entity's key is made from")
	assert.NotErrorIs(t, err, dynastay.ErrInvalid)

	spec.Unique[0].Owner = []string{"booking"}
	_, err = entity.NewTable(db.DB, entity.New(spec)).Create(t.Context(), &slip{Booking: "b1", Guest: "Ada"})
	assert.NoError(t, err)
}

package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// badge belongs to one door; a door has one badge.
type badge struct{ ID, Door, Holder string }

var badgesTable = &dynastay.Schema{
	Name: "Badges", Key: dynastay.KeyNames{Partition: "pk"},
	Indexes: []dynastay.Index{{Name: "ByHolder", Key: dynastay.KeyNames{Partition: "holderPK"}}, {Name: "Other", Key: dynastay.KeyNames{Partition: "otherPK"}}},
}

func badgeSpec(forgotten string) entity.Spec[badge] {
	return entity.Spec[badge]{
		Name: "Badge", Schema: badgesTable,
		Key: func(b *badge) (dynastay.Key, error) { return dynastay.Key{PK: "BADGE#" + b.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, b *badge) {
			f.String("badgeId", &b.ID)
			if forgotten != "door" {
				f.String("door", &b.Door)
			}
			if forgotten != "holder" {
				f.String("holder", &b.Holder)
			}
		}),
		Indexes: map[string]func(*badge) (dynastay.Key, error){
			"ByHolder": func(b *badge) (dynastay.Key, error) { return dynastay.Key{PK: b.Holder}, nil },
		},
		Unique: []entity.Unique[badge]{{
			Field: "Door", Owner: []string{"badgeId"},
			Guard: func(b *badge) (dynastay.Key, error) {
				if b.Door == "" {
					return dynastay.Key{}, nil
				}
				return dynastay.Key{PK: "DOOR#" + b.Door}, nil
			},
		}},
	}
}

// What a key looks at has to be stored: otherwise the badge is created, and its door is never free again.
func TestForgottenFieldsAreRefused(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	made := &badge{ID: "1", Door: "front", Holder: "ada"}
	stop := db.Faults.Record()
	for forgotten, says := range map[string]string{"door": "the guard of Door", "holder": "holderPK"} {
		_, err := entity.NewTable(db.DB, entity.New(badgeSpec(forgotten))).Create(t.Context(), made)
		assert.ErrorContains(t, err, says+" depends on a field that the codec does not declare")
		assert.NotErrorIs(t, err, dynastay.ErrInvalid, "its caller is not to blame")
	}
	spec := badgeSpec("")
	spec.Key = func(b *badge) (dynastay.Key, error) { return dynastay.Key{PK: b.Door}, nil }
	spec.Codec = entity.Declare(func(f *entity.Fields, b *badge) {
		f.String("badgeId", &b.ID)
		f.String("holder", &b.Holder)
	})
	spec.Unique = nil
	_, err := entity.NewTable(db.DB, entity.New(spec)).Create(t.Context(), made)
	assert.ErrorContains(t, err, "its key depends on a field that the codec does not declare")
	assert.Empty(t, stop(), "nothing was sent")

	_, err = entity.NewTable(db.DB, entity.New(badgeSpec(""))).Create(t.Context(), made)
	assert.NoError(t, err)
}

// A declared key attribute is the key.
func TestDeclaredKeyIsTheKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	spec := badgeSpec("")
	spec.Unique = nil
	spec.Codec = entity.Declare(func(f *entity.Fields, b *badge) {
		f.String("badgeId", &b.ID)
		f.String("holder", &b.Holder)
		f.String("pk", &b.Door)
	})
	badges := entity.NewTable(db.DB, entity.New(spec))
	_, err := badges.Create(t.Context(), &badge{ID: "1", Door: "front", Holder: "ada"})
	assert.EqualError(t, err, "Badge.Create: Badge (pk): the key attribute that the codec declares must equal the one that Spec.Key returns")
	_, err = badges.Create(t.Context(), &badge{ID: "1", Door: "BADGE#1", Holder: "ada"})
	assert.NoError(t, err)
}

// Another item's key is not a badge's: whoever deletes a door's guard by it lets the door have a second badge.
func TestDeleteOfAnotherItem(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.Create(t.Context(), &badge{ID: "1", Door: "front", Holder: "ada"})
	require.NoError(t, err)
	err = badges.Delete(t.Context(), dynastay.Key{PK: "DOOR#front"})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	assert.ErrorContains(t, err, "DOOR#front must be the key of a Badge")
	_, err = badges.Create(t.Context(), &badge{ID: "2", Door: "front", Holder: "bob"})
	assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
}

// An index in which an entity has no key holds none of it.
func TestListOfAnIndexWithoutAKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.List(dynastay.Query{Index: "Other", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.EqualError(t, err, "invalid Index: Other is not an index of Badge")
	_, err = badges.List(dynastay.Query{Index: "ByHolder", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.NoError(t, err)

	type tagged struct {
		ID    string `dynamodbav:"badgeId"`
		Other string `dynamodbav:"otherPK"`
	}
	own := entity.NewTable(db.DB, entity.New(entity.Spec[tagged]{
		Name: "Tagged", Schema: badgesTable, Codec: entity.Tagged[tagged](),
		Key: func(v *tagged) (dynastay.Key, error) { return dynastay.Key{PK: v.ID}, nil },
	}))
	_, err = own.List(dynastay.Query{Index: "Other", Partition: "x"}).Page(t.Context(), dynastay.Paging{})
	assert.NoError(t, err, "it declares the index's key itself")
}

// A delete that has read the entity is certain where its request was lost: the item shows that it was not done, and the same
// request is sent again.
func TestLostDeleteOfWhatWasRead(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, badgesTable))
	badges := entity.NewTable(db.DB, entity.New(badgeSpec("")))
	_, err := badges.Create(t.Context(), &badge{ID: "1", Holder: "ada"}) // of no door, so without a guard
	require.NoError(t, err)
	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "DeleteItem", Nth: 1})
	require.NoError(t, badges.Delete(t.Context(), dynastay.Key{PK: "BADGE#1"}))
	assert.Equal(t, 1, lost.Hits())
	_, err = badges.Get(t.Context(), dynastay.Key{PK: "BADGE#1"}, dynastay.Consistent)
	assert.ErrorIs(t, err, dynastay.ErrNotFound)
}

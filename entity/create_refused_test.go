package entity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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

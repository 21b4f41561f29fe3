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

// slip has a drawn id, and a key that is made of something else.
type slip struct{ ID, Booking, Guest string }

var slipsTable = &dynastay.Schema{Name: "Slips", Key: dynastay.KeyNames{Partition: "pk"}}

func slipSpec() entity.Spec[slip] {
	return entity.Spec[slip]{
		Name: "Slip", Schema: slipsTable, ID: "slipId", Prefix: "slip_",
		Key: func(s *slip) (dynastay.Key, error) { return dynastay.Key{PK: "BOOKING#" + s.Booking}, nil },
		Codec: entity.Declare(func(f *entity.Fields, s *slip) {
			f.String("slipId", &s.ID)
			f.String("booking", &s.Booking)
			f.String("guest", &s.Guest)
		}),
	}
}

// A drawn id proves a write only where the key is made of it: under a booking's key the item may be another caller's.
func TestDrawnIDProvesNothingOfAnotherKey(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable, slipsTable), dyntest.With(dynastay.Options{Retry: dynastay.Retry{Attempts: 2}}))
	slips := entity.NewTable(db.DB, entity.New(slipSpec()))
	_, err := slips.Create(t.Context(), &slip{Booking: "b1", Guest: "Ada"})
	require.NoError(t, err)

	lost := db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "PutItem", EveryAttempt: true, Times: 1})
	_, err = slips.Create(t.Context(), &slip{Booking: "b1", Guest: "Bob"})
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Positive(t, lost.Hits())
	got, err := slips.Get(t.Context(), dynastay.Key{PK: "BOOKING#b1"}, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, "Ada", got.Guest)

	lost = db.Faults.Inject(dyntest.LoseRequest(), dyntest.When{Operation: "TransactWriteItems", EveryAttempt: true, Times: 1})
	err = db.Write(t.Context(), slips.CreateOp(&slip{Booking: "b1"}), slips.CreateOp(&slip{Booking: "b2"}))
	assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
	assert.Positive(t, lost.Hits())
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

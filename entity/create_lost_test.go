package entity_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Whose answer was lost finds the item: under a drawn id whatever others made of it, under a given one while it shows its own
// write.
func TestCreateWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		id      string
		updates int
		unknown bool
	}{
		"drawn": {"", 0, false}, "drawn, and changed since": {"", 2, false},
		"given": {"1", 0, false}, "given, and changed once": {"1", 1, false}, "given, and changed since": {"1", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openCloakroom(t)
			op := c.CreateOp(&bag{ID: test.id, Owner: "john"})
			c.db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "PutItem", Nth: 1})
			c.before("GetItem", func(ctx context.Context) {
				for range test.updates {
					for id := range c.ids() {
						c.relabelled(ctx, id, "fragile")
					}
				}
			})
			err := c.db.Write(t.Context(), op)
			assert.Len(t, c.ids(), 1)
			if test.unknown {
				assert.ErrorIs(t, err, dynastay.ErrOutcomeUnknown)
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, c.item(bagKey(op.Result().ID)))
		})
	}
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

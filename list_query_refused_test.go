package dynastay_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// An index row with a part of an entity is not an entity: putting it would lose the rest.
func TestTableQueryNeedsWholeEntities(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, _ := openOutbox(t, dynastay.Options{})
	hotel := fixture.New(t, db.Direct, 1)
	_, err := bookings.New(db.DB, nil).Create(ctx, fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1)))
	require.NoError(t, err)
	type row struct{ Reference string }
	table := entity.NewTable(db.DB, entity.New(entity.Spec[row]{
		Name: "Row", Schema: keys.BookingsTable,
		Key:   func(*row) (dynastay.Key, error) { return dynastay.Key{}, nil },
		Codec: entity.Declare(func(f *entity.Fields, r *row) { f.String("BookingReference", &r.Reference) }),
	}))
	stop := db.Faults.Record()
	for _, index := range []string{keys.UserBookingsIndex, keys.ReferenceIndex} {
		_, err = table.List(dynastay.Query{Name: "rows", Index: index, Partition: "USER#user_456"}).Page(ctx, dynastay.Paging{})
		invalid := blame.Invalid(t, err, "Index")
		assert.Contains(t, invalid.Reason, index)
	}
	assert.Empty(t, stop())
}

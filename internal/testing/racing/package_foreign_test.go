package racing_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// Other software leaves no write ids. That it was at an item between the read and the write shows by what it wrote.
func TestOtherSoftwareIsNoticed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, flag    string
		update, value string
	}{
		{"an attribute", "DK", "SET Flag = :value", "SE"},
		{"a derived attribute, which it gets wrong", "DK", "SET Label = :value", "stale"},
		{"an attribute that it did not have", "", "SET Flag = :value", "SE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, dyntest.OnlyTables(fleet))
			table := entity.NewTable(db.Direct, boats)
			_, err := table.Create(t.Context(), &boat{ID: "1", Name: "Anna", Harbour: "Kiel", Flag: test.flag})
			require.NoError(t, err)
			raw.Update(t, db, fleet, boatKey("1"), "REMOVE WriteId", nil)
			values := dynastay.Item{":value": dynastay.Text(test.value)}

			err, _ = racing.Between.Meet(t, db, func(ctx context.Context, db *dynastay.DB) error {
				_, err := entity.NewTable(db, boats).Update(ctx, boatKey("1"), func(b *boat) error {
					b.Afloat = true
					return nil
				})
				return err
			}, func(context.Context, *dynastay.DB) error {
				raw.Update(t, db, fleet, boatKey("1"), test.update, values)
				return nil
			})
			require.NoError(t, err)
			assert.Equal(t, true, scan(t, db)["BOAT#1 METADATA"]["Afloat"])
			checkFleet(t, db)
		})
	}
}

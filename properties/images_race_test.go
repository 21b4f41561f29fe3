package properties_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// Another call changes images that an arrangement leaves where they are, or adds one, between its read and its write:
// the order is that of one call after the other.
func TestArrangementsMeet(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		other func(context.Context, *properties.Repository, string) error
		want  string
	}{
		"ArrangeImages": {func(ctx context.Context, r *properties.Repository, id string) error {
			return second(r.ArrangeImages(ctx, id, []string{"b", "a", "c", "d"}))
		}, "abdc"},
		"AddImages": {func(ctx context.Context, r *properties.Repository, id string) error {
			return second(r.AddImages(ctx, id, []properties.Image{{ID: "_", URL: "u", Order: 3}}))
		}, "abdc_"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openSeller(t, 1, 0)
			_, err := s.direct.AddImages(t.Context(), s.id, []properties.Image{{ID: "a", URL: "a"}, {ID: "b", URL: "b"}, {ID: "c", URL: "c"}, {ID: "d", URL: "d"}})
			require.NoError(t, err)
			defer s.db.Faults.Inject(dyntest.Before(func(ctx context.Context) {
				assert.NoError(t, test.other(ctx, s.direct, s.id))
			}), dyntest.When{Operation: "TransactWriteItems", Nth: 1}).Stop()
			arranged, err := s.repo.ArrangeImages(t.Context(), s.id, []string{"a", "b", "d", "c"})
			require.NoError(t, err)
			all, err := s.direct.GetImages(t.Context(), s.id, dynastay.Consistent)
			require.NoError(t, err)
			order := ""
			for i, image := range all {
				order += image.ID
				assert.Equal(t, i+1, image.Order)
			}
			assert.Equal(t, test.want, order)
			assert.Len(t, arranged, len(all))
			for i, image := range arranged {
				assert.Equal(t, all[i].ID, image.ID)
			}
		})
	}
}

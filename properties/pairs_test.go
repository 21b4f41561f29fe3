package properties_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// slugsOf returns the slugs that a property may have in a race.
func slugsOf(id string) []string { return []string{"a-" + id, "B " + id, "c#" + id} }

// drawn creates a property in a random state, with up to three amenities.
func drawn(t *testing.T, db *dynastay.DB, draw *rand.Rand) *properties.Property {
	t.Helper()
	return &create(t, properties.New(db, nil), grand(db.NewID("prop_"), func(p *properties.Property) {
		p.Slug = slugsOf(p.ID)[0]
		p.Status = racing.One(draw, properties.Pending, properties.Approved)
		p.Stars, p.Featured = racing.One(draw, 0, 5), racing.One(draw, true, false)
		p.FeaturedScore, p.Address.Line2 = racing.One(draw, 0, 95), racing.One(draw, "", "Suite 100")
		p.AmenityIDs = p.AmenityIDs[:draw.IntN(4)]
	})).Property
}

// Two callers change any two fields of a property at the same time: neither change is lost, and the index keys, the
// card, the amenities and the guard of the slug follow from both.
func TestNoChangeOfAPropertyIsLost(t *testing.T) {
	t.Parallel()
	racing.Attributes[properties.Property]{
		Entity: properties.PropertyEntity,
		Make:   drawn,
		Values: func(p *properties.Property) map[string][]any {
			slugs := slugsOf(p.ID)
			return map[string][]any{
				"Slug": {slugs[1], slugs[2]}, "Type": {"resort", "tree_house"},
				"Address.City":       {" New York", "Boston", "100% #1"},
				"Address.Country":    {"US#A", "Canada"},
				"Address.Latitude":   {-33.8568, 82.5},
				"Address.Longitude":  {151.2153, 0.5},
				"CheckInTime":        {"", "14:00"},
				"CheckOutTime":       {"", "10:30"},
				"TimeZone":           {"", "Europe/Riga"},
				"CancellationPolicy": {"", availability.NonRefundable},
				"OwnerID":            {"user_1", "user_2"},
			}
		},
		Kept: []string{
			"ID", "Status", "PrimaryImageURL", "ImageCount", "Rating", "ReviewCount", "AmenityIDs", "Prices.Min", "Prices.Max", "CreatedAt", "UpdatedAt", "Version",
		},
		Update: func(ctx context.Context, db *dynastay.DB, p *properties.Property, fn func(*properties.Property) error) error {
			_, err := properties.New(db, nil).Update(ctx, p.ID, fn)
			return err
		},
		Check: func(t *testing.T, db *dyntest.DB, p *properties.Property) {
			checkDerived(t, db, p.ID, slugsOf(p.ID)...)
		},
	}.Run(t)
}

func addAmenity(id, amenity string) racing.Call {
	return func(ctx context.Context, db *dynastay.DB) error {
		return second(properties.New(db, nil).AddAmenities(ctx, id, []string{amenity}))
	}
}

// An amenity that is added while its property is approved, or moves to a different city, is found there.
func TestNoAmenityIsLeftBehind(t *testing.T) {
	t.Parallel()
	racing.Rounds(t, func(t *testing.T, db *dyntest.DB, draw *rand.Rand) {
		move := func(p *properties.Property) racing.Call {
			city := racing.One(draw, "Boston", "100% #1")
			if p.Status == properties.Pending && draw.IntN(2) == 0 {
				return approval(p.ID)
			}
			return func(ctx context.Context, db *dynastay.DB) error {
				_, err := properties.New(db, nil).Update(ctx, p.ID, edit(func(p *properties.Property) { p.Address.City = city }))
				return err
			}
		}
		for _, way := range racing.Ways {
			for _, added := range []bool{true, false} {
				p := drawn(t, db.Direct, draw)
				first, second := move(p), addAmenity(p.ID, "sauna")
				if added {
					first, second = second, first
				}
				one, other := way.Meet(t, db, first, second)
				require.NoError(t, one, way.Name)
				require.NoError(t, other, way.Name)
				checkDerived(t, db, p.ID, slugsOf(p.ID)...)
				require.False(t, t.Failed(), way.Name)
			}
		}
		p := drawn(t, db.Direct, draw)
		db.Faults.Conflicts(0)
		for _, err := range racing.AtOnce(t, db, move(p), move(p), addAmenity(p.ID, "sauna"), addAmenity(p.ID, "bar")) {
			require.NoError(t, err)
		}
		checkDerived(t, db, p.ID, slugsOf(p.ID)...)
	}, dyntest.OnlyTables(keys.PropertiesTable, keys.AvailabilityTable))
}

package properties_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/racing"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// attribute is an attribute that updates in the random tests may change.
type attribute struct {
	name   string
	values []any
	of     func(*properties.Property) any
	set    func(*properties.Property, any)
}

func attr[T any](name string, at func(*properties.Property) *T, values ...T) attribute {
	a := attribute{
		name: name,
		of:   func(p *properties.Property) any { return *at(p) },
		set:  func(p *properties.Property, v any) { *at(p) = v.(T) },
	}
	for _, v := range values {
		a.values = append(a.values, v)
	}
	return a
}

// attributesOf returns all attributes from which something is derived, and a few others. All slugs are free except the
// last one in the random test, which belongs to a different property.
func attributesOf(slugs []string) []attribute {
	type P = properties.Property
	return []attribute{
		attr("City", func(p *P) *string { return &p.Address.City }, "New York", " New York", "Boston", "100% #1"),
		attr("Country", func(p *P) *string { return &p.Address.Country }, "USA", "US#A", "Canada"),
		attr("Latitude", func(p *P) *float64 { return &p.Address.Latitude }, 40.7589, -33.8568, 82.5),
		attr("Longitude", func(p *P) *float64 { return &p.Address.Longitude }, -73.9851, 151.2153),
		attr("Stars", func(p *P) *int { return &p.Stars }, 0, 3, 5),
		attr("Type", func(p *P) *properties.Type { return &p.Type }, properties.Hotel, properties.Resort, "tree_house"),
		attr("Featured", func(p *P) *bool { return &p.Featured }, true, false),
		attr("FeaturedScore", func(p *P) *int { return &p.FeaturedScore }, 0, 7, 95),
		attr("Slug", func(p *P) *string { return &p.Slug }, slugs...),
		attr("Name", func(p *P) *string { return &p.Name }, "Grand", "Petit"),
		attr("OwnerID", func(p *P) *string { return &p.OwnerID }, "user_1", "user_2"),
		attr("TimeZone", func(p *P) *string { return &p.TimeZone }, "", "America/New_York"),
		attr("CheckInTime", func(p *P) *string { return &p.CheckInTime }, "", "14:00"),
		attr("Policy", func(p *P) *availability.CancellationPolicy { return &p.CancellationPolicy }, "", availability.NonRefundable),
		attr("Line2", func(p *P) *string { return &p.Address.Line2 }, "", "Suite 100"),
		attr("Description", func(p *P) *string { return &p.Description }, "", "Large."),
	}
}

// Every pair of attributes, one of them changed between the read and the write of the other. The later write must
// notice if both are part of the same key, above all if the earlier one adds the index keys by approving the property.
func TestNothingDerivedIsStaleAfterTwoChanges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	inputs := attributesOf([]string{"another"})
	inputs = inputs[:slices.IndexFunc(inputs, func(a attribute) bool { return a.name == "TimeZone" })]
	status := attribute{name: "Status", of: func(p *properties.Property) any { return p.Status }}
	inputs = append(inputs, status)
	to := map[string]any{"Status": properties.Approved, "City": "Boston", "Featured": true}
	for i, outer := range inputs {
		for j, inner := range inputs {
			if i == j {
				continue
			}
			name := outer.name + " " + inner.name
			p := grand(fmt.Sprintf("p-%d-%d", i, j), func(p *properties.Property) { p.Featured, p.AmenityIDs = false, nil })
			versions := 2
			if outer.name == "Status" || inner.name == "Status" {
				p.Status, versions = properties.Pending, 1
			}
			made, err := repo.Create(t.Context(), p, []properties.RoomType{king("room-of-"+p.ID, "100")})
			require.NoError(t, err)
			value := func(a attribute) any {
				switch v, ok := to[a.name]; {
				case ok:
					return v
				case a.name == "Slug":
					return "another-" + p.ID
				}
				return a.values[slices.IndexFunc(a.values, func(v any) bool { return v != a.of(&p) })]
			}
			call := func(a attribute) racing.Call {
				if a.name == "Status" {
					return approval(p.ID)
				}
				return func(ctx context.Context, db *dynastay.DB) error {
					return second(properties.New(db, nil).Update(ctx, p.ID, edit(func(p *properties.Property) { a.set(p, value(a)) })))
				}
			}
			outerErr, innerErr := racing.Between.Meet(t, db, call(outer), call(inner))
			require.NoError(t, outerErr, name)
			require.NoError(t, innerErr, name)
			got, err := repo.Get(t.Context(), p.ID)
			require.NoError(t, err)
			assert.Equal(t, value(outer), outer.of(got), name)
			assert.Equal(t, value(inner), inner.of(got), name)
			assert.Equal(t, made.Version+versions, got.Version, name)
			checkDerived(t, db, p.ID, p.Slug)
			require.False(t, t.Failed(), name)
		}
	}
}

// Several processes update all attributes at once. Whichever update wins, everything derived is right.
func TestNothingDerivedIsStaleAfterARace(t *testing.T) {
	t.Parallel()
	for round := range 4 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			db := dyntest.New(t, propertyTables)
			slugs := []string{"a", "b", "c", "rival"}
			repo := properties.New(db.DB, nil)
			create(t, repo, grand("rival", func(p *properties.Property) { p.Slug = "rival" }))
			create(t, repo, grand("p1", pending, func(p *properties.Property) { p.Slug = "a" }))
			attributes := attributesOf(slugs)
			repos := []*properties.Repository{
				properties.New(db.Open(&dynastay.Options{Retry: patient}), nil), properties.New(db.Open(&dynastay.Options{Retry: patient}), nil),
			}
			racing.Together(len(attributes), func(i int) {
				a := attributes[i]
				for j := range 3 {
					v := a.values[(i+j+round)%len(a.values)]
					_, err := repos[i%2].Update(t.Context(), "p1", edit(func(p *properties.Property) { a.set(p, v) }))
					if err != nil && !errors.Is(err, dynastay.ErrInvalid) && !errors.Is(err, dynastay.ErrAlreadyExists) {
						assert.NoError(t, err)
					}
				}
			})
			checkDerived(t, db, "p1", slugs...)
		})
	}
}

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
			"ID", "Status", "PrimaryImageURL", "ImageCount", "Rating", "ReviewCount", "RatePlanCount", "HasCharges", "AmenityIDs", "Prices.Min", "Prices.Max", "CreatedAt", "UpdatedAt", "Version",
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

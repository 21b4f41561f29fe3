package properties_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/racing"
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

// Random operations, some with another one between their first read and their first write. After each one, the property
// is as if the operations had happened one after the other, in one order or the other, and everything derived is right.
func TestNothingDerivedIsEverStale(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rapid.Check(t, func(t *rapid.T) {
		id := db.NewID("prop_")
		slugs := []string{"a-" + id, "A " + id, "b#" + id, "rival-" + id}
		rival := grand("rival-of-"+id, func(p *properties.Property) { p.Slug = slugs[3] })
		_, err := repo.Create(t.Context(), rival, []properties.RoomType{king("rival-room-"+id, "99")})
		require.NoError(t, err)
		p := grand(id, func(p *properties.Property) {
			p.Slug = slugs[0]
			p.Status = rapid.SampledFrom([]properties.Status{properties.Pending, properties.Approved}).Draw(t, "status")
			p.AmenityIDs = []string{"wifi", "pool", "gym"}[:rapid.IntRange(0, 3).Draw(t, "amenities")]
		})
		_, err = repo.Create(t.Context(), p, []properties.RoomType{king("1-"+id, "250"), king("2-"+id, "150.5")})
		require.NoError(t, err)
		checkDerived(t, db, id, slugs...)

		m := &model{id: id, attributes: attributesOf(slugs), rival: slugs[3]}
		now := m.observe(t, db, repo)
		now.used = map[string]bool{"1-" + id: true, "2-" + id: true}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			outer := m.draw(t, "operation")
			if !rapid.Bool().Draw(t, "interrupted") {
				want, refused := outer.applied(now)
				assertRefusal(t, outer.name, refused, outer.run(t.Context(), repo))
				now = want
			} else {
				now = m.interleave(t, db, now, outer, m.draw(t, "in between"))
			}
			require.Equal(t, now.shown(), m.observe(t, db, repo).shown(), outer.name)
			checkDerived(t, db, id, slugs...)
		}
		checkDerived(t, db, rival.ID)
	})
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
			race(len(attributes), func(i int) {
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

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

// Random updates of up to three attributes each, some with another update between their read and their write. After
// each one, everything derived is right, each attribute has a value that results from some order of the updates, and
// the version has counted the writes.
func TestNothingDerivedIsEverStale(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
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
		made, err := repo.Create(t.Context(), p, []properties.RoomType{king("room-1-"+id, "250"), king("room-2-"+id, "150.5")})
		require.NoError(t, err)
		checkDerived(t, db, id, slugs...)

		attributes := attributesOf(slugs)
		type change map[int]any // by attribute
		draw := func(label string) change {
			c := change{}
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(attributes)-1), 1, 3, rapid.ID[int]).Draw(t, label) {
				c[i] = rapid.SampledFrom(attributes[i].values).Draw(t, label+" "+attributes[i].name)
			}
			return c
		}
		update := func(c change, inside func()) (*properties.Property, error) {
			return repo.Update(t.Context(), id, meanwhile(inside, func(p *properties.Property) {
				for i, v := range c {
					attributes[i].set(p, v)
				}
			}))
		}
		// refusal returns the field that an update of p must be refused for, or "".
		refusal := func(p properties.Property, c change) string {
			after := p
			for i, v := range c {
				attributes[i].set(&after, v)
			}
			switch {
			case p.Status == properties.Approved && after.Status != properties.Approved:
				return "Status"
			case after.Slug == slugs[3]:
				return "Slug"
			}
			return ""
		}
		// check asserts that err is one of the refusals, and reports whether the update succeeded.
		check := func(err error, refusals ...string) bool {
			if err == nil {
				assert.Contains(t, refusals, "")
				return true
			}
			var invalid *dynastay.InvalidError
			var failure *dynastay.Error
			switch {
			case errors.As(err, &invalid):
				assert.Contains(t, refusals, invalid.Field)
				assert.Equal(t, "Status", invalid.Field)
			case errors.As(err, &failure):
				assert.Contains(t, refusals, failure.Field)
				assert.ErrorIs(t, err, dynastay.ErrAlreadyExists)
			default:
				require.NoError(t, err)
			}
			return false
		}

		now := made.Property
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			before := now
			outer := draw("update")
			interrupted, inside := rapid.Bool().Draw(t, "interrupted"), func() {}
			if interrupted {
				inner := draw("in between")
				inside = func() {
					got, err := update(inner, func() {})
					if check(err, refusal(before, inner)) {
						now = *got
					}
				}
			}
			got, err := update(outer, inside)
			// An attribute that the update did not change when it was prepared may not have been written.
			effective := change{}
			for i, v := range outer {
				if v != attributes[i].of(&before) {
					effective[i] = v
				}
			}
			done := check(err, refusal(now, outer), refusal(now, effective))
			middle := now

			there, err := repo.Get(t.Context(), id)
			require.NoError(t, err)
			now = *there
			for i, a := range attributes {
				allowed := []any{a.of(&middle)}
				if v, ok := outer[i]; ok && done {
					allowed = []any{v}
					if _, changed := effective[i]; !changed {
						allowed = append(allowed, a.of(&middle))
					}
				}
				assert.Contains(t, allowed, a.of(&now), a.name)
			}
			changed := func(a, b properties.Property) bool {
				return slices.ContainsFunc(attributes, func(at attribute) bool { return at.of(&a) != at.of(&b) })
			}
			wantVersion := middle.Version
			if changed(middle, now) {
				wantVersion++
			}
			assert.Equal(t, wantVersion, now.Version, "every write counts once")
			if done && !interrupted {
				assert.Equal(t, there, got, "an update returns what it stored")
			}
			checkDerived(t, db, id, slugs...)
		}
		checkDerived(t, db, rival.ID)
	})
}

// Every pair of attributes, one of them changed between the read and the write of the other. The later write must
// notice if both are part of the same key, above all if the earlier one adds the index keys by approving the property.
func TestNothingDerivedIsStaleAfterTwoChanges(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t)
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
			db := dyntest.New(t)
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

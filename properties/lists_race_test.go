package properties_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/properties"
)

// Between two pages, some properties are approved, suspended, rated, priced, equipped or described differently. All others are
// listed exactly once, in their order.
func TestPagesWhilePropertiesMove(t *testing.T) {
	t.Parallel()
	opts := sharded(2, 3)
	m := market.Generate(5, market.Options{Properties: 120, Repository: opts})
	db := dyntest.New(t, propertyTables)
	m.Load(t, db.Direct)
	repo := properties.New(db.DB, &opts)

	var movers, still market.Market
	for i, p := range m.Properties {
		into := &still
		if i%2 == 0 {
			into = &movers
		}
		into.Properties = append(into.Properties, p)
	}
	moved, seen := map[string]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		qs := questions(t, &still)
		q := rapid.SampledFrom(qs).Draw(t, "list")
		limit := rapid.IntRange(1, 1+len(q.want)/2).Draw(t, "limit")
		wanted := ids(q.want)
		var got []string
		for paging := (dynastay.Paging{Limit: limit}); ; {
			page, err := q.list(repo).Page(t.Context(), paging)
			require.NoError(t, err)
			for _, c := range page.Items {
				if !slices.ContainsFunc(movers.Properties, func(p *properties.WithRooms) bool { return p.ID == c.PropertyID }) {
					got = append(got, c.PropertyID)
				}
			}
			if paging.After = page.Next; paging.After == "" {
				break
			}
			for range rapid.IntRange(1, 3).Draw(t, "moves") {
				moved[move(t, repo, rapid.SampledFrom(movers.Properties).Draw(t, "property"))]++
			}
		}
		require.Equal(t, wanted, got, q.name)
		seen += len(got)
	})
	assert.Positive(t, seen)
	assert.NotEmpty(t, moved)
}

var moves = map[string]func(*rapid.T, *properties.Repository, *properties.WithRooms) error{
	"approve": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		return second(r.Approve(t.Context(), p.ID))
	},
	"suspend": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		return second(r.Suspend(t.Context(), p.ID))
	},
	"rate": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		return second(r.Rate(t.Context(), p.ID, 0, dynastay.Rating(rapid.IntRange(10, 100).Draw(t, "rating"))))
	},
	"price": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		price := rapid.SampledFrom([]string{"1", "90", "150", "1000", "5000"}).Draw(t, "price")
		return second(r.UpdateRoomType(t.Context(), p.ID, p.Rooms[0].ID, func(room *properties.RoomType) error {
			room.BasePrice = dynastay.MustMoney(price, room.BasePrice.Currency())
			return nil
		}))
	},
	"describe": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		stars, score := rapid.IntRange(0, 5).Draw(t, "stars"), rapid.IntRange(0, 100).Draw(t, "score")
		featured, kind := rapid.Bool().Draw(t, "featured"), rapid.SampledFrom(market.Types).Draw(t, "type")
		return second(r.Update(t.Context(), p.ID, edit(func(p *properties.Property) {
			p.Stars, p.Featured, p.FeaturedScore, p.Type = stars, featured, score, kind
		})))
	},
	"equip": func(t *rapid.T, r *properties.Repository, p *properties.WithRooms) error {
		ids := rapid.SliceOfDistinct(rapid.SampledFrom(market.AmenityIDs), rapid.ID[string]).Draw(t, "amenities")
		return second(r.SetAmenities(t.Context(), p.ID, ids))
	},
}

// move changes a property, unless its status does not allow the change. It returns what it did.
func move(t *rapid.T, repo *properties.Repository, p *properties.WithRooms) string {
	name := rapid.SampledFrom(slices.Sorted(maps.Keys(moves))).Draw(t, "move")
	err := moves[name](t, repo, p)
	var refused *properties.StatusError
	if !errors.As(err, &refused) {
		require.NoError(t, err, name)
	}
	return name
}

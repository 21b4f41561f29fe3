package properties_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/market"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
)

var marketSize = flag.Int("market.properties", 300, "number of properties of the market that lists are compared with")

// question is a list with its brute-force result.
type question struct {
	name string
	list func(*properties.Repository) dynastay.List[*properties.Card]
	want []*properties.Card
}

var (
	minimums = rapid.OneOf(rapid.SampledFrom([]dynastay.Rating{0, 1, 79, 80, 81, 99, 100}), rapid.Map(rapid.IntRange(0, 100), toRating))
	amounts  = rapid.SampledFrom([]string{"", "0", "90", "149.99", "149.999", "150", "150.001", "150.01", "1000", "999999999999.999"})
)

func toRating(n int) dynastay.Rating { return dynastay.Rating(n) }

// questions generates a query of each pattern.
func questions(t *rapid.T, m *market.Market) []question {
	city := rapid.SampledFrom(market.Cities).Draw(t, "city")
	minimum := minimums.Draw(t, "minimum")
	stars := rapid.IntRange(1, 5).Draw(t, "stars")
	kind := rapid.SampledFrom(market.Types).Draw(t, "type")
	here := func(p *properties.WithRooms) bool {
		return p.Address.City == city.Name && p.Address.Country == city.Country
	}
	return []question{
		{"ByCity", func(r *properties.Repository) dynastay.List[*properties.Card] {
			return r.ByCity(properties.CityQuery{City: city.Name, Country: city.Country, MinRating: minimum})
		}, sorted(m.Cards(func(p *properties.WithRooms) bool { return here(p) && p.Rating >= minimum }), byRating, true)},
		priceQuestion(t, m, city, here),
		{"ByStars", func(r *properties.Repository) dynastay.List[*properties.Card] {
			return r.ByStars(properties.StarsQuery{City: city.Name, Country: city.Country, Stars: stars, MinRating: minimum})
		}, sorted(m.Cards(func(p *properties.WithRooms) bool { return here(p) && p.Stars == stars && p.Rating >= minimum }), byRating, true)},
		{"ByType", func(r *properties.Repository) dynastay.List[*properties.Card] {
			return r.ByType(properties.TypeQuery{Type: kind, MinRating: minimum})
		}, sorted(m.Cards(func(p *properties.WithRooms) bool { return p.Type == kind && p.Rating >= minimum }), byRating, true)},
		{"Featured", (*properties.Repository).Featured,
			sorted(m.Cards(func(p *properties.WithRooms) bool { return p.Featured }), byScore, true)},
		amenityQuestion(t, m, city, here),
	}
}

func priceQuestion(t *rapid.T, m *market.Market, city market.City, here func(*properties.WithRooms) bool) question {
	q := properties.PriceQuery{
		City: city.Name, Country: city.Country, Currency: rapid.SampledFrom(market.Currencies).Draw(t, "currency"),
		Descending: rapid.Bool().Draw(t, "descending"),
	}
	for _, bound := range []*dynastay.Money{&q.Min, &q.Max} {
		if text := amounts.Draw(t, "bound"); text != "" {
			*bound = dynastay.MustMoney(text, q.Currency)
		}
	}
	if q.Min.IsSet() && q.Max.IsSet() && compare(q.Min, q.Max) > 0 {
		q.Min, q.Max = q.Max, q.Min
	}
	return question{
		"ByPrice", func(r *properties.Repository) dynastay.List[*properties.Card] { return r.ByPrice(q) },
		sorted(m.Cards(func(p *properties.WithRooms) bool {
			lowest := p.Prices.Min
			return here(p) && lowest.Currency() == q.Currency &&
				(!q.Min.IsSet() || compare(q.Min, lowest) <= 0) && (!q.Max.IsSet() || compare(lowest, q.Max) <= 0)
		}), byLowestPrice, q.Descending),
	}
}

// amenityQuestion asks for amenities in any order, which makes no difference.
func amenityQuestion(t *rapid.T, m *market.Market, city market.City, here func(*properties.WithRooms) bool) question {
	q := properties.AmenityQuery{City: city.Name, Country: city.Country}
	q.AmenityIDs = rapid.SliceOfNDistinct(rapid.SampledFrom(market.AmenityIDs), 1, 4, rapid.ID[string]).Draw(t, "amenities")
	return question{
		"ByAmenities", func(r *properties.Repository) dynastay.List[*properties.Card] { return r.ByAmenities(q) },
		sorted(m.Cards(func(p *properties.WithRooms) bool {
			return here(p) && !slices.ContainsFunc(q.AmenityIDs, func(id string) bool { return !slices.Contains(p.AmenityIDs, id) })
		}), byID, false),
	}
}

func compare(a, b dynastay.Money) int {
	n, err := a.Compare(b)
	if err != nil {
		panic(err)
	}
	return n
}

func byRating(a, b *properties.Card) int { return cmp.Compare(a.Rating, b.Rating) }

func byScore(a, b *properties.Card) int { return cmp.Compare(a.FeaturedScore, b.FeaturedScore) }

func byID(a, b *properties.Card) int { return strings.Compare(a.PropertyID, b.PropertyID) }

func byLowestPrice(a, b *properties.Card) int { return compare(a.Prices.Min, b.Prices.Min) }

// sorted sorts cards, those that are equal by their ids, in the same direction.
func sorted(cards []*properties.Card, by func(a, b *properties.Card) int, descending bool) []*properties.Card {
	slices.SortFunc(cards, func(a, b *properties.Card) int {
		n := cmp.Or(by(a, b), strings.Compare(a.PropertyID, b.PropertyID))
		if descending {
			n = -n
		}
		return n
	})
	return cards
}

func sharded(write, read int) properties.Options {
	shards := key.Shards{Write: write, Read: read}
	return properties.Options{TypeShards: shards, FeaturedShards: shards, PendingShards: shards}
}

// Each list has the cards of a brute-force model, in the same order, however long its pages are and however many shards
// are read.
func TestListsAgreeWithTheMarket(t *testing.T) {
	t.Parallel()
	const mostShards = 4
	for _, write := range []int{1, 3} {
		t.Run(fmt.Sprint(write), func(t *testing.T) {
			t.Parallel()
			size := *marketSize
			if write > 1 {
				size = min(size, 100)
			}
			m := market.Generate(uint64(write), market.Options{Properties: size, Repository: sharded(write, write)})
			db := dyntest.New(t, propertyTables)
			m.Load(t, db.Direct)
			repos := map[int]*properties.Repository{}
			for read := write; read <= mostShards; read++ {
				opts := sharded(write, read)
				repos[read] = properties.New(db.DB, &opts)
			}
			found := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				repo := repos[rapid.IntRange(write, mostShards).Draw(t, "shards read")]
				for _, q := range questions(t, m) {
					limit := max(rapid.SampledFrom([]int{1, 2, 3, 7, 50, 1000}).Draw(t, "limit"), len(q.want)/40)
					got := pages(t, q.list(repo), limit)
					require.Equal(t, ids(q.want), ids(got), q.name)
					require.Equal(t, q.want, got, q.name)
					found[q.name] += len(got)
				}
			})
			for _, name := range []string{"ByCity", "ByPrice", "ByStars", "ByType", "Featured", "ByAmenities"} {
				assert.Positive(t, found[name], name)
			}
		})
	}
}

// pages returns all cards of a list, page by page. Each page but the last is full: there are enough reads.
func pages(t *rapid.T, list dynastay.List[*properties.Card], limit int) (all []*properties.Card) {
	for paging := (dynastay.Paging{Limit: limit, Reads: 100}); ; {
		page, err := list.Page(t.Context(), paging)
		require.NoError(t, err)
		all = append(all, page.Items...)
		if paging.After = page.Next; paging.After == "" {
			require.LessOrEqual(t, len(page.Items), limit)
			return all
		}
		require.Len(t, page.Items, limit)
	}
}

package properties_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// rated creates a property and sets its rating, as the reviews will.
func rated(t testing.TB, db *dyntest.DB, repo *properties.Repository, rating string, p properties.Property) {
	t.Helper()
	create(t, repo, p)
	item := stored(t, db, p.ID)
	n, err := dynastay.ParseRating(rating)
	require.NoError(t, err)
	update := "SET AverageRating = :r, Card.AverageRating = :r"
	values := dynastay.Item{":r": &types.AttributeValueMemberN{Value: rating}}
	if _, ok := item["GSI1SK"]; ok {
		update += ", GSI1SK = :k, GSI4SK = :k, GSI8SK = :k"
		values[":k"] = dynastay.Text(fmt.Sprintf("RATING#%02d.%d#PROPERTY#%s", int(n)/10, int(n)%10, p.ID))
	}
	set(t, db, keyOf(p.ID), update, values)
	checkDerived(t, db, p.ID)
}

func in(city, country string) func(*properties.Property) {
	return func(p *properties.Property) { p.Address.City, p.Address.Country = city, country }
}

func ids(cards []*properties.Card) (all []string) {
	for _, c := range cards {
		all = append(all, c.PropertyID)
	}
	return all
}

func TestByCity(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, rating := range map[string]string{"a": "9.2", "b": "10.0", "c": "8.0", "d": "7.9", "e": "0.0", "f": "9.2", "g": "8.1"} {
		rated(t, db, repo, rating, grand(id))
	}
	rated(t, db, repo, "9.9", grand("waiting", pending))
	create(t, repo, grand("rejected", pending))
	_, err := repo.Reject(t.Context(), "rejected")
	require.NoError(t, err)
	for id, place := range map[string]func(*properties.Property){
		"other-city": in("Boston", "USA"), "other-country": in("New York", "UK"), "longer-country": in("New York", "USA2"),
		"forged": in("New York#USA", "USA"), "lower-case": in("new york", "USA"),
	} {
		create(t, repo, grand(id, place))
	}

	all := []string{"b", "f", "a", "g", "c", "d", "e"} // best first; equal ratings by descending id
	for minimum, want := range map[dynastay.Rating][]string{0: all, 1: all[:6], 79: all[:6], 80: all[:5], 81: all[:4], 92: all[:3], 93: all[:1], 100: all[:1]} {
		for _, limit := range []int{1, 2, 3, 7, 50} {
			query := properties.CityQuery{City: "New York", Country: "USA", MinRating: minimum}
			var got []*properties.Card
			for paging := (dynastay.Paging{Limit: limit}); ; {
				page, err := repo.ByCity(query).Page(t.Context(), paging)
				require.NoError(t, err)
				assert.LessOrEqual(t, len(page.Items), limit)
				got = append(got, page.Items...)
				if paging.After = page.Next; paging.After == "" {
					break
				}
			}
			assert.Equal(t, want, ids(got), "from %s, %d at a time", minimum, limit)
		}
	}

	page, err := repo.ByCity(properties.CityQuery{City: " New York ", Country: "USA"}).Page(t.Context(), dynastay.Paging{Limit: 1})
	require.NoError(t, err)
	found, err := repo.GetWithRooms(t.Context(), "b")
	require.NoError(t, err)
	assert.Equal(t, found.Card(), page.Items[0])

	_, err = repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 80}).Page(t.Context(), dynastay.Paging{Limit: 1, After: page.Next})
	assert.ErrorIs(t, err, dynastay.ErrCursor)
}

// No spelling of a city and a country reaches the properties of another pair.
func TestCitiesDoNotMix(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	places := [][2]string{{"A", "B#C"}, {"A#B", "C"}, {"A%23B", "C"}, {"A", "B%23C"}, {"A", "B"}, {"A", "B#"}, {"100%", "X"}, {"100%25", "X"}}
	for i, place := range places {
		create(t, repo, grand(fmt.Sprintf("p%d", i), in(place[0], place[1])))
	}
	for i, place := range places {
		page, err := repo.ByCity(properties.CityQuery{City: place[0], Country: place[1]}).Page(t.Context(), dynastay.Paging{})
		require.NoError(t, err)
		assert.Equal(t, []string{fmt.Sprintf("p%d", i)}, ids(page.Items), "%q", place)
	}
	page, err := repo.ByCity(properties.CityQuery{City: "A", Country: "C"}).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
}

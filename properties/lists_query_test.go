package properties_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

func usd(amount string) dynastay.Money { return dynastay.MustMoney(amount, "USD") }

// priced creates a property whose lowest price is given.
func priced(t testing.TB, repo *properties.Repository, id string, lowest dynastay.Money) {
	t.Helper()
	rooms := []properties.RoomType{king("room-1-of-"+id, "1"), king("room-2-of-"+id, "1")}
	rooms[0].BasePrice = lowest
	rooms[1].BasePrice = dynastay.MustMoney("999999999999", lowest.Currency())
	_, err := repo.Create(t.Context(), grand(id), rooms)
	require.NoError(t, err)
}

func TestByPrice(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, amount := range map[string]string{"a": "1000", "b": "90", "c": "150", "d": "150.01", "e": "150", "f": "0", "g": "149.99"} {
		priced(t, repo, id, usd(amount))
	}
	for id, amount := range map[string]string{"k": "150.001", "l": "999999999999", "m": "150"} {
		priced(t, repo, id, dynastay.MustMoney(amount, "KWD"))
	}
	create(t, repo, grand("boston", in("Boston", "USA")))
	create(t, repo, grand("pending", pending))

	none := dynastay.Money{}
	for _, q := range []struct {
		min, max dynastay.Money
		want     []string
	}{
		{none, none, []string{"f", "b", "g", "c", "e", "d", "a"}},
		{usd("0"), none, []string{"f", "b", "g", "c", "e", "d", "a"}},
		{usd("0.01"), none, []string{"b", "g", "c", "e", "d", "a"}},
		{usd("150"), none, []string{"c", "e", "d", "a"}},
		{usd("150.001"), none, []string{"d", "a"}},
		{none, usd("150"), []string{"f", "b", "g", "c", "e"}},
		{none, usd("149.999"), []string{"f", "b", "g"}},
		{none, usd("0"), []string{"f"}},
		{usd("150"), usd("150"), []string{"c", "e"}},
		{usd("90"), usd("150"), []string{"b", "g", "c", "e"}},
		{usd("1000.001"), none, nil},
		{none, usd("999999999999.999"), []string{"f", "b", "g", "c", "e", "d", "a"}},
		{usd("999999999999.999"), usd("999999999999.999"), nil},
		{dynastay.MustMoney("150.001", "KWD"), dynastay.MustMoney("999999999999", "KWD"), []string{"k", "l"}},
		{dynastay.MustMoney("150", "KWD"), dynastay.MustMoney("150", "KWD"), []string{"m"}},
	} {
		query := properties.PriceQuery{City: " New York", Country: "USA", Currency: "USD", Min: q.min, Max: q.max}
		if q.min.Currency() == "KWD" {
			query.Currency = "KWD"
		}
		name := fmt.Sprint(q.min, " to ", q.max)
		assert.Equal(t, q.want, ids(listed(t, repo.ByPrice(query))), name)
		query.Descending = true
		var reversed []string
		for i := len(q.want) - 1; i >= 0; i-- {
			reversed = append(reversed, q.want[i])
		}
		assert.Equal(t, reversed, ids(listed(t, repo.ByPrice(query))), name)
	}
}

func TestByStarsAndType(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, rating := range map[string]string{"a": "9.2", "b": "10.0", "c": "8.0", "d": "0.0", "e": "9.9", "f": "9.2"} {
		rated(t, db, repo, rating, grand(id))
	}
	rated(t, db, repo, "9.5", grand("four", func(p *properties.Property) { p.Stars, p.Type = 4, "bed_and_breakfast" }))
	create(t, repo, grand("none", func(p *properties.Property) { p.Stars, p.Type = 0, "bed_and_breakfast" }))
	create(t, repo, grand("pending", pending))
	rated(t, db, repo, "5.0", grand("boston", in("Boston", "USA")))

	best := []string{"b", "e", "f", "a", "c"}
	for minimum, n := range map[dynastay.Rating]int{1: 5, 80: 5, 81: 4, 92: 4, 93: 2, 99: 2, 100: 1} {
		want := best[:n]
		assert.Equal(t, want, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: minimum}))))
		if minimum == 1 {
			want = append(want[:n:n], "boston")
		}
		assert.Equal(t, want, ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: minimum}))))
	}
	assert.Equal(t, append(best, "d"), ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5}))))
	assert.Equal(t, []string{"four"}, ids(listed(t, repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 4}))))
	assert.Equal(t, append(best, "boston", "d"), ids(listed(t, repo.ByType(properties.TypeQuery{Type: properties.Hotel}))))
	assert.Equal(t, []string{"four", "none"}, ids(listed(t, repo.ByType(properties.TypeQuery{Type: "bed_and_breakfast"}))))
}

func TestFeatured(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for id, score := range map[string]int{"a": 95, "b": 1000, "c": 0, "d": 95, "e": 9_999_999_999, "f": 9} {
		create(t, repo, grand(id, func(p *properties.Property) { p.FeaturedScore = score }))
	}
	create(t, repo, grand("not", func(p *properties.Property) { p.Featured = false }))
	create(t, repo, grand("pending", pending))
	assert.Equal(t, []string{"e", "b", "d", "a", "f", "c"}, ids(listed(t, repo.Featured())))
}

func TestListsRefuse(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	type price = properties.PriceQuery
	type stars = properties.StarsQuery
	with := func(city, country string, amenityIDs ...string) cardList {
		return repo.ByAmenities(properties.AmenityQuery{City: city, Country: country, AmenityIDs: amenityIDs})
	}
	eur := dynastay.MustMoney("100", "EUR")
	stop := db.Faults.Record()
	for _, refused := range []struct {
		field, text string
		list        cardList
	}{
		{"City", "is required", repo.ByPrice(price{Country: "USA", Currency: "USD"})},
		{"Country", "is required", repo.ByPrice(price{City: "New York", Currency: "USD"})},
		{"Currency", "must be an active ISO 4217", repo.ByPrice(price{City: "New York", Country: "USA"})},
		{"Currency", "must be an active ISO 4217", repo.ByPrice(price{City: "New York", Country: "USA", Min: eur, Max: eur})},
		{"Currency", "must be an active ISO 4217", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "usd"})},
		{"Min", "must be in USD, got EUR", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Min: eur})},
		{"Max", "must be in USD, got EUR", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Max: eur})},
		{"Min", "must not be negative", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Min: usd("-1")})},
		{"Max", "must not be negative", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Max: usd("-0.01")})},
		{"Min", "must have at most 3 decimal places", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Min: usd("1.0001")})},
		{"Max", "must have at most 12 digits", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Max: usd("1000000000000")})},
		{"Max", "must not be less than Min", repo.ByPrice(price{City: "New York", Country: "USA", Currency: "USD", Min: usd("150"), Max: usd("149.999")})},
		{"City", "is required", repo.ByStars(stars{Country: "USA", Stars: 5})},
		{"Country", "is required", repo.ByStars(stars{City: "New York", Stars: 5})},
		{"Stars", "must be between 1 and 5", repo.ByStars(stars{City: "New York", Country: "USA"})},
		{"Stars", "must be between 1 and 5", repo.ByStars(stars{City: "New York", Country: "USA", Stars: 6})},
		{"MinRating", "must be between 0.0 and 10.0, got 10.1", repo.ByStars(stars{City: "New York", Country: "USA", Stars: 5, MinRating: 101})},
		{"Type", "", repo.ByType(properties.TypeQuery{})},
		{"Type", "", repo.ByType(properties.TypeQuery{Type: "Hotel"})},
		{"MinRating", "must be between 0.0 and 10.0, got -0.1", repo.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: -1})},
		{"City", "is required", with("", "USA", "wifi")},
		{"Country", "is required", with("New York", "", "wifi")},
		{"AmenityIDs", "must have between 1 and 10 entries", with("New York", "USA")},
		{"AmenityIDs", "must have between 1 and 10 entries", with("New York", "USA", numbered("amenity_", 11)...)},
		{"AmenityIDs[2]", "appears more than once", with("New York", "USA", "wifi", "pool", "wifi")},
		{"AmenityIDs[1]", "is required", with("New York", "USA", "wifi", "")},
		{"AmenityIDs[0]", "must not contain", with("New York", "USA", "wi#fi", "pool")},
	} {
		_, err := refused.list.Page(t.Context(), dynastay.Paging{})
		assertField(t, err, dynastay.ErrInvalid, refused.field)
		assert.ErrorContains(t, err, refused.text)
	}
	for field, q := range map[string]properties.AmenityQuery{
		"City":       {Country: "USA", AmenityIDs: []string{"wifi"}},
		"Country":    {City: "New York", AmenityIDs: []string{"wifi"}},
		"AmenityIDs": {City: "New York", Country: "USA"},
	} {
		_, err := repo.IDsByAmenities(q).Page(t.Context(), dynastay.Paging{})
		assertField(t, err, dynastay.ErrInvalid, field)
	}
	assert.Empty(t, stop())
	page, err := with("New York", "USA", numbered("amenity_", 10)...).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page)
}

// A cursor does not continue a list with other arguments.
func TestCursorsOfLists(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b"} {
		rated(t, db, repo, "9.2", grand(id))
	}
	cheapest := properties.PriceQuery{City: "New York", Country: "USA", Currency: "USD"}
	dearest := cheapest
	dearest.Descending = true
	lists := []cardList{
		repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"}),
		repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 92}),
		repo.ByPrice(cheapest), repo.ByPrice(dearest),
		repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5}),
		repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: 92}),
		repo.ByType(properties.TypeQuery{Type: properties.Hotel}), repo.ByType(properties.TypeQuery{Type: properties.Resort}),
		repo.Featured(),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi"}}),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"wifi", "pool"}}),
		repo.ByAmenities(properties.AmenityQuery{City: "New York", Country: "USA", AmenityIDs: []string{"gym", "wifi"}}),
	}
	for i, list := range lists {
		first, err := list.Page(t.Context(), dynastay.Paging{Limit: 1})
		require.NoError(t, err)
		if first.Next == "" { // there are no resorts
			continue
		}
		for j, other := range lists {
			if _, err := other.Page(t.Context(), dynastay.Paging{After: first.Next}); i == j {
				assert.NoError(t, err)
			} else {
				assert.ErrorIs(t, err, dynastay.ErrCursor, "%d %d", i, j)
			}
		}
	}
}

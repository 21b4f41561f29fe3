package properties_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/properties"
)

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
		blame.Of(t, err, dynastay.ErrInvalid, refused.field)
		assert.ErrorContains(t, err, refused.text)
	}
	for field, q := range map[string]properties.AmenityQuery{
		"City":       {Country: "USA", AmenityIDs: []string{"wifi"}},
		"Country":    {City: "New York", AmenityIDs: []string{"wifi"}},
		"AmenityIDs": {City: "New York", Country: "USA"},
	} {
		_, err := repo.IDsByAmenities(q).Page(t.Context(), dynastay.Paging{})
		blame.Of(t, err, dynastay.ErrInvalid, field)
	}
	assert.Empty(t, stop())
	page, err := with("New York", "USA", numbered("amenity_", 10)...).Page(t.Context(), dynastay.Paging{})
	require.NoError(t, err)
	assert.Empty(t, page)
}

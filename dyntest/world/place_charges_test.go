package world

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// The charges of each city are a valid list in the currency of its country, for houses of each class.
func TestChargesInCities(t *testing.T) {
	t.Parallel()
	found := 0
	for _, c := range cities {
		of := ChargesIn(c.name, c.country, 3)
		if len(of) > 0 {
			found++
		}
		for stars := range 6 {
			list := charges.List{PropertyID: "prop_1", Charges: ChargesIn(c.name, c.country, stars)}
			require.NoError(t, list.Validate(), "%s, %d stars", c.name, stars)
			require.Len(t, list.Charges, len(of), "%s, %d stars", c.name, stars)
			if currency := list.Currency(); currency != "" {
				assert.Equal(t, countries[c.country].currency, currency, c.name)
			}
		}
	}
	assert.Equal(t, len(chargesIn), found, "each is a city of the world")
	assert.Empty(t, ChargesIn("Paris", "USA", 3))

	// They are the caller's.
	ChargesIn("Berlin", "DEU", 3)[0].Name = "changed"
	assert.Equal(t, "VAT", ChargesIn("Berlin", "DEU", 3)[0].Name)
}

// The city taxes of Paris and Rome are by the class of the house.
func TestChargesByStars(t *testing.T) {
	t.Parallel()
	for city, country := range map[string]string{"Paris": "FRA", "Rome": "ITA"} {
		amounts := map[dynastay.Money]bool{}
		for stars := 1; stars <= 5; stars++ {
			amounts[ChargesIn(city, country, stars)[1].Amount] = true
		}
		assert.Len(t, amounts, 5, city)
	}
	assert.Equal(t, ChargesIn("Rome", "ITA", 5), ChargesIn("Rome", "ITA", 6))
	assert.Equal(t, ChargesIn("Rome", "ITA", 0), ChargesIn("Rome", "ITA", -1))
}

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

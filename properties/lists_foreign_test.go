package properties_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	storedform "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

type cardList = dynastay.List[*properties.Card]

// listsOf returns the lists that show the property of the hotel-booking document, which is rated 9.2 and costs 150 USD
// and more.
func listsOf(r *properties.Repository) map[string]cardList {
	price := properties.PriceQuery{City: "New York", Country: "USA", Currency: "USD"}
	from, to := price, price
	from.Min, to.Max, to.Descending = usd("150"), usd("999999999999.999"), true
	return map[string]cardList{
		"ByCity":      r.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: 92}),
		"ByPrice":     r.ByPrice(price),
		"ByPrice to":  r.ByPrice(to),
		"ByPrice min": r.ByPrice(from),
		"ByStars":     r.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: 92}),
		"ByType":      r.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: 92}),
		"Featured":    r.Featured(),
	}
}

// oldKeys are index keys in the forms of the hotel-booking document. It has none for prices and stars; other software
// may have added them.
var oldKeys = dynastay.Item{
	"GSI7PK": dynastay.Text("CITY#New York#USA#CURRENCY#USD"), "GSI7SK": dynastay.Text("PRICE#150"),
	"GSI8PK": dynastay.Text("CITY#New York#USA#STAR#5"), "GSI8SK": dynastay.Text("RATING#9.2"),
}

func withOldKeys(property dynastay.Item) {
	for name, v := range oldKeys {
		property[name] = v
	}
}

// A row with keys in an old form and without a card is listed among the others.
func TestListsOfForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	putForeign(t, db, "123", withOldKeys)
	one := properties.New(db.DB, nil)
	rated(t, db, one, "9.5", grand("p1"))
	want, err := one.GetWithRooms(t.Context(), "prop_123")
	require.NoError(t, err)

	opts := sharded(3, 3) // the property's own keys would be in a different shard
	require.NotZero(t, opts.TypeShards.Of("prop_123"))
	for _, repo := range []*properties.Repository{one, properties.New(db.DB, &opts)} {
		for name, list := range listsOf(repo) {
			stop := db.Faults.Record()
			page, err := list.Page(t.Context(), dynastay.Paging{})
			require.NoError(t, err, name)
			assert.ElementsMatch(t, []string{"p1", "prop_123"}, ids(page.Items), name)
			assert.Contains(t, page.Items, want.Card(), name)
			queries := 2 // and the property
			if repo != one && (name == "ByType" || name == "Featured") {
				queries += 2
			}
			assert.Len(t, stop(), queries, name)
		}
	}

	// It is deleted after the index was read.
	for name, list := range listsOf(one) {
		db.Faults.Inject(dyntest.Before(func(context.Context) { remove(t, db, keyOf("prop_123")) }), dyntest.When{Operation: "Query", Nth: 2})
		assert.Equal(t, []string{"p1"}, ids(listed(t, list)), name)
		putForeign(t, db, "123", withOldKeys)
	}
}

// A list without a minimum contains unrated properties, whatever the form of their keys.
func TestListsOfUnratedForeignRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	putForeign(t, db, "123", withOldKeys, func(property dynastay.Item) {
		property["AverageRating"] = &types.AttributeValueMemberN{Value: "0"}
		property["GSI1SK"] = dynastay.Text("RATING#0#PROPERTY#prop_123")
		property["GSI4SK"], property["GSI8SK"] = dynastay.Text("RATING#0"), dynastay.Text("RATING#0")
	})
	repo := properties.New(db.DB, nil)
	for minimum, want := range map[dynastay.Rating][]string{0: {"prop_123"}, 1: nil} {
		for _, list := range []cardList{
			repo.ByCity(properties.CityQuery{City: "New York", Country: "USA", MinRating: minimum}),
			repo.ByStars(properties.StarsQuery{City: "New York", Country: "USA", Stars: 5, MinRating: minimum}),
			repo.ByType(properties.TypeQuery{Type: properties.Hotel, MinRating: minimum}),
		} {
			assert.Equal(t, want, ids(listed(t, list)), "from %s", minimum)
		}
	}
}

// A row whose property has changed since is not listed where it no longer belongs.
func TestListsOfStaleRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	all := []string{"ByCity", "ByPrice", "ByPrice to", "ByPrice min", "ByStars", "ByType", "Featured"}
	byPrice, byCity := all[1:4], all[:5]
	for i, change := range []struct {
		path   string
		to     types.AttributeValue
		leaves []string
	}{
		{"Status", dynastay.Text("suspended"), all},
		{"Status", dynastay.Text("pending"), all},
		{"Address.City", dynastay.Text("Boston"), byCity},
		{"Address.Country", dynastay.Text("Canada"), byCity},
		{"AverageRating", number("9.1"), []string{"ByCity", "ByStars", "ByType"}},
		{"PriceRange.Min", number("149.99"), []string{"ByPrice min"}},
		{"PriceRange.Currency", dynastay.Text("EUR"), byPrice},
		{"PriceRange", &types.AttributeValueMemberNULL{Value: true}, byPrice},
		{"StarRating", number("4"), []string{"ByStars"}},
		{"StarRating", number("0"), []string{"ByStars"}},
		{"PropertyType", dynastay.Text("resort"), []string{"ByType"}},
		{"IsFeatured", &types.AttributeValueMemberBOOL{}, []string{"Featured"}},
		{"Name", dynastay.Text("Petit"), nil},
	} {
		t.Run(fmt.Sprint(i, " ", change.path), func(t *testing.T) {
			putForeign(t, db, "123", withOldKeys, func(property dynastay.Item) {
				storedform.Place(property, change.path, change.to)
			})
			for name, list := range listsOf(repo) {
				want := []string{"prop_123"}
				for _, left := range change.leaves {
					if left == name {
						want = nil
					}
				}
				assert.Equal(t, want, ids(listed(t, list)), name)
			}
		})
	}
}

// The same for rows with a card: it is not listed where the card shows something else than the query asks for.
func TestListsOfCardsUnderOldKeys(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	number := func(n string) types.AttributeValue { return &types.AttributeValueMemberN{Value: n} }
	prices := func(amount, currency string) types.AttributeValue {
		return &types.AttributeValueMemberM{Value: dynastay.Item{
			"Min": number(amount), "Max": number(amount), "Currency": dynastay.Text(currency),
		}}
	}
	byPrice := []string{"ByPrice", "ByPrice to", "ByPrice min"}
	for i, change := range []struct {
		path   string
		to     types.AttributeValue
		leaves []string
	}{
		{"AverageRating", number("9.1"), []string{"ByCity", "ByStars", "ByType"}},
		{"AverageRating", number("9.2"), nil},
		{"PriceRange", prices("149.99", "USD"), []string{"ByPrice min"}},
		{"PriceRange", prices("150", "USD"), nil},
		{"PriceRange", prices("1000000000000", "USD"), []string{"ByPrice to"}},
		{"PriceRange", prices("150", "EUR"), byPrice},
		{"StarRating", number("4"), []string{"ByStars"}},
		{"PropertyType", dynastay.Text("resort"), []string{"ByType"}},
	} {
		t.Run(fmt.Sprint(i, " ", change.path), func(t *testing.T) {
			id := fmt.Sprint("p", i)
			rated(t, db, repo, "9.2", grand(id))
			defer remove(t, db, keyOf(id))
			set(t, db, keyOf(id), "SET Card."+change.path+" = :v", dynastay.Item{":v": change.to})
			for name, list := range listsOf(repo) {
				want := []string{id}
				for _, left := range change.leaves {
					if left == name {
						want = nil
					}
				}
				assert.Equal(t, want, ids(listed(t, list)), name)
			}
		})
	}
}

// A property that has no keys of its own, because its data is damaged, is reported, and the others are listed.
func TestListsOfUnreadableRows(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	rated(t, db, repo, "9.5", grand("p1"))
	for path, leaves := range map[string][]string{
		"Address.City": {"ByCity", "ByStars", "ByPrice", "ByPrice to", "ByPrice min"}, "PropertyType": {"ByType"}, "FeaturedScore": {"Featured"},
	} {
		putForeign(t, db, "123", withOldKeys, func(property dynastay.Item) {
			value := dynastay.Text("")
			if path == "FeaturedScore" {
				value = &types.AttributeValueMemberN{Value: "-1"}
			}
			storedform.Place(property, path, value)
		})
		lists := listsOf(repo)
		for _, name := range leaves {
			page, err := lists[name].Page(t.Context(), dynastay.Paging{})
			unreadable := blame.As[*dynastay.UnreadableError](t, err, name)
			require.Len(t, unreadable.Items, 1)
			assert.ErrorIs(t, unreadable.Items[0], dynastay.ErrCorrupt)
			assert.ErrorContains(t, unreadable.Items[0], "prop_123")
			assert.Equal(t, []string{"p1"}, ids(page.Items), name)
		}
	}
}

// What other software listed moves to its place with its adoption.
func TestListsAfterAdoption(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	putForeign(t, db, "123", withOldKeys)
	repo := properties.New(db.DB, nil)
	rated(t, db, repo, "9.5", grand("p1"))
	best := repo.ByType(properties.TypeQuery{Type: properties.Hotel})
	assert.Equal(t, []string{"prop_123", "p1"}, ids(listed(t, best)))
	require.NoError(t, repo.Adopt(t.Context(), "prop_123"))
	assert.Equal(t, []string{"p1", "prop_123"}, ids(listed(t, best)))
	row := dynastay.RowOf(partition(t, db, "PROPERTY#prop_123")[keys.SortKind[keys.Property]()])
	assert.Equal(t, "PRICE#000000000150.000#PROPERTY#prop_123", row.Text("GSI7SK"))
}

// The error of a damaged card names the property. The other cards and the following pages are still returned.
func TestDamagedCard(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, propertyTables)
	repo := properties.New(db.DB, nil)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		create(t, repo, grand(id))
	}
	set(t, db, keyOf("c"), "SET Card.StarRating = :s", dynastay.Item{":s": dynastay.Text("five")})
	list := repo.ByCity(properties.CityQuery{City: "New York", Country: "USA"})
	page, err := list.Page(t.Context(), dynastay.Paging{Limit: 3})
	unreadable := blame.As[*dynastay.UnreadableError](t, err)
	require.Len(t, unreadable.Items, 1)
	assert.ErrorContains(t, unreadable.Items[0], "Card c (StarRating): unreadable item")
	assert.Equal(t, []string{"e", "d", "b"}, ids(page.Items))
	page, err = list.Page(t.Context(), dynastay.Paging{After: page.Next})
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, ids(page.Items))
}
